// What time it is on the server, by the times of its events: the clock of the machine that shows the page may be another one.

/** How long an estimate stands against smaller ones: an event that comes late says less than it is. */
const keptMs = 60_000;

export class ServerClock {
  #aheadMs: number | null = null;
  #takenAt = 0;

  /** An event of this time came just now, which is this time of the page. */
  observe(at: number, localNow: number): void {
    const aheadMs = at - localNow;
    const isOld = Math.abs(localNow - this.#takenAt) > keptMs;
    if (this.#aheadMs !== null && aheadMs < this.#aheadMs && !isOld) return;
    [this.#aheadMs, this.#takenAt] = [aheadMs, localNow];
  }

  /** Before the first event it is the page's time. */
  now(localNow: number): number {
    return localNow + (this.#aheadMs ?? 0);
  }
}
