// Reads outcomes in tests: the value or the failure, with the other one told in full when it comes instead.
import assert from "node:assert/strict";
import type { Failure, FailureKind, GuestFailure, LimitName, Outcome } from "../../src/index.ts";
import { show } from "../../src/model/show.ts";

/** The value of an outcome that must be a success. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  assert.fail(`the run failed: ${outcome.error.kind}: ${outcome.error.message}`);
}

/** The failure of an outcome that must be one. */
export function failureOf(outcome: Outcome): GuestFailure {
  if (!outcome.ok) return outcome.error;
  assert.fail(`the run succeeded with ${show(outcome.value)}`);
}

/** Asserts how a run failed, and by which limit. */
export function assertFailed(
  outcome: Outcome,
  kind: FailureKind,
  limit?: LimitName,
): asserts outcome is Failure {
  const error = failureOf(outcome);
  assert.deepEqual(
    { kind: error.kind, limit: error.limit },
    { kind, limit },
    `expected ${kind}, got ${error.kind}: ${error.message}`,
  );
}
