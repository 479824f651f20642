// Isolates for new sandboxes: one that is warm, one that is there already and may have another sandbox, or a new one. Booting
// takes milliseconds: the main thread does it only for a part of its time, so that loads without end do not keep the other
// sandboxes of the cell from it. The others are booted on other threads, a few at a time.
import type { Clock } from "../../../std/clock.ts";
import { Queue } from "../../../std/queue.ts";
import type { BootedIsolate, IsolateFactory } from "./booted-isolate.ts";
import type { ReusableIsolates } from "./reusable-isolates.ts";
import type { SharedIsolate } from "./shared-isolate.ts";
import type { WarmPool } from "./warm-pool.ts";

/** After it booted one, the main thread boots none for so many times as long as that took. */
const restTimes = 3;

/** The isolate that a sandbox needs. */
export interface IsolateWish {
  readonly memoryMiB: number;
  /** It may be one that other dense sandboxes are in. */
  readonly isDense: boolean;
}

interface Wish extends IsolateWish {
  readonly give: (booted: BootedIsolate) => void;
}

export interface BootsParts {
  readonly pool: Pick<WarmPool, "takeWarm">;
  readonly factory: Pick<IsolateFactory, "makeNow" | "makeLater" | "addNow" | "addLater">;
  readonly reusable: Pick<ReusableIsolates, "takeIdle" | "findDense" | "makeDense" | "noteLeft">;
  readonly clock: Clock;
  /** So many are booted on other threads at a time. */
  readonly atOnceMax: number;
}

export class Boots {
  readonly #parts: BootsParts;
  readonly #waiting = new Queue<Wish>();
  #underway = 0;
  #restUntilMs = -Infinity;

  constructor(parts: BootsParts) {
    this.#parts = parts;
  }

  /** Such an isolate: at once, or given to `later` when it is booted. */
  take(wish: IsolateWish, later: (booted: BootedIsolate) => void): BootedIsolate | undefined {
    const { clock } = this.#parts;
    const warm = this.#warmFor(wish);
    if (warm !== undefined) return this.#given(warm, wish);
    const startedMs = clock.monotonic();
    if (this.#underway === 0 && startedMs >= this.#restUntilMs) {
      const booted = this.#bootNow(wish);
      const endedMs = clock.monotonic();
      this.#restUntilMs = endedMs + (endedMs - startedMs) * restTimes;
      return this.#given(booted, wish);
    }
    this.#waiting.push({ ...wish, give: later });
    this.#next();
    return undefined;
  }

  // Where a dense one has room, a warm one is left for others.
  #warmFor({ memoryMiB, isDense }: IsolateWish): BootedIsolate | undefined {
    const { pool, reusable } = this.#parts;
    return isDense && reusable.findDense(memoryMiB) !== undefined ? undefined : pool.takeWarm(memoryMiB);
  }

  #existingFor({ memoryMiB, isDense }: IsolateWish): SharedIsolate | undefined {
    const { reusable } = this.#parts;
    return (isDense ? reusable.findDense(memoryMiB) : undefined) ?? reusable.takeIdle(memoryMiB);
  }

  #bootNow(wish: IsolateWish): BootedIsolate {
    const { factory } = this.#parts;
    const existing = this.#existingFor(wish);
    const added = existing === undefined ? undefined : factory.addNow(existing);
    return added ?? factory.makeNow(wish.memoryMiB);
  }

  // Until its load has begun nobody else enters an isolate that is there already.
  async #bootLater(wish: Wish): Promise<void> {
    const { factory } = this.#parts;
    const existing = this.#existingFor(wish);
    existing?.hold(wish);
    const added = existing === undefined ? undefined : await factory.addLater(existing);
    const booted = added ?? (await factory.makeLater(wish.memoryMiB));
    this.#underway--;
    wish.give(this.#given(booted, wish));
    if (existing === undefined) return;
    existing.release(wish);
    existing.admitOthers(wish);
    // Its sandbox was not wanted any more.
    if (existing.size === 0) this.#parts.reusable.noteLeft(existing);
  }

  #given(booted: BootedIsolate, { isDense }: IsolateWish): BootedIsolate {
    const { shared } = booted.isolate;
    const { reusable } = this.#parts;
    shared.onLeft = () => reusable.noteLeft(shared);
    if (isDense) reusable.makeDense(shared);
    return booted;
  }

  #next(): void {
    while (this.#underway < this.#parts.atOnceMax) {
      const wish = this.#waiting.shift();
      if (wish === undefined) return;
      this.#underway++;
      // Where an isolate cannot be booted, the cell is of no use: what is thrown ends it.
      void this.#bootLater(wish).then(() => this.#next());
    }
  }
}
