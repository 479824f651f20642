// Whom it concerns what a cell reports.
import type { Death } from "../../execution/cell.ts";
import type {
  DoneItem,
  HeapSample,
  LogReport,
  Report,
  ChangedStates,
} from "../../execution/protocol/messages.ts";
import type { LoadTicket, RunTicket, Ticket } from "../runs/ticket.ts";
import type { CellQueue } from "./cell-queue.ts";

export interface QueueListener {
  onRunDone(ticket: RunTicket, item: DoneItem): void;
  onLoadDone(ticket: LoadTicket, item: DoneItem): void;
  onHeap(queue: CellQueue, sample: HeapSample): void;
  /** States of processes changed; what comes with them is told when they are kept. */
  onStates(queue: CellQueue, states: readonly ChangedStates[]): Promise<void>;
  onRequest(queue: CellQueue, ticket: Ticket | undefined, report: Extract<Report, { t: "request" }>): void;
  onProcess(queue: CellQueue, report: Extract<Report, { t: "process" }>): void;
  onLog(queue: CellQueue, ticket: Ticket | undefined, report: LogReport): void;
  onBackground(queue: CellQueue, report: Extract<Report, { t: "background" }>): void;
  onDeath(queue: CellQueue, death: Death): void;
}
