// Lines that come whether or not they are wanted, for a reader that takes them one by one: what waits for it is bounded.
import { VivariumError } from "../../model/errors.ts";

/** How many letters may wait for a reader. */
const waitingMax = 8 * 2 ** 20;

/** What a reader gets: all that was pushed, and then what `act` ended with. A reader that is too slow ends it. */
export async function* pushed<L, E>(
  signal: AbortSignal,
  act: (push: (line: L) => void, signal: AbortSignal) => Promise<E>,
): AsyncGenerator<L | E> {
  const waiting: L[] = [];
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  let letters = 0;
  let isTooSlow = false;
  let wake = Promise.withResolvers<void>();
  const push = (line: L): void => {
    letters += JSON.stringify(line).length;
    if (letters > waitingMax) {
      isTooSlow = true;
      ending.abort();
    } else waiting.push(line);
    wake.resolve();
  };
  const acting = act(push, ending.signal);
  let isDone = false;
  const done = (): void => {
    isDone = true;
    wake.resolve();
  };
  acting.then(done, done);
  try {
    for (;;) {
      const lines = waiting.splice(0);
      letters = 0;
      yield* lines;
      if (isTooSlow) throw tooSlow();
      if (isDone && waiting.length === 0) break;
      if (waiting.length > 0) continue;
      await wake.promise;
      wake = Promise.withResolvers();
    }
    yield await acting;
  } finally {
    ending.abort();
    signal.removeEventListener("abort", onAbort);
  }
}

function tooSlow(): VivariumError {
  const rule = `at most ${waitingMax} letters of output may wait for the reader`;
  return new VivariumError("CANCELLED", `Cannot finish the run as ${rule}: there were more`);
}
