// SIGTERM and SIGINT as requests to close: the first lets work finish, the second does not.
import type { Listening } from "../listen.ts";

export interface SignalOptions {
  /** Called when the first one has come. */
  readonly onSignal?: (signal: NodeJS.Signals) => void;
}

const ending: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT"];

/** Closes the server when this process is asked to end; returns a function that stops listening for that. */
export function closeOnSignals(
  listening: Pick<Listening, "close" | "drained">,
  { onSignal }: SignalOptions = {},
): () => void {
  let count = 0;
  const onEach = (signal: NodeJS.Signals): void => {
    if (++count === 1) onSignal?.(signal);
    // What goes wrong is told to whoever awaits `close` or `drained`.
    void listening.close(count === 1 ? {} : { drainMs: 0 }).catch(() => {});
  };
  for (const signal of ending) process.on(signal, onEach);
  const forget = (): void => {
    for (const signal of ending) process.off(signal, onEach);
  };
  void listening.drained.then(forget, forget);
  return forget;
}
