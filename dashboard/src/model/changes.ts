// Tells views that something changed, at most so often: however many events come, a view is drawn a few times a second.
export interface Timing {
  now(): number;
  after(ms: number, act: () => void): void;
}

const usual: Timing = {
  now: () => performance.now(),
  after: (ms, act) => void setTimeout(act, ms),
};

export class Changes {
  readonly #listeners = new Set<() => void>();
  readonly #pauseMs: number;
  readonly #timing: Timing;
  #toldAt = -Infinity;
  #isDue = false;

  constructor(pauseMs = 100, timing: Timing = usual) {
    this.#pauseMs = pauseMs;
    this.#timing = timing;
  }

  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something changed. */
  mark(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#timing.after(Math.max(0, this.#toldAt + this.#pauseMs - this.#timing.now()), () => {
      this.#isDue = false;
      this.#toldAt = this.#timing.now();
      for (const listener of this.#listeners) listener();
    });
  }
}
