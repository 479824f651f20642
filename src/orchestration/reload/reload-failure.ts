// Pure: how a step of a reload failed, and whether by its own fault or because its isolate was lost.
import { answerTags } from "../../model/runs/answer-tags.ts";
import { isOfOthers, type DoneItem } from "../../execution/protocol/messages.ts";
import { LoadError, SandboxNotRunningError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { Decision } from "../cells/death.ts";
import { loadFailure } from "../cells/load-failure.ts";
import type { ControlResult } from "../runs/ticket.ts";
import type { SandboxView } from "../sandbox-view.ts";

/** Whether a step failed only because the isolate was lost. */
export function isOfLoss(error: unknown): boolean {
  if (error instanceof LoadError) return error.failure?.kind === "cell-lost";
  return error instanceof SandboxNotRunningError;
}

/** How the evaluation failed: not at all, so that it can be tried again, or by the guest's fault. */
export function failureOf(sandbox: SandboxView, result: ControlResult): GuestFailure | "again" | undefined {
  if (result.item === undefined) return failureOfDeath(sandbox, result.decision);
  return isOfOthers(result.item.verdict) ? "again" : loadFailure(sandbox, result.item satisfies DoneItem);
}

function failureOfDeath(sandbox: SandboxView, decision: Decision | undefined): GuestFailure | "again" {
  if (decision === undefined || decision.do !== "end") return "again";
  const { loadMs } = sandbox.limits;
  if (decision.kind === "cell-lost") return "again";
  return {
    kind: decision.kind,
    message: `Cannot finish within loadMs, ${loadMs}, or its other limits: its cell was killed`,
  };
}

export function phaseOf({ item }: ControlResult): "migrate" | "evaluate" {
  return String(item?.answer ?? "").startsWith(answerTags.unmigrated) ? "migrate" : "evaluate";
}

export function reloadError(
  sandbox: SandboxView,
  failure: GuestFailure | "again",
  phase: "migrate" | "evaluate",
): LoadError {
  const at = { phase, sandboxId: sandbox.id } as const;
  if (failure === "again") {
    const message = `Cannot reload sandbox "${sandbox.id}" as its cell was lost each time`;
    return new LoadError(message, { ...at, failure: { kind: "cell-lost", message } });
  }
  return new LoadError(`Cannot reload sandbox "${sandbox.id}": ${failure.message}`, { ...at, failure });
}
