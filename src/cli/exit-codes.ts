// What the exit codes of the `vivarium` command mean, and which one an error or an outcome of a guest has.
import type { ErrorCode, VivariumError } from "../model/errors.ts";
import type { FailureKind, GuestFailure } from "../model/runs/outcome.ts";

export const exitCodes = {
  done: 0,
  failed: 1,
  mistake: 2,
  guestFailed: 3,
  guestLimited: 4,
  refused: 5,
  interrupted: 130,
} as const;

/** What is wrong with the command line, or with a file that it names. */
const mistakes: readonly ErrorCode[] = [
  "INVALID_OPTIONS",
  "INVALID_LIMITS",
  "INVALID_PROFILE",
  "INVALID_ID",
  "INVALID_INDIVIDUAL",
  "UNSERIALIZABLE",
  "NOT_REMOTE",
];
const refusals: readonly ErrorCode[] = ["UNAUTHENTICATED", "FORBIDDEN", "QUOTA_EXCEEDED"];
/** Code of a guest that was turned away. */
const guests: readonly ErrorCode[] = [
  "PARSE_FAILED",
  "COMPILE_FAILED",
  "SECURITY_REJECTED",
  "LOAD_FAILED",
  "MIGRATION_FAILED",
  "VERIFY_FAILED",
  "GUEST_FAILED",
];
const limited: readonly FailureKind[] = [
  "timeout",
  "cpu",
  "fuel",
  "memory",
  "queue-overflow",
  "process-limit",
  "output-limit",
];
/** Not the guest's doing. */
const circumstances: readonly FailureKind[] = ["cancelled", "cell-lost", "not-running"];

export function exitCodeOfError(error: VivariumError): number {
  if (mistakes.includes(error.code)) return exitCodes.mistake;
  if (refusals.includes(error.code)) return exitCodes.refused;
  if (!guests.includes(error.code)) return exitCodes.failed;
  const failure = "failure" in error ? (error.failure as GuestFailure | undefined) : undefined;
  return failure === undefined ? exitCodes.guestFailed : exitCodeOfFailure(failure.kind);
}

/** Of a run that failed. Other kinds than a run's, such as those of an evaluation, are the guest's failure. */
export function exitCodeOfFailure(kind: string): number {
  if ((limited as readonly string[]).includes(kind)) return exitCodes.guestLimited;
  return (circumstances as readonly string[]).includes(kind) ? exitCodes.failed : exitCodes.guestFailed;
}
