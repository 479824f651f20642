// What the queue of a cell passes on of what its cell reports.
import type { Death } from "../../execution/cell.ts";
import type {
  ChangedStates,
  DoneItem,
  HeapSample,
  LogReport,
  Report,
} from "../../execution/protocol/messages.ts";
import type { VivariumError } from "../../model/errors.ts";
import type { LoadTicket, RunTicket, Ticket } from "../runs/ticket.ts";

/** Is informed of what a cell reports. */
export interface QueueListener<Queue> {
  onRunDone(ticket: RunTicket, item: DoneItem): void;
  onLoadDone(ticket: LoadTicket, item: DoneItem): void;
  onHeap(queue: Queue, sample: HeapSample): void;
  /** States of processes changed. Resolves when they are stored; what came with them is reported after that. */
  onStates(queue: Queue, states: readonly ChangedStates[]): Promise<void>;
  onRequest(queue: Queue, ticket: Ticket | undefined, report: Extract<Report, { t: "request" }>): void;
  onProcess(queue: Queue, report: Extract<Report, { t: "process" }>): void;
  onLog(queue: Queue, ticket: Ticket | undefined, report: LogReport): void;
  onBackground(queue: Queue, report: Extract<Report, { t: "background" }>): void;
  onDeath(queue: Queue, death: Death): void;
}

/** Passes on how a ticket ended, where there is one. */
export function passEnd(
  listener: Pick<QueueListener<never>, "onRunDone" | "onLoadDone">,
  ticket: Ticket | undefined,
  item: DoneItem | undefined,
): void {
  if (ticket === undefined || item === undefined) return;
  if (ticket.kind === "run") listener.onRunDone(ticket, item);
  else if (ticket.kind === "load") listener.onLoadDone(ticket, item);
  else ticket.settle({ item });
}

export interface PoolListener<Q> extends QueueListener<Q> {
  /** A cell can take sandboxes. */
  onReady(): void;
  /** No cell will be started for a while. */
  onUnavailable(error: VivariumError): void;
}
