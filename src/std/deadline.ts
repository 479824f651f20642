// Waiting with a time limit.
import type { Clock } from "./clock.ts";

/** Settles as the promise, or rejects after so many milliseconds; what was begun continues. */
export function within<T>(
  clock: Clock,
  bound: { readonly ms: number; readonly toError: () => Error },
  promise: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(bound.ms, () => reject(bound.toError()));
    promise.finally(() => timer.cancel()).then(resolve, reject);
  });
}
