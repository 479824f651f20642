// Pure: whether the main lane of a cell, which all its sandboxes share, is open to runs that are only believed to be short.

/** A run of at most so long is quick. */
export const quickMs = 10;
/** A run that held the main lane longer than this has blocked the other sandboxes of its cell. */
export const heldMsMax = 100;
/** How many times as long as it was held the main lane is spared. */
const sparedTimes = 10;
/** Who may use it meanwhile has been quick so many times as often as the one that held it. */
const trustTimes = 2;

/**
 * After a run held the main lane for long, it is spared for ten times as long, so that it is held for a tenth of the time at
 * most. It stays open to sandboxes of which more is known than of the one that held it: twice as many quick runs in a row.
 */
export class MainLaneGuard {
  #closedUntilMs = -Infinity;
  #quickNeeded = 0;

  /** A run held the lane for so long; its sandbox had been quick so many times in a row. */
  note(wallMs: number, quickInRow: number, nowMs: number): void {
    if (wallMs <= heldMsMax) return;
    const needed = Math.max(1, quickInRow * trustTimes);
    this.#quickNeeded = nowMs < this.#closedUntilMs ? Math.max(this.#quickNeeded, needed) : needed;
    this.#closedUntilMs = Math.max(this.#closedUntilMs, nowMs + wallMs * sparedTimes);
  }

  /** Whether one that has been quick so many times in a row may use it. */
  isOpenTo(quickInRow: number, nowMs: number): boolean {
    return quickInRow >= this.#quickNeeded || nowMs >= this.#closedUntilMs;
  }
}
