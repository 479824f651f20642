// Outcomes of runs that no cell ever had.
import { asVivariumError, CancelledError, LoadError, RuntimeClosedError, type LoadPhase } from "../errors.ts";
import type { Failure, FailureKind, GuestFailure } from "./outcome.ts";
import { unusedAfter } from "./usage.ts";

/** What cuts a batch short. */
export type CutReason = "signal" | "deadline";

export function failed(error: GuestFailure): Failure {
  return { ok: false, error, usage: unusedAfter(0), logs: [] };
}

/** How a run ends whose caller gave up. */
export const cancelledBySignal: GuestFailure = {
  kind: "cancelled",
  reason: "signal",
  message: "Cannot finish the run as its signal was aborted",
};

/** How a run ends that its batch cut short. */
export function cancelledBy(reason: CutReason): GuestFailure {
  return { kind: "cancelled", reason, message: `Cannot finish the run as ${cutSentence(reason)}` };
}

/** Why a batch was cut short, as a sentence. */
export function cutSentence(reason: CutReason): string {
  return reason === "signal" ? "the signal of its batch was aborted" : "its batch came to its deadline";
}

const kindOf = {
  parse: "compile",
  compile: "compile",
  gate: "rejected",
  link: "load",
  evaluate: "load",
  migrate: "load",
} as const satisfies Record<LoadPhase, FailureKind>;

/** How a run ends whose sandbox could not be loaded for it. */
export function failureOfLoad(error: LoadError): GuestFailure {
  if (error.failure !== undefined) return error.failure;
  const kind = kindOf[error.phase];
  return { kind, message: error.message, diagnostics: error.diagnostics };
}

/** How a run ends whose sandbox could not be created for it. */
export function failureOfCreation(error: unknown): GuestFailure {
  if (error instanceof LoadError) return failureOfLoad(error);
  const { message } = asVivariumError(error);
  return cancellationOf(error) ?? { kind: "not-running", message };
}

/** Where a creation was cancelled: by whom. */
export function cancellationOf(error: unknown): GuestFailure | undefined {
  if (error instanceof RuntimeClosedError)
    return { kind: "cancelled", reason: "closed", message: error.message };
  if (!(error instanceof CancelledError)) return undefined;
  // A signal gives its reason as the cause; another operation on the sandbox has none.
  const ended = error.cause === undefined ? "destroyed" : "signal";
  const reason = error.deadlineMs === null ? ended : "deadline";
  return { kind: "cancelled", reason, message: error.message };
}
