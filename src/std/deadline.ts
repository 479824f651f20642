// Waiting that has an end.
import type { Clock } from "./clock.ts";

/** The promise's own end, or after so many milliseconds a rejection; what was begun goes on by itself. */
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
