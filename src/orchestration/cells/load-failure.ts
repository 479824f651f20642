// Pure: what a cell says of a load or a reload → how it failed, as the guest's failure.
import type { DoneItem } from "../../execution/protocol/messages.ts";
import { answerLetters } from "../../model/answer-letters.ts";
import type { GuestFailure } from "../../model/outcome.ts";
import { memoryFailure, processLimitFailure, thrownFailure } from "../runs/outcome-of.ts";
import type { Resident } from "../sandboxes/resident.ts";

/** How a load or reload failed, from what the cell says of it; undefined when it did not. */
export function loadFailure(resident: Resident, item: DoneItem): GuestFailure | undefined {
  const { loadMs, memoryBytes } = resident.limits;
  switch (item.verdict) {
    case "answered":
      return answeredFailure(resident, String(item.answer));
    case "memory":
      return memoryFailure(memoryBytes);
    case "output":
      return {
        kind: "output-limit",
        limit: "outputBytes",
        message: `Cannot write more than outputBytes, ${resident.limits.outputBytes}, while loading`,
      };
    default:
      return {
        kind: "timeout",
        limit: "loadMs",
        message: `Cannot load within loadMs, ${loadMs}: the top level was still running`,
      };
  }
}

function answeredFailure(resident: Resident, answer: string): GuestFailure | undefined {
  if (answer[0] === "V") return undefined;
  if (answer[0] === answerLetters.processLimit) return processLimitFailure(resident);
  if (answer[0] === answerLetters.unmigrated) return unmigrated(resident, answer);
  if (answer[0] !== answerLetters.never) return thrownFailure(resident, answer);
  const message =
    "Cannot finish loading as a top-level await must be able to settle: it has nothing left to wait for";
  return { kind: "timeout", limit: "loadMs", message };
}

// The message says whose state it is, and what was thrown.
function unmigrated(resident: Resident, answer: string): GuestFailure {
  const failure = thrownFailure(resident, answer);
  return { ...failure, message: failure.thrown?.message ?? failure.message };
}
