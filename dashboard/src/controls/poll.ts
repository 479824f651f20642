// Asks again and again while somebody looks: never two questions at a time, longer pauses where answers are slow or fail, and
// nothing while the page is hidden.

/** What waits; the page's own, or that of a test. */
export interface PollTimers {
  now(): number;
  /** Returns what ends it. */
  after(ms: number, act: () => void): () => void;
}

export interface PollOptions<T> {
  /** The signal is aborted when nobody wants the answer any more. */
  readonly ask: (signal: AbortSignal) => Promise<T>;
  readonly got: (value: T) => void;
  readonly failed: (error: Error) => void;
  /** It has waited longer than is usual, or does not any more. */
  readonly slow?: (isSlow: boolean) => void;
  /** The pause between an answer and the next question; at least three times what the answer took. */
  readonly everyMs: number;
  readonly timers?: PollTimers;
}

const slowMs = 4_000;
const pauseMax = 60_000;

const pageTimers: PollTimers = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** How long to wait after an answer that took so long, or after so many failures in a row. */
export function pauseOf(everyMs: number, tookMs: number, failures: number): number {
  return Math.min(pauseMax, Math.max(everyMs * 2 ** Math.min(failures, 4), tookMs * 3));
}

export class Poll<T> {
  readonly #options: PollOptions<T>;
  readonly #timers: PollTimers;
  #end: AbortController | null = null;
  #isAsking = false;
  #isWanted = false;
  #isVisible = true;
  #isPaused = false;
  #failures = 0;
  #endPause = (): void => {};

  constructor(options: PollOptions<T>) {
    this.#options = options;
    this.#timers = options.timers ?? pageTimers;
  }

  start(): void {
    if (this.#end !== null) return;
    this.#end = new AbortController();
    this.#go();
  }

  /** Ends it: an answer that is still to come is dropped. */
  stop(): void {
    this.#end?.abort();
    this.#end = null;
    this.#isAsking = false;
    this.#isWanted = false;
    this.#endPause();
    this.#options.slow?.(false);
  }

  /** Asks at once, or once more when the answer is there that is waited for. */
  now(): void {
    if (this.#end === null) return;
    if (this.#isAsking) this.#isWanted = true;
    else this.#go();
  }

  /** Whether somebody can see it: nothing is asked for while the page is hidden. */
  setVisible(isVisible: boolean): void {
    if (isVisible === this.#isVisible) return;
    this.#isVisible = isVisible;
    if (isVisible) this.now();
    else this.#endPause();
  }

  /** Stops asking by itself; `now` still asks. */
  setPaused(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#endPause();
    else this.now();
  }

  #go(): void {
    const end = this.#end;
    if (end === null || this.#isAsking) return;
    this.#endPause();
    this.#isAsking = true;
    this.#isWanted = false;
    void this.#ask(end);
  }

  async #ask(end: AbortController): Promise<void> {
    const { ask, got, failed, slow, everyMs } = this.#options;
    const began = this.#timers.now();
    const endSlow = this.#timers.after(slowMs, () => slow?.(true));
    try {
      const value = await ask(end.signal);
      if (this.#end === end) {
        this.#failures = 0;
        got(value);
      }
    } catch (error) {
      if (this.#end === end) {
        this.#failures++;
        failed(error instanceof Error ? error : new Error(String(error)));
      }
    } finally {
      endSlow();
    }
    if (this.#end !== end) return;
    slow?.(false);
    this.#isAsking = false;
    if (this.#isWanted && this.#isVisible) return this.#go();
    if (!this.#isVisible || this.#isPaused) return;
    const pause = pauseOf(everyMs, this.#timers.now() - began, this.#failures);
    this.#endPause = this.#timers.after(pause, () => this.#go());
  }
}
