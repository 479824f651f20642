// Pure: what a cell's report is worth: whether it cannot be, and whether it is an ordinary answer.
import { unendedEntry, type DoneItem } from "../../execution/protocol/messages.ts";
import { mayHaveBefore } from "../runs/series.ts";
import type { Ticket } from "../runs/ticket.ts";

export function isLie(ticket: Ticket, item: DoneItem): boolean {
  // Only a slice can be too short: a cell that says so of another lane would have the run sent again and again.
  if (item.verdict === "sliced") return ticket.lane !== "slice";
  if (item.verdict === "spared") return ticket.kind === "control" || ticket.lane === "async";
  // Only who shares an isolate can have lost it by another.
  if (item.verdict === "neighbour") return ticket.place?.isShared !== true;
  return !mayHaveBefore(ticket, item);
}

/** Whether it changes nothing but that a run has ended: a guest answered, and its isolate is there; or nobody waits for it. */
export function isOrdinary(ticket: Ticket | undefined, { verdict, isLost }: DoneItem): boolean {
  return ticket === undefined || (ticket.kind === "run" && verdict === "answered" && !isLost);
}

/** Why a cell is ended that says that it is poisoned. */
export function poisonCauseOf(why: string): "deadline" | "poisoned" {
  return why === unendedEntry ? "deadline" : "poisoned";
}
