// The only code that accesses an isolate of isolated-vm. The engine disposes of an isolate when its memory is used up, also
// between two entries; from then on every access throws. Here such an access returns normally, and the first one that notices
// calls the listener.
import type ivm from "isolated-vm";
import type { CellVerdict } from "../../protocol/messages.ts";
import { CodeCache, type CodePlan } from "./code-cache.ts";

/** A function inside an isolate. */
export type AnyReference = ivm.Reference<(...args: never[]) => unknown>;

/** Compiled code of a script. */
export type CachedCode = ivm.ExternalCopy<ArrayBuffer>;

export interface ScriptText {
  readonly text: string;
  readonly filename: string;
  /** What is added to the number of a line. */
  readonly lineOffset?: number;
  readonly cachedData?: CachedCode;
}

/** The memory of an isolate, inside its heap and beside it, garbage included. */
export interface Held {
  readonly heapBytes: number;
  readonly externalBytes: number;
}

/** The engine refused to compile a script. */
export class Refused {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** An unhandled error of the guest is thrown once at the next access. */
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
  readonly #codes: CodeCache<CachedCode>;
  #isGone = false;
  #endedBy: CellVerdict | undefined;
  /** It was ended by us. */
  #isEnded = false;
  #cpuMs = 0;
  #slackBytes: number | undefined;
  /** Called once, when it is noticed that it is gone. */
  onGone: () => void = () => {};

  /** The cache is that of all isolates of the cell. */
  constructor(
    isolate: ivm.Isolate,
    context: ivm.Context,
    codes: CodeCache<CachedCode> = new CodeCache<CachedCode>(),
  ) {
    this.#isolate = isolate;
    this.#context = context;
    this.#codes = codes;
  }

  /** As far as it was noticed. Asking the engine costs more than a short run. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Why it is gone: the reason that it was ended for, or else memory, as the engine ended it. */
  get goneBy(): CellVerdict {
    return this.#endedBy ?? "memory";
  }

  /** The latest reading of `cpuMs`. Outside entries it does not change. */
  get lastCpuMs(): number {
    return this.#cpuMs;
  }

  /** Asks the engine whether it is gone. */
  checkGone(): boolean {
    if (!this.#isGone && this.#isolate.isDisposed) this.#lose();
    return this.#isGone;
  }

  /** Processor time that it has used in all; the latest reading where it is gone. */
  cpuMs(): number {
    if (this.#isGone) return this.#cpuMs;
    try {
      this.#cpuMs = Number(this.#isolate.cpuTime) / 1e6;
    } catch (error) {
      if (!this.checkGone()) throw error;
    }
    return this.#cpuMs;
  }

  /** Adds what an entry used in which the engine ended it: from then on the engine does not say. */
  addCpuMs(ms: number): void {
    if (this.#isGone && !this.#isEnded) this.#cpuMs += ms;
  }

  /** The memory that it holds; undefined when it is gone. It must be idle: a busy one would block this thread. */
  held(): Held | undefined {
    for (let attempts = 0; attempts < attemptsMax && !this.#isGone; attempts++) {
      try {
        const statistics = this.#isolate.getHeapStatisticsSync();
        return {
          heapBytes: statistics.used_heap_size,
          externalBytes: statistics.externally_allocated_size,
        };
      } catch {
        this.checkGone();
      }
    }
    return undefined;
  }

  /** What the engine allows it beyond the memory limit that it was made with. */
  slackBytes(memoryMiB: number): number {
    try {
      this.#slackBytes ??= this.#isolate.getHeapStatisticsSync().heap_size_limit - memoryMiB * MiB;
    } catch {
      this.checkGone();
    }
    return this.#slackBytes ?? 0;
  }

  /**
   * Where it holds more than the memory limit that it was made with, the engine collects garbage, and ends it when it still
   * holds more. isolated-vm does this with every script that it compiles.
   */
  checkHeapNow(): void {
    this.#isolate.compileScriptSync("").release();
  }

  /** As `checkHeapNow`, on a thread of its own. */
  async checkHeapLater(): Promise<void> {
    (await this.#isolate.compileScript("")).release();
  }

  /** Compiles and runs a script on this thread; throws as an entry does. */
  evaluateNow(script: ScriptText, timeout: number): unknown {
    let compiled: ivm.Script;
    try {
      compiled = this.#isolate.compileScriptSync(script.text, this.#optionsFor(script));
    } catch (error) {
      return this.#refused(error);
    }
    this.#keepCode(script, compiled);
    return compiled.runSync(this.#context, { reference: true, timeout, release: true });
  }

  /** As `evaluateNow`, on a thread of its own, which it enters once, unless its code is used again or kept. */
  async evaluateLater(script: ScriptText, timeout: number): Promise<unknown> {
    const options = this.#optionsFor(script);
    try {
      if (options.cachedData === undefined && options.produceCachedData !== true)
        return await this.#context.eval(script.text, { ...options, reference: true, timeout });
      const compiled = await this.#isolate.compileScript(script.text, options);
      this.#keepCode(script, compiled);
      return await compiled.run(this.#context, { reference: true, timeout, release: true });
    } catch (error) {
      // The engine's own errors are of a kind; that of a script which was cut is a plain one.
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
      return this.#refused(error);
    }
  }

  /** Ends it. Where the engine was faster, the reason is memory. */
  end(why?: CellVerdict): void {
    this.cpuMs();
    if (this.checkGone()) return;
    try {
      this.#isolate.dispose();
      this.#endedBy = why;
      this.#isEnded = true;
    } catch (error) {
      if (!this.#isolate.isDisposed) throw error;
    }
    this.#lose();
  }

  #optionsFor(script: ScriptText): Omit<ScriptText, "text"> & CodePlan<CachedCode> {
    const { text: _, ...origin } = script;
    return origin.cachedData === undefined ? { ...origin, ...this.#codes.planFor(script) } : origin;
  }

  // The engine adds the code to the script where that was asked for, which the types do not say.
  #keepCode(script: ScriptText, compiled: ivm.Script & { readonly cachedData?: CachedCode }): void {
    const { cachedData } = compiled;
    if (cachedData !== undefined) this.#codes.keep(script, cachedData, cachedData.copy().byteLength);
  }

  #lose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.onGone();
  }

  #refused(error: unknown): Refused {
    if (this.checkGone() || !(error instanceof Error)) throw error;
    return new Refused(error.message);
  }
}

/** Calls a guest function on this thread; throws when it was cut or its isolate is gone. */
export function applyNow(
  reference: AnyReference,
  args: readonly unknown[],
  options: { readonly timeout: number },
): unknown {
  // The types want the arguments of one known function.
  return reference.applySync(undefined, args as never, options);
}

/** As `applyNow`, on a thread of its own. */
export function applyLater(
  reference: AnyReference,
  args: readonly unknown[],
  options: { readonly timeout: number },
): Promise<unknown> {
  // The same.
  return reference.apply(undefined, args as never, options) as Promise<unknown>;
}

/** A guest function as an argument for another in the same isolate. */
export function handOver(reference: AnyReference, options?: { readonly release: boolean }): unknown {
  // The types want a literal, true or false.
  return reference.derefInto(options as never);
}

/** Releases a guest function. */
export function releaseReference(reference: AnyReference): void {
  reference.release();
}
