// What is done before a run can begin, as compiling what travels with it: a caller that gives up does not wait for it.
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { untilAborted } from "../../std/abort.ts";
import { cancelledBySignal } from "../../model/runs/unbegun.ts";

/** Does it, but ends as cancelled as soon as the signal is aborted; what was begun goes on, and its result is kept. */
export async function preparing<T>(
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<T | GuestFailure> {
  const givenUp = new Error(cancelledBySignal.message);
  try {
    return await untilAborted({ signal }, () => givenUp, act);
  } catch (error) {
    if (error === givenUp) return cancelledBySignal;
    throw error;
  }
}
