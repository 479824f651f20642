// Outcomes of runs that no cell ever had.
import type { Failure, GuestFailure } from "../../model/runs/outcome.ts";
import { unusedAfter } from "../../model/runs/usage.ts";
import type { CutReason } from "../../orchestration/evaluation/batch.ts";

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
