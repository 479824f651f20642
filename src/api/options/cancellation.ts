// What a caller may end, and bound: the signal and the deadline of everything that waits, in one place.
import { CancelledError, lateWhy } from "../../model/errors.ts";
import { fields, integer, type Read, type Shape } from "../../model/schema.ts";
import { joinSignal, untilAborted } from "../../std/abort.ts";
import type { Clock } from "../../std/clock.ts";
import type { CancelOptions } from "../types/cancel.ts";
import { signal } from "./options.ts";

const dayMs = 86_400_000;
/** How long a caller that gave up waits until what it began is undone, at most. */
const undoMsMax = 1_000;

/** The options that everything has that waits. */
export const cancelTable = {
  signal,
  deadlineMs: integer({ min: 1, max: dayMs }),
} satisfies Shape<CancelOptions>;
const cancelOptions = fields(cancelTable);

/** How a caller bounds a wait. */
export type WaitBounds = Read<typeof cancelOptions>;

/** The options of what can be cancelled and has no others. */
export function readCancel(options: unknown): WaitBounds {
  return cancelOptions.read(options, "options");
}

/** What is waited for, as messages name it, and whether it is undone where its caller gives up. */
export interface Waited {
  readonly clock: Clock;
  readonly what: string;
  readonly isUndone?: boolean;
}

/**
 * Does something within the caller's bounds, and gives it the one signal that says when they are over. What is undone then is
 * waited for, for a second at most; anything else goes on without its caller, who is rejected at once.
 */
export async function bounded<T>(
  { signal, deadlineMs }: Partial<WaitBounds>,
  { clock, what, isUndone = false }: Waited,
  act: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  let late: CancelledError | undefined;
  const held = joinSignal(
    signal,
    deadlineMs === undefined
      ? undefined
      : { clock, ms: deadlineMs, toReason: () => (late = deadlinePassed(what, deadlineMs)) },
  );
  const patience = isUndone ? { clock, ms: undoMsMax } : undefined;
  const toError = (): Error => {
    const reason: unknown = held.signal?.reason;
    return late !== undefined && reason === late ? late : aborted(what, reason);
  };
  try {
    return await untilAborted({ signal: held.signal, patience }, toError, () => act(held.signal));
  } catch (error) {
    // What was ended inside knows only that its signal was aborted.
    const isLate = late !== undefined && error instanceof CancelledError && error.cause === late;
    throw isLate ? late : error;
  } finally {
    held.release();
  }
}

/** Does something that leaves nothing to undo: a caller that cancels is rejected at once, and what was begun goes on. */
export function untilCancelled<T>(
  { signal }: { readonly signal?: AbortSignal | undefined },
  what: string,
  act: () => Promise<T>,
): Promise<T> {
  return untilAborted({ signal }, () => aborted(what, signal?.reason), act);
}

function deadlinePassed(what: string, deadlineMs: number): CancelledError {
  const error = new CancelledError(what, lateWhy(deadlineMs));
  return Object.assign(error, { deadlineMs });
}

function aborted(what: string, reason: unknown): CancelledError {
  return new CancelledError(what, "its signal was aborted", reason);
}
