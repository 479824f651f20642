// Compiled code of scripts that several sandboxes of a cell have in common. Taking it is many times faster than compiling the
// text once more. A text is worth it from its second time on: most texts come once.
import { Lru } from "../../../std/lru.ts";

/** A script as its code depends on it. */
export interface CodeOrigin {
  readonly text: string;
  readonly filename: string;
}

/** How a script is to be compiled: from code that is there, with its code to be kept, or as it is. */
export interface CodePlan<Code> {
  readonly cachedData?: Code;
  readonly produceCachedData?: boolean;
}

interface Kept<Code> {
  readonly filename: string;
  readonly code: Code;
}

const MiB = 2 ** 20;
/** All code that is kept, with its texts; beyond it the least recently used is dropped. */
const keptBytesMax = 8 * MiB;
/** The texts that came once. */
const seenBytesMax = MiB;
const bytesPerLetter = 2;

export class CodeCache<Code> {
  /** By the whole text: the engine itself compares only lengths. */
  readonly #kept = new Lru<Kept<Code>>(keptBytesMax);
  readonly #seen = new Lru<true>(seenBytesMax);

  /** How to compile a script that is about to be. */
  planFor({ text, filename }: CodeOrigin): CodePlan<Code> {
    const kept = this.#kept.get(text);
    // The code has the name that it was compiled with.
    if (kept !== undefined) return kept.filename === filename ? { cachedData: kept.code } : {};
    if (this.#seen.get(text) !== undefined) return { produceCachedData: true };
    this.#seen.set(text, true, text.length * bytesPerLetter);
    return {};
  }

  /** Keeps the code of a script that was compiled with the plan to do so. */
  keep({ text, filename }: CodeOrigin, code: Code, bytes: number): void {
    this.#seen.delete(text);
    this.#kept.set(text, { filename, code }, bytes + text.length * bytesPerLetter);
  }
}
