// The only code, with shared-isolate.ts, that accesses an isolate of isolated-vm. The engine disposes of an isolate when its memory
// is used up, also between two entries; from then on every access throws. Here such an access returns normally, and the first one
// that notices calls the listener.
import type ivm from "isolated-vm";
import type { CellVerdict } from "../../protocol/messages.ts";
import { CodeCache, type CodePlan } from "./code-cache.ts";
import type { Held, Member, SharedIsolate } from "./shared-isolate.ts";

/** Compiled code of a script. */
export type CachedCode = ivm.ExternalCopy<ArrayBuffer>;

export interface ScriptText {
  readonly text: string;
  readonly filename: string;
  /** What is added to the number of a line. */
  readonly lineOffset?: number;
  readonly cachedData?: CachedCode;
}

/** The engine refused to compile a script. */
export class Refused {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

const MiB = 2 ** 20;
const memoryMiBMin = 8;

/** The size class of a memory limit: isolated-vm counts in MiB and has a smallest one. */
export function memoryMiBOf(bytes: number): number {
  return Math.max(memoryMiBMin, Math.ceil(bytes / MiB));
}

/** How a sandbox leaves its isolate. */
export interface Leaving {
  /** It is inside on another thread. */
  readonly isInside?: boolean;
  /** Nothing of it is left that would run again, so that another sandbox may have the isolate. */
  readonly isReusable?: boolean;
}

export interface GuestIsolateParts {
  readonly context: ivm.Context;
  /** Of all isolates of the cell. */
  readonly codes?: CodeCache<CachedCode>;
}

/** What one sandbox has of an isolate: a context, its processor time, and its end. */
export class GuestIsolate implements Member {
  readonly shared: SharedIsolate;
  readonly #context: ivm.Context;
  readonly #codes: CodeCache<CachedCode>;
  #isGone = false;
  #endedBy: CellVerdict | undefined;
  /** It was ended by us. */
  #isEnded = false;
  #cpuMs = 0;
  #slackBytes: number | undefined;
  /** What the heap had when it began, and how much of that was garbage of others. */
  #begunWithBytes = 0;
  #inheritedBytes = 0;
  /** Called once, when it is noticed that it is gone. */
  onGone: () => void = () => {};
  /** Called when it has left an isolate that goes on, to release all that refers to it. */
  onLeave: () => void = () => {};
  /** Called when another one no longer has the isolate. */
  onAdmitted: () => void = () => {};

  constructor(shared: SharedIsolate, { context, codes = new CodeCache<CachedCode>() }: GuestIsolateParts) {
    this.shared = shared;
    this.#context = context;
    this.#codes = codes;
    shared.add(this);
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
    if (!this.#isGone) this.shared.checkGone();
    return this.#isGone;
  }

  /** It is entered now. */
  enter(): void {
    this.shared.enter(this);
  }

  /** An entry was cut: what it left may run in the next one. */
  noteCut(): void {
    this.shared.isSpent = true;
    this.shared.isQuiet = false;
  }

  /** An entry after the cut has returned. */
  noteQuiet(): void {
    this.shared.isQuiet = true;
  }

  /** Processor time that it has used in all; the latest reading where it is gone. */
  cpuMs(): number {
    if (!this.#isGone) this.shared.chargeCpu();
    return this.#cpuMs;
  }

  charge(cpuMs: number): void {
    this.#cpuMs += cpuMs;
  }

  /** Adds what an entry used in which the engine ended it: from then on the engine does not say. */
  addCpuMs(ms: number): void {
    if (this.#isGone && !this.#isEnded) this.#cpuMs += ms;
  }

  lose(isByThis: boolean): void {
    if (!isByThis) this.#endedBy = "neighbour";
    this.#isGone = true;
    this.onGone();
  }

  admit(): void {
    this.onAdmitted();
  }

  /** The memory that its isolate holds; undefined when it is gone. It must be idle: a busy one would block this thread. */
  held(): Held | undefined {
    return this.#isGone ? undefined : this.shared.held();
  }

  /**
   * It begins with a heap in which others have been: as much is theirs as it holds beyond a new one. Others that are still in it
   * have an even part.
   */
  inherit(newHeapBytes: number): void {
    if (this.shared.size > 1) return;
    this.#begunWithBytes = this.held()?.heapBytes ?? 0;
    this.#inheritedBytes = Math.max(0, this.#begunWithBytes - newHeapBytes);
  }

  /** Its part of a heap: an even one where others are in it too, without what was there before it. */
  partOf(heapBytes: number): number {
    // Garbage was collected, and first of all that of others.
    if (heapBytes < this.#begunWithBytes) this.#inheritedBytes = 0;
    return Math.round((heapBytes - this.#inheritedBytes) / Math.max(1, this.shared.size));
  }

  /** What the engine allows it beyond the memory limit that it was made with. */
  slackBytes(memoryMiB: number): number {
    try {
      this.#slackBytes ??= this.shared.engine.getHeapStatisticsSync().heap_size_limit - memoryMiB * MiB;
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
    this.shared.engine.compileScriptSync("").release();
  }

  /** As `checkHeapNow`, on a thread of its own. */
  async checkHeapLater(): Promise<void> {
    (await this.shared.engine.compileScript("")).release();
  }

  /** Compiles and runs a script on this thread; throws as an entry does. */
  evaluateNow(script: ScriptText, timeout: number): unknown {
    let compiled: ivm.Script;
    try {
      compiled = this.shared.engine.compileScriptSync(script.text, this.#optionsFor(script));
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
      const compiled = await this.shared.engine.compileScript(script.text, options);
      this.#keepCode(script, compiled);
      return await compiled.run(this.#context, { reference: true, timeout, release: true });
    } catch (error) {
      // The engine's own errors are of a kind; that of a script which was cut is a plain one.
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
      return this.#refused(error);
    }
  }

  /**
   * Ends it, and the isolate with it, unless that has other sandboxes, or may have another one, and nothing in it keeps running.
   * Where the engine was faster, the reason is memory.
   */
  end(why?: CellVerdict, leaving: Leaving = {}): void {
    this.cpuMs();
    if (this.checkGone()) return;
    this.#endedBy = why;
    this.#isEnded = true;
    if (this.#mayLeave(leaving)) return this.#leave();
    if (this.shared.dispose(this)) return;
    this.#endedBy = undefined;
    this.#isEnded = false;
  }

  #mayLeave({ isInside = false, isReusable = false }: Leaving): boolean {
    const { isDense, isQuiet, isSpent } = this.shared;
    if (isInside || !isQuiet || this.#endedBy === "memory") return false;
    return isDense || (isReusable && !isSpent);
  }

  #leave(): void {
    this.#isGone = true;
    this.onLeave();
    this.#context.release();
    this.shared.remove(this);
    this.onGone();
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

  #refused(error: unknown): Refused {
    if (this.checkGone() || !(error instanceof Error)) throw error;
    return new Refused(error.message);
  }
}
