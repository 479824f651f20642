// Ctrl-C: the first one asks the command to end with what it has, the second one ends the process at once.
import { exitCodes } from "../exit-codes.ts";

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
}

export function watchInterrupt(): Interruption {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on("SIGINT", interrupt);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void process.off("SIGINT", interrupt),
  };
}
