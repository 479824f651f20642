// What follows from the loss of an isolate that several sandboxes share.
import { isOfOthers, type CellVerdict } from "../../execution/protocol/messages.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { FaultRecord } from "../cells/fault-record.ts";
import type { Place } from "./ticket.ts";

/** The end of a run that another sandbox took along and that may not be repeated. */
export const displacedFailure: GuestFailure = {
  kind: "cell-lost",
  message:
    "Cannot tell the result as another sandbox ended the isolate that they share and the run may not be repeated",
};

/** Whoever costs an isolate that others share has its own from then on. True where the memory may have been that of others. */
export function noteSharedLoss(
  faults: Pick<FaultRecord, "noteSharedLoss">,
  place: Place | undefined,
  verdict: CellVerdict,
): boolean {
  if (place?.isShared !== true || isOfOthers(verdict)) return false;
  if (verdict === "sliced" || verdict === "cancelled") return false;
  faults.noteSharedLoss();
  return verdict === "memory";
}
