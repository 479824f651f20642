// Runs that are steps of a stream: how they are counted, and how they end that are lost with their generator's isolate.
import type { DoneItem } from "../../execution/protocol/messages.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { RunTicket } from "./ticket.ts";

/** How a step ends that goes on with a generator which is not there any more. */
export const streamGone: GuestFailure = {
  kind: "cell-lost",
  message:
    "Cannot give the next part as the sandbox was loaded again since the last one: its generator is gone",
};

/** Whether a run goes on with what an earlier one left in its isolate, so that it means nothing in another. */
export function needsItsIsolate({ terms }: Pick<RunTicket, "terms">): boolean {
  return terms.stream !== undefined && terms.stream.verb !== "open";
}

/** Tells the stream how long an answer is. */
export function countAnswer({ terms }: Pick<RunTicket, "terms">, { answer }: DoneItem): void {
  if (typeof answer === "string") terms.stream?.onAnswer(Buffer.byteLength(answer));
}
