// Pure: what a cell says of a load or a reload → how it failed, as the guest's failure.
import type { DoneItem } from "../../execution/protocol/messages.ts";
import { answerTags } from "../../model/runs/answer-tags.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { memoryFailure, processLimitFailure, thrownFailure } from "../runs/outcome-of.ts";
import type { SandboxView } from "../sandbox-view.ts";

/** How a load or reload failed, from what the cell says of it; undefined when it did not. */
export function loadFailure(sandbox: SandboxView, item: DoneItem): GuestFailure | undefined {
  const { loadMs, memoryBytes } = sandbox.limits;
  switch (item.verdict) {
    case "answered":
      return answeredFailure(sandbox, String(item.answer));
    case "memory":
      return memoryFailure(memoryBytes);
    case "output":
      return {
        kind: "output-limit",
        limit: "outputBytes",
        message: `Cannot write more than outputBytes, ${sandbox.limits.outputBytes}, while loading`,
      };
    default:
      return {
        kind: "timeout",
        limit: "loadMs",
        message: `Cannot load within loadMs, ${loadMs}: the top level was still running`,
      };
  }
}

function answeredFailure(sandbox: SandboxView, answer: string): GuestFailure | undefined {
  if (answer[0] === "V") return undefined;
  if (answer[0] === answerTags.processLimit) return processLimitFailure(sandbox);
  if (answer[0] === answerTags.unmigrated) return unmigrated(sandbox, answer);
  if (answer[0] !== answerTags.never) return thrownFailure(sandbox, answer);
  const message =
    "Cannot finish loading as a top-level await must be able to settle: it has nothing left to wait for";
  return { kind: "timeout", limit: "loadMs", message };
}

// Its message says which server's state it is, and what was thrown.
function unmigrated(sandbox: SandboxView, answer: string): GuestFailure {
  const failure = thrownFailure(sandbox, answer);
  return { ...failure, message: failure.thrown?.message ?? failure.message };
}
