// A pause that ends early when nobody waits for it any more.
import type { Clock } from "../../../src/std/clock.ts";

export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ms, resolve);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  return promise.finally(() => {
    timer.cancel();
    signal.removeEventListener("abort", onAbort);
  });
}
