// Waiting that a signal or a deadline can end.
import type { Clock } from "./clock.ts";

/** A deadline from now on, and what the signal is aborted with when it passes. */
export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  readonly toReason: () => unknown;
}

/** A signal that must be released, so that it leaves no timer and no listener. */
export interface HeldSignal {
  readonly signal: AbortSignal | undefined;
  release(): void;
}

/** One signal that is aborted by the caller's own or by the deadline, whichever comes first. */
export function joinSignal(own: AbortSignal | undefined, deadline: Deadline | undefined): HeldSignal {
  if (deadline === undefined) return { signal: own, release: () => {} };
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(own?.reason);
  if (own?.aborted === true) onAbort();
  own?.addEventListener("abort", onAbort, { once: true });
  const timer = deadline.clock.after(deadline.ms, () => controller.abort(deadline.toReason()));
  return {
    signal: controller.signal,
    release: () => {
      timer.cancel();
      own?.removeEventListener("abort", onAbort);
    },
  };
}

/** How long a wait lasts once its signal is aborted: `ms` for what was begun to be undone. */
export interface Patience {
  readonly clock: Clock;
  readonly ms: number;
}

/**
 * Does `act`, but rejects with what `reasonOf` gives as soon as the signal is aborted, or when `patience` is over then; what
 * was begun continues. Where the signal is aborted already, nothing is begun.
 */
export async function untilAborted<T>(
  {
    signal,
    patience,
  }: { readonly signal: AbortSignal | undefined; readonly patience?: Patience | undefined },
  reasonOf: () => Error,
  act: () => Promise<T>,
): Promise<T> {
  if (signal === undefined) return act();
  if (signal.aborted) throw reasonOf();
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(reasonOf());
  let timer: ReturnType<Clock["after"]> | undefined;
  const onAbort = (): void => {
    if (patience === undefined) giveUp();
    else timer = patience.clock.after(patience.ms, giveUp);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const acting = act();
  // A later failure has no one to handle it.
  acting.catch(() => {});
  try {
    return await Promise.race([acting, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer?.cancel();
  }
}

/** Resolves after `ms`, or as soon as nobody waits for it any more; it never rejects, and leaves no timer and no listener. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ms, resolve);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  await promise;
  timer.cancel();
  signal.removeEventListener("abort", onAbort);
}
