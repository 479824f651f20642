// The one place that touches an isolate of isolated-vm. The engine ends an isolate by itself when its memory is used up,
// at any moment and between two entries too; from then on every touch throws. Who asks here is told so instead, and
// whoever is the first to find out tells the one listener.
import type ivm from "isolated-vm";
import type { CellVerdict } from "../protocol/messages.ts";

/** A function inside an isolate. */
export type AnyReference = ivm.Reference<(...args: never[]) => unknown>;

/** Compiled code of a script. */
export type CachedCode = ivm.ExternalCopy<ArrayBuffer>;

export interface ScriptText {
  readonly text: string;
  readonly filename: string;
  readonly cachedData?: CachedCode;
}

/** What an isolate holds, inside its heap and beside it. */
export interface Held {
  readonly heapBytes: number;
  readonly externalBytes: number;
}

/** The engine does not take a text for a script. */
export class Refused {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** What a guest left behind is thrown at whoever comes next, and only once. */
const attemptsMax = 2;

const MiB = 2 ** 20;
const memoryMiBMin = 8;

/** The size class of a memory limit: isolated-vm counts in MiB and has a smallest one. */
export function memoryMiBOf(bytes: number): number {
  return Math.max(memoryMiBMin, Math.ceil(bytes / MiB));
}

export class GuestIsolate {
  readonly #isolate: ivm.Isolate;
  readonly #context: ivm.Context;
  #isGone = false;
  #endedBy: CellVerdict | undefined;
  #cpuMs = 0;
  /** Called once, by whoever finds out that it is gone. */
  onGone: () => void = () => {};

  constructor(isolate: ivm.Isolate, context: ivm.Context) {
    this.#isolate = isolate;
    this.#context = context;
  }

  /** As far as anyone has found out. Asking the engine costs more than a short run does. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Why it is gone: whoever ended it said so; where nobody did, it was the engine, for memory. */
  get goneBy(): CellVerdict {
    return this.#endedBy ?? "memory";
  }

  /** What `cpuMs` said last. Outside entries it does not change. */
  get lastCpuMs(): number {
    return this.#cpuMs;
  }

  /** Whether it is gone, asked of the engine. */
  look(): boolean {
    if (!this.#isGone && this.#isolate.isDisposed) this.#lose();
    return this.#isGone;
  }

  /** Processor time it has used in all; of one that is gone, as far as it is known. */
  cpuMs(): number {
    if (this.#isGone) return this.#cpuMs;
    try {
      this.#cpuMs = Number(this.#isolate.cpuTime) / 1e6;
    } catch (error) {
      if (!this.look()) throw error;
    }
    return this.#cpuMs;
  }

  /** What it holds; undefined when it is gone. It must be idle: a busy one would block this thread. */
  held(): Held | undefined {
    for (let attempts = 0; attempts < attemptsMax && !this.#isGone; attempts++) {
      try {
        const statistics = this.#isolate.getHeapStatisticsSync();
        return {
          heapBytes: statistics.used_heap_size,
          externalBytes: statistics.externally_allocated_size,
        };
      } catch {
        this.look();
      }
    }
    return undefined;
  }

  /** Compiles and runs a script on this thread; throws as an entry does. */
  evaluateNow({ text, ...origin }: ScriptText, timeout: number): unknown {
    let compiled: ivm.Script;
    try {
      compiled = this.#isolate.compileScriptSync(text, origin);
    } catch (error) {
      return this.#refused(error);
    }
    return compiled.runSync(this.#context, { reference: true, timeout, release: true });
  }

  /** As `evaluateNow`, on a thread of its own. */
  async evaluateLater({ text, ...origin }: ScriptText, timeout: number): Promise<unknown> {
    let compiled: ivm.Script;
    try {
      compiled = await this.#isolate.compileScript(text, origin);
    } catch (error) {
      return this.#refused(error);
    }
    return compiled.run(this.#context, { reference: true, timeout, release: true });
  }

  /** Ends it for a reason of ours. Where the engine was faster, the reason is its own. */
  end(why?: CellVerdict): void {
    this.cpuMs();
    if (this.look()) return;
    try {
      this.#isolate.dispose();
      this.#endedBy = why;
    } catch (error) {
      if (!this.#isolate.isDisposed) throw error;
    }
    this.#lose();
  }

  #lose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.onGone();
  }

  #refused(error: unknown): Refused {
    if (this.look() || !(error instanceof Error)) throw error;
    return new Refused(error.message);
  }
}

/** Calls a guest function on this thread; throws when it was cut or its isolate is gone. */
export function applyNow(
  reference: AnyReference,
  args: readonly unknown[],
  options: { readonly timeout: number },
): unknown {
  // The types want the arguments of one function, and this may be any.
  return reference.applySync(undefined, args as never, options);
}

/** As `applyNow`, on a thread of its own. */
export function applyLater(
  reference: AnyReference,
  args: readonly unknown[],
  options: { readonly timeout: number },
): Promise<unknown> {
  // As above.
  return reference.apply(undefined, args as never, options) as Promise<unknown>;
}

/** A guest function as an argument for another in the same isolate. */
export function handOver(reference: AnyReference, options?: { readonly release: boolean }): unknown {
  // The types want a literal, true or false.
  return reference.derefInto(options as never);
}

/** A guest function will not be needed any more. */
export function letGo(reference: AnyReference): void {
  reference.release();
}
