// The cases of a suite, or the questions for a scorer, as lists that cells keep: encoded once for all candidates of a batch.
import { seriesCasesMax } from "../../execution/protocol/run-parts.ts";
import { CaseList, type ListedCase } from "../../orchestration/runs/case-list.ts";
import type { WireArgs } from "../../orchestration/runs/ticket.ts";
import { calleeOf, toWireArgs } from "../options/run-options.ts";

/** One thing that a candidate is asked. */
export interface AskedCase {
  readonly target: `${string}.${string}`;
  readonly args: readonly unknown[];
  readonly timeoutMs?: number | undefined;
}

/** Cases that follow each other and have the same bounds. */
export interface CaseChunk {
  readonly list: CaseList;
  /** Which of all cases is its first. */
  readonly start: number;
}

/** How long the arguments of one list are together, unless one alone is longer. */
const chunkLengthMax = 65_536;

/** The lists of one batch. */
export class CaseLists {
  readonly #chunks = new Map<readonly AskedCase[], Map<number, readonly (CaseChunk | undefined)[]>>();

  /** Where a case is; undefined where its arguments cannot be sent to a sandbox that takes `argsBytes`. */
  chunkAt(cases: readonly AskedCase[], index: number, argsBytes: number): CaseChunk | undefined {
    const byBytes = this.#chunks.get(cases) ?? new Map<number, readonly (CaseChunk | undefined)[]>();
    this.#chunks.set(cases, byBytes);
    const chunks = byBytes.get(argsBytes) ?? toChunks(cases, argsBytes);
    byBytes.set(argsBytes, chunks);
    return chunks[index];
  }

  /** The batch is over: no cell needs to keep them. */
  release(): void {
    for (const byBytes of this.#chunks.values())
      for (const chunks of byBytes.values()) for (const chunk of new Set(chunks)) chunk?.list.release();
    this.#chunks.clear();
  }
}

// The chunk of each case.
function toChunks(cases: readonly AskedCase[], argsBytes: number): readonly (CaseChunk | undefined)[] {
  const chunks: (CaseChunk | undefined)[] = [];
  let gathered = new Gathered(0);
  const close = (): void => {
    const { count } = gathered;
    const chunk = count === 0 ? undefined : { list: gathered.toList(), start: chunks.length };
    for (let i = 0; i < count; i++) chunks.push(chunk);
  };
  for (const each of cases) {
    const args = argsOf(each, argsBytes);
    if (args === undefined || !gathered.hasRoom(each, args)) {
      close();
      gathered = new Gathered(each.timeoutMs);
    }
    if (args === undefined) chunks.push(undefined);
    else gathered.add(each, args);
  }
  close();
  return chunks;
}

/** Cases that become one list. */
class Gathered {
  readonly #timeoutMs: number | undefined;
  readonly #targets = new Map<string, number>();
  readonly #cases: ListedCase[] = [];
  #length = 0;

  constructor(timeoutMs: number | undefined) {
    this.#timeoutMs = timeoutMs;
  }

  get count(): number {
    return this.#cases.length;
  }

  hasRoom({ timeoutMs }: AskedCase, args: string): boolean {
    if (timeoutMs !== this.#timeoutMs || this.#cases.length >= seriesCasesMax) return false;
    return this.#cases.length === 0 || this.#length + args.length <= chunkLengthMax;
  }

  add({ target }: AskedCase, args: string): void {
    const number = this.#targets.get(target) ?? this.#targets.size;
    this.#targets.set(target, number);
    this.#cases.push({ target: number, args });
    this.#length += args.length;
  }

  toList(): CaseList {
    const targets = Array.from(this.#targets.keys(), (target) => {
      const { module, export: name } = calleeOf(target);
      return [module, name] as const;
    });
    return new CaseList(targets, this.#cases);
  }
}

// Undefined where a call by itself would say why they cannot be sent.
function argsOf({ args }: AskedCase, argsBytes: number): string | undefined {
  try {
    return toJson(toWireArgs(args, argsBytes));
  } catch {
    return undefined;
  }
}

// An encoded list is JSON, but for one that needs a table.
function toJson(args: WireArgs): string {
  return typeof args === "string" && !args.startsWith("V") ? args : JSON.stringify(args);
}
