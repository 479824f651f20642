// Operations that a caller's signal can end.
import { CancelledError } from "../../model/errors.ts";
import type { Cancellable } from "../../orchestration/sandboxes/operations.ts";
import { untilAborted } from "../../std/abort.ts";
import { readFields, readSignal } from "./options.ts";

/** The one option of what can be cancelled and has no other. */
export function readCancel(options: unknown): Cancellable {
  const { signal } = readFields(options, "options", ["signal"]);
  return { signal: readSignal(signal, "signal") };
}

/** Does something that leaves nothing to undo; whoever gives up is told at once, and what was begun goes on by itself. */
export function untilCancelled<T>({ signal }: Cancellable, what: string, act: () => Promise<T>): Promise<T> {
  const toError = (): Error => new CancelledError(what, "its signal was aborted", signal?.reason);
  return untilAborted(signal, toError, act);
}
