// How much processor time one user of shared lanes has used lately. Use of long ago counts less and less, so that nobody is
// punished for ever.

/** After so long, use counts half. Long enough that one of many who take turns of a second each does not look idle between them. */
export const halfLifeMs = 10_000;

export class ServiceMeter {
  #usedMs = 0;
  #totalMs = 0;
  #atMs = 0;

  /** Takes a reading of all processor time that was ever used. */
  note(totalMs: number, nowMs: number): void {
    this.add(Math.max(0, totalMs - this.#totalMs), nowMs);
    this.#totalMs = Math.max(this.#totalMs, totalMs);
  }

  add(ms: number, nowMs: number): void {
    this.#usedMs = this.at(nowMs) + ms;
    this.#atMs = nowMs;
  }

  /** What counts at this moment. */
  at(nowMs: number): number {
    if (this.#usedMs === 0) return 0;
    return this.#usedMs * 2 ** (-Math.max(0, nowMs - this.#atMs) / halfLifeMs);
  }
}
