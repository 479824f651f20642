// The time of the cell's main thread that guests on other threads use by asking it for something. While they ask, the event
// loop stands still; so those that asked much are served for a moment in each of its turns, and for a third of the time while
// others want the thread. Whoever comes in between has to ask again.
import { ServiceMeter } from "../../../std/service-meter.ts";

/** So long guests that used much are served in one turn of the event loop. */
const stretchMs = 1;
/** Who used no more than this lately is served at once. */
const littleMs = 5;
/** What they may use together of the main thread's time while others want it. */
const shareMax = 1 / 3;
/** One long request does not keep all the others waiting for longer than this needs to be paid. */
const debtMsMax = 8;
/** Others want it where a command came in so lately. */
const wantedMs = 100;

/** What one guest used of the main thread's time. */
export class HostUse {
  readonly service: ServiceMeter = new ServiceMeter();
  /** In all. */
  totalMs = 0;

  add(ms: number, nowMs: number): void {
    this.totalMs += ms;
    this.service.add(ms, nowMs);
  }
}

export interface HostShareParts {
  readonly nowMs: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly inNextTurn: (act: () => void) => void;
}

export class HostShare {
  readonly #parts: HostShareParts;
  #turnStartedMs: number | undefined;
  /** What those that used much have used beyond their share. */
  #debtMs = 0;
  #debtAtMs = 0;
  #wantedAtMs = -Infinity;

  constructor(parts: HostShareParts) {
    this.#parts = parts;
  }

  /** A command came in: somebody else wants the main thread. */
  noteWanted(): void {
    this.#wantedAtMs = this.#parts.nowMs();
  }

  /** Does what a guest on another thread asked for; null where it must ask again. */
  serve<T>(use: HostUse, act: () => T): T | null {
    const startedMs = this.#parts.nowMs();
    if (this.#turnStartedMs === undefined) {
      this.#turnStartedMs = startedMs;
      this.#parts.inNextTurn(() => (this.#turnStartedMs = undefined));
    }
    const isTurnOver = startedMs - this.#turnStartedMs > stretchMs;
    const isOver = isTurnOver || this.#debtAt(startedMs) > stretchMs;
    const hasUsedMuch = use.service.at(startedMs) > littleMs;
    if (isOver && hasUsedMuch) return null;
    const result = act();
    const endedMs = this.#parts.nowMs();
    const usedMs = endedMs - startedMs;
    use.add(usedMs, endedMs);
    if (hasUsedMuch) this.#charge(usedMs, endedMs);
    return result;
  }

  #charge(usedMs: number, nowMs: number): void {
    this.#debtMs = Math.min(debtMsMax, this.#debtAt(nowMs) + usedMs);
    this.#debtAtMs = nowMs;
  }

  // Where nobody else wants the main thread, all of its time may be used.
  #debtAt(nowMs: number): number {
    if (nowMs - this.#wantedAtMs >= wantedMs) return 0;
    return Math.max(0, this.#debtMs - (nowMs - this.#debtAtMs) * shareMax);
  }
}
