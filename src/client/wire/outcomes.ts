// Outcomes as callers get them: values read back, and those that the client itself knows of.
import { CancelledError, RuntimeClosedError } from "../../model/errors.ts";
import type { GuestFailure, Outcome } from "../../model/runs/outcome.ts";
import { cancelledBySignal } from "../../model/runs/unbegun.ts";
import type { WireOutcome } from "../../contract/run-bodies.ts";
import { fromWireValue } from "../../contract/values.ts";

/** An outcome with what stands beside it: its value is read, all else stays as it is. */
export function toOutcome<O extends WireOutcome>(answer: O): Outcome & Omit<O, keyof WireOutcome> {
  const { value, encoded, ...rest } = answer as O & { readonly value?: unknown; readonly encoded?: string };
  // Only what succeeded has a value.
  const outcome: unknown = answer.ok
    ? { ...rest, value: fromWireValue({ value, ...(encoded === undefined ? {} : { encoded }) }) }
    : rest;
  return outcome as Outcome & Omit<O, keyof WireOutcome>;
}

const closed: GuestFailure = {
  kind: "cancelled",
  reason: "closed",
  message: "Cannot finish the run as the runtime was closed",
};

/** How a run ended that was given up here: by its signal, or as the client was closed. Undefined for any other error. */
export function failureOfEnd(
  error: unknown,
  { signal, isClosed }: { readonly signal: AbortSignal | undefined; readonly isClosed: boolean },
): GuestFailure | undefined {
  if (error instanceof CancelledError && signal?.aborted === true && error.deadlineMs === null)
    return cancelledBySignal;
  return error instanceof RuntimeClosedError && isClosed ? closed : undefined;
}
