// How long an entry that is due may still take to come back before its isolate is ended, with all that it has in variables. The
// engine cuts an entry by a timer on another thread, and it returns only after three threads had their turn: time in which the
// machine was busy elsewhere does not count.
import { afterTurn, type Clock, type Timer } from "../../std/clock.ts";
import { isStarved } from "../../std/processor-time.ts";

export interface CellTimes {
  readonly clock: Clock;
  /** The processor time that the whole cell has used. */
  readonly cpuMs: () => number;
}

/** The grace of a cell that has the processor. */
export const disposeGraceMs = 100;
/** The grace of one that does not. */
export const starvedGraceMs = 1_600;
/** How often it is looked at after that. */
const lookMs = 20;
/** So long after the first look none is ended that may not have had the processor: less than the watchdog waits after its own. */
const settleMs = 2 * lookMs;

export class Grace {
  readonly #dueMs: number;
  readonly #times: CellTimes;
  readonly #onOver: () => void;
  #timer: Timer;
  #isCancelled = false;
  /** The first look after the entry was due, and what the cell had used by then. */
  #first: { readonly ms: number; readonly usedMs: number } | undefined;

  /** Calls `onOver` when the grace after `dueMs` is over. */
  constructor(dueMs: number, times: CellTimes, onOver: () => void) {
    this.#dueMs = dueMs;
    this.#times = times;
    this.#onOver = onOver;
    this.#timer = this.#lookAt(dueMs);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#timer.cancel();
  }

  #lookAt(ms: number): Timer {
    const { clock } = this.#times;
    // Where this thread was blocked, the entry may have ended already: that is read first.
    return clock.after(Math.max(0, ms - clock.monotonic()), () => afterTurn(() => this.#look()));
  }

  // The watchdog counts in the same way, from outside and with a longer grace: it kills the whole cell.
  #look(): void {
    if (this.#isCancelled) return;
    const { clock, cpuMs } = this.#times;
    const nowMs = clock.monotonic();
    const { ms, usedMs } = (this.#first ??= { ms: nowMs, usedMs: cpuMs() });
    const lateMs = nowMs - this.#dueMs;
    const hadProcessor = nowMs > ms && !isStarved(cpuMs() - usedMs, nowMs - ms);
    // Where the whole machine stood still, the first look may come later than any grace: it gives no verdict.
    const isOver = lateMs >= starvedGraceMs && nowMs - ms >= settleMs;
    if ((lateMs >= disposeGraceMs && hadProcessor) || isOver) return this.#onOver();
    this.#timer = this.#lookAt(lateMs < disposeGraceMs ? this.#dueMs + disposeGraceMs : nowMs + lookMs);
  }
}
