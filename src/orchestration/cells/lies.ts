// Pure: what a cell's report of a ticket is worth: whether it cannot be, and whether it is an ordinary answer.
import type { DoneItem } from "../../execution/protocol/messages.ts";
import { mayHaveBefore } from "../runs/series.ts";
import type { Ticket } from "../runs/ticket.ts";

export function isLie(ticket: Ticket, item: DoneItem): boolean {
  // Only a slice can be too short: a cell that says so of another lane would have the run sent again and again.
  if (item.verdict === "sliced") return ticket.lane !== "slice";
  if (item.verdict === "spared") return ticket.kind === "control" || ticket.lane === "async";
  return !mayHaveBefore(ticket, item);
}

/** Whether a guest answered, and its isolate is there. */
export function isAnswered({ verdict, isLost }: DoneItem): boolean {
  return verdict === "answered" && !isLost;
}
