// A batch as lines: how large it is, each result as it ends, how far it is where nothing else is said for a while, and its end.
import type { BatchLine } from "../../contract/batch-bodies.ts";
import type { Batch } from "../../index.ts";
import { nextTurn, type Clock } from "../../std/clock.ts";
import { Lines } from "../http/lines.ts";

const progressMs = 1_000;

export interface Lined<T, R> {
  readonly clock: Clock;
  /** Begins the batch; the signal ends it. */
  readonly begin: (signal: AbortSignal) => Batch<T>;
  readonly toResult: (result: T) => R;
  /** Called once, when all of it is over. */
  readonly onEnd: () => void;
}

/**
 * Begins a batch and gives its lines. Rejects where it is refused as a whole. What was begun for a reader that never comes is
 * ended by the request's signal.
 */
export async function linesOfBatch<T, R>(
  signal: AbortSignal,
  { clock, begin, toResult, onEnd }: Lined<T, R>,
): Promise<Lines<BatchLine<R>>> {
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const end = (): void => {
    signal.removeEventListener("abort", onAbort);
    onEnd();
  };
  let refusal: { readonly error: unknown } | undefined;
  const batch = begin(ending.signal);
  void batch.then(end, (error: unknown) => {
    refusal = { error };
    end();
  });
  // One that is refused is so at once.
  await nextTurn();
  if (refusal !== undefined) throw refusal.error;
  return new Lines(async function* (): AsyncGenerator<BatchLine<R>> {
    const results = batch[Symbol.asyncIterator]();
    try {
      yield { type: "begin", size: batch.progress.size };
      for (let next = results.next(); ;) {
        const step = await orLater(clock, next);
        if (step === undefined) yield { type: "progress", ...batch.progress };
        else if (step.done === true) break;
        else {
          yield { type: "result", result: toResult(step.value) };
          next = results.next();
        }
      }
      // The last of them may be final only now.
      const all = await batch;
      yield { type: "end", ...batch.progress, ...keptOf(all) };
    } finally {
      ending.abort();
    }
  });
}

// Which of the best live on is known only when all are there.
function keptOf(results: readonly unknown[]): { readonly kept?: readonly number[] } {
  const marked = results.filter(
    (result): result is { readonly index: number; readonly kept: boolean } =>
      typeof result === "object" && result !== null && "kept" in result,
  );
  return marked.length === 0 ? {} : { kept: marked.filter(({ kept }) => kept).map(({ index }) => index) };
}

// Undefined where it is not there after a while.
async function orLater<T>(clock: Clock, next: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = clock.after(progressMs, () => late.resolve(undefined));
  try {
    return await Promise.race([next, late.promise]);
  } finally {
    timer.cancel();
  }
}
