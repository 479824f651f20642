// Isolates for new sandboxes. Booting one takes milliseconds: the main thread does it only for a part of its time, so that
// loads without end do not keep the other sandboxes of the cell from it. The others are booted on other threads, a few at a time.
import type { Clock } from "../../../std/clock.ts";
import { Queue } from "../../../std/queue.ts";
import type { BootedIsolate } from "./booted-isolate.ts";
import type { WarmPool } from "./warm-pool.ts";

/** After it booted one, the main thread boots none for so many times as long as that took. */
const restTimes = 3;

interface Wish {
  readonly memoryMiB: number;
  readonly give: (booted: BootedIsolate) => void;
}

export interface BootsParts {
  readonly pool: Pick<WarmPool, "takeWarm" | "makeNow" | "makeLater">;
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

  /** An isolate of this size: at once, or given to `later` when it is booted. */
  take(memoryMiB: number, later: (booted: BootedIsolate) => void): BootedIsolate | undefined {
    const { pool, clock } = this.#parts;
    const warm = pool.takeWarm(memoryMiB);
    if (warm !== undefined) return warm;
    const startedMs = clock.monotonic();
    if (this.#underway === 0 && startedMs >= this.#restUntilMs) {
      const booted = pool.makeNow(memoryMiB);
      const endedMs = clock.monotonic();
      this.#restUntilMs = endedMs + (endedMs - startedMs) * restTimes;
      return booted;
    }
    this.#waiting.push({ memoryMiB, give: later });
    this.#next();
    return undefined;
  }

  #next(): void {
    while (this.#underway < this.#parts.atOnceMax) {
      const wish = this.#waiting.shift();
      if (wish === undefined) return;
      this.#underway++;
      // Where an isolate cannot be booted, the cell is of no use: what is thrown ends it.
      void this.#parts.pool.makeLater(wish.memoryMiB).then((booted) => {
        this.#underway--;
        wish.give(booted);
        this.#next();
      });
    }
  }
}
