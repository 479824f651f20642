// Waiting that a signal can end.

/** Does `act`, but rejects with what `reasonOf` gives as soon as the signal is aborted; what was begun continues. */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  reasonOf: () => Error,
  act: () => Promise<T>,
): Promise<T> {
  if (signal === undefined) return act();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(reasonOf());
  if (signal.aborted) throw reasonOf();
  signal.addEventListener("abort", onAbort, { once: true });
  const acting = act();
  // A later failure has no one to handle it.
  acting.catch(() => {});
  try {
    return await Promise.race([acting, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
