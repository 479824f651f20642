// The time of the cell's main thread that guests on other threads use by asking it for something. While they ask, the event
// loop stands still; so they are served for a moment in each of its turns, and whoever asked much has to ask again.
import { ServiceMeter } from "../../../std/service-meter.ts";

/** So long guests are served in one turn of the event loop. */
const turnMs = 1;
/** Who used no more than this lately is served also after that. */
const littleMs = 5;

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

  constructor(parts: HostShareParts) {
    this.#parts = parts;
  }

  /** Does what a guest on another thread asked for; null where it must ask again. */
  serve<T>(use: HostUse, act: () => T): T | null {
    const startedMs = this.#parts.nowMs();
    if (this.#turnStartedMs === undefined) {
      this.#turnStartedMs = startedMs;
      this.#parts.inNextTurn(() => (this.#turnStartedMs = undefined));
    }
    const isOver = startedMs - this.#turnStartedMs > turnMs;
    if (isOver && use.service.at(startedMs) > littleMs) return null;
    const result = act();
    const endedMs = this.#parts.nowMs();
    use.add(endedMs - startedMs, endedMs);
    return result;
  }
}
