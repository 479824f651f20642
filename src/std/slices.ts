// Long work on the main thread, in short slices, so that nothing else waits for it.
import { afterTurn } from "./clock.ts";

/** How long a slice may take; it ends at the next pause of the work. */
const sliceMs = 4;

/** Does work that pauses often; after each slice the event loop has a turn. */
export async function inSlices<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const startedMs = performance.now();
    let step = work.next();
    while (step.done !== true && performance.now() - startedMs < sliceMs) step = work.next();
    if (step.done === true) return step.value;
    await new Promise<void>((resolve) => {
      afterTurn(resolve);
    });
  }
}
