// Bounds the processor time of an isolate that runs on its own thread. Processor time passes no faster than the clock, so the
// next look is due when the rest could be used up at the earliest.
import type { Clock, Timer } from "../../../std/clock.ts";
import type { Activity } from "../activity.ts";
import type { Box } from "../box.ts";

const windowMs = 1_000;
const lookMsMin = 1;

export class CpuWatch {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Watches one entry, made for one activity or for all that wait; disposes of the isolate when the time of one, or the
   * sandbox's share, is used up. Without such limits there is no timer.
   */
  start(box: Box, activities: readonly Activity[]): Timer | undefined {
    if (box.limits.cpuPercent === null && activities.every(({ cpuMs }) => cpuMs === null)) return undefined;
    let timer: Timer | undefined;
    const look = (): void => {
      if (box.isLost) return;
      const leftMs = this.#leftMs(box, activities);
      if (leftMs.total <= 0) box.dispose("cpu");
      else if (leftMs.share <= 0) box.dispose("cpu-share");
      else timer = this.#clock.after(Math.max(lookMsMin, Math.min(leftMs.total, leftMs.share)), look);
    };
    look();
    return { cancel: () => timer?.cancel() };
  }

  #leftMs(box: Box, activities: readonly Activity[]): { readonly total: number; readonly share: number } {
    const { cpuPercent } = box.limits;
    const usedOfWindow = box.cpuWindow.note(this.#clock.monotonic(), box.cpuMs());
    const left = activities.map((each) =>
      each.cpuMs === null ? Infinity : each.cpuMs - each.cpuUsedMs(box),
    );
    return {
      total: Math.min(Infinity, ...left),
      share: cpuPercent === null ? Infinity : (cpuPercent / 100) * windowMs - usedOfWindow,
    };
  }
}
