// What is asked for again and again, as views read it: the latest answer, the latest failure, and whether the server is slow.
import { Poll } from "./poll.ts";

export class Polled<T> {
  value: T | null = $state.raw(null);
  /** Of the latest question; null where that was answered. */
  error: Error | null = $state.raw(null);
  isSlow = $state(false);
  /** When the latest answer came. */
  at: number | null = $state(null);
  readonly #poll: Poll<T>;

  constructor(ask: (signal: AbortSignal) => Promise<T>, everyMs: number) {
    this.#poll = new Poll({
      ask,
      everyMs,
      got: (value) => {
        this.value = value;
        this.error = null;
        this.at = Date.now();
      },
      failed: (error) => (this.error = error),
      slow: (isSlow) => (this.isSlow = isSlow),
    });
  }

  now(): void {
    this.#poll.now();
  }

  /** Stops asking by itself; `now` still asks. */
  pause(isPaused: boolean): void {
    this.#poll.setPaused(isPaused);
  }

  /** Asks until what it returns is called: for `$effect`. */
  run(): () => void {
    const onVisible = (): void => this.#poll.setVisible(document.visibilityState === "visible");
    onVisible();
    document.addEventListener("visibilitychange", onVisible);
    this.#poll.start();
    return () => {
      document.removeEventListener("visibilitychange", onVisible);
      this.#poll.stop();
    };
  }
}
