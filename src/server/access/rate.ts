// How often within a minute: a bucket that holds a minute's worth and fills steadily.
import type { Clock } from "../../std/clock.ts";

const minuteMs = 60_000;

export class Rate {
  readonly perMinute: number;
  readonly #clock: Clock;
  #left: number;
  #atMs: number;

  constructor(perMinute: number, clock: Clock) {
    this.perMinute = perMinute;
    this.#clock = clock;
    this.#left = perMinute;
    this.#atMs = clock.monotonic();
  }

  /** Takes so many, all or none: 0, or after how many milliseconds there are so many. Infinity where there never are. */
  take(given: number): number {
    // What is no number of things, as a caller may have sent it, must neither fill the bucket nor break it.
    const count = given > 0 ? given : 1;
    if (count > this.perMinute) return Infinity;
    const nowMs = this.#clock.monotonic();
    const filled = ((nowMs - this.#atMs) * this.perMinute) / minuteMs;
    this.#left = Math.min(this.perMinute, this.#left + filled);
    this.#atMs = nowMs;
    if (count > this.#left) return Math.max(1, ((count - this.#left) * minuteMs) / this.perMinute);
    this.#left -= count;
    return 0;
  }
}
