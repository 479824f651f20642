// Operations that a caller's signal can end.
import { CancelledError } from "../../model/errors.ts";
import { fields } from "../../model/schema.ts";
import type { Cancellable } from "../../orchestration/sandboxes/operations/operations.ts";
import { untilAborted } from "../../std/abort.ts";
import { signal } from "./options.ts";

const cancelOptions = fields({ signal });

/** The one option of what can be cancelled and has no other. */
export function readCancel(options: unknown): Cancellable {
  return cancelOptions.read(options, "options");
}

/** Does something that leaves nothing to undo: a caller that cancels is rejected at once, and what was begun goes on. */
export function untilCancelled<T>({ signal }: Cancellable, what: string, act: () => Promise<T>): Promise<T> {
  const toError = (): Error => new CancelledError(what, "its signal was aborted", signal?.reason);
  return untilAborted(signal, toError, act);
}
