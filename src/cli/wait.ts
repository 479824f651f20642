// A pause that a signal ends.
import type { Clock } from "../index.ts";

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ms, resolve);
  const end = (): void => {
    timer.cancel();
    resolve();
  };
  signal.addEventListener("abort", end, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", end));
}
