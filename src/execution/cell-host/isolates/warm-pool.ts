// Isolates booted ahead, so that creating a sandbox costs little more than loading its modules.
import type { BootedIsolate, IsolateFactory } from "./booted-isolate.ts";
import type { ReusableIsolates } from "./reusable-isolates.ts";

const classesMax = 2;

export interface WarmPoolParts {
  readonly factory: Pick<IsolateFactory, "makeLater" | "addLater">;
  readonly reusable: Pick<ReusableIsolates, "takeIdle">;
}

/** Holds some isolates of each size class that was requested lately, made in idle moments. */
export class WarmPool {
  readonly #parts: WarmPoolParts;
  readonly #countPerClass: number;
  // The most recently used class last.
  readonly #classes = new Map<number, BootedIsolate[]>();
  #isFilling = false;

  constructor(parts: WarmPoolParts, options: { readonly count: number; readonly memoryMiB: number }) {
    this.#parts = parts;
    this.#countPerClass = options.count;
    this.#classes.set(options.memoryMiB, []);
  }

  /** A warm isolate of this size, where there is one. More of this size will be made. */
  takeWarm(memoryMiB: number): BootedIsolate | undefined {
    const warm = this.#classes.get(memoryMiB) ?? [];
    this.#classes.delete(memoryMiB);
    this.#classes.set(memoryMiB, warm);
    for (const [oldest, isolates] of this.#classes) {
      if (this.#classes.size <= classesMax) break;
      for (const booted of isolates) booted.isolate.end();
      this.#classes.delete(oldest);
    }
    for (let booted = warm.pop(); booted !== undefined; booted = warm.pop())
      if (!booted.isolate.checkGone()) return booted;
    return undefined;
  }

  get isShort(): boolean {
    return this.#shortClass() !== undefined;
  }

  /** Makes one more where one is missing; calls back while more are. */
  fill(again: () => void): void {
    const short = this.#shortClass();
    if (short === undefined || this.#isFilling) return;
    this.#isFilling = true;
    void this.#fillOne(short).finally(() => {
      this.#isFilling = false;
      if (this.isShort) again();
    });
  }

  async #fillOne(memoryMiB: number): Promise<void> {
    const { factory, reusable } = this.#parts;
    const idle = reusable.takeIdle(memoryMiB);
    const added = idle === undefined ? undefined : await factory.addLater(idle);
    const booted = added ?? (await factory.makeLater(memoryMiB));
    const isolates = this.#classes.get(memoryMiB);
    if (isolates === undefined) booted.isolate.end();
    else isolates.push(booted);
  }

  #shortClass(): number | undefined {
    let short: number | undefined;
    for (const [memoryMiB, isolates] of this.#classes)
      if (isolates.length < this.#countPerClass) short = memoryMiB;
    return short;
  }
}
