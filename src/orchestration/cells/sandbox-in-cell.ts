// A sandbox as the cell that it is in sees it: what decides about its cell, and what it does about what its cell reports.
import type { Suspect } from "../../execution/cell.ts";
import type { CellVerdict, HeapSample, Lane } from "../../execution/protocol/messages.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { Placement } from "../../model/sandboxes/placement.ts";
import type { TicketEvents, TicketSandbox, RunTicket } from "../runs/ticket.ts";
import type { FaultLevel } from "./fault-record.ts";

export interface SandboxInCell extends TicketSandbox {
  /** Its number among all sandboxes of the runtime. */
  readonly key: number;
  readonly placement: Placement;
  readonly mayBeAssigned: boolean;
  /** The lane on which its modules are loaded. */
  readonly loadLane: Lane;
  /** The same for all sandboxes that have the same code. */
  readonly codeKey: string;
  /** It may not share a cell. */
  readonly isQuarantined: boolean;
  /** No other sandbox may have its cell now: it is being loaded, has runs, or is being changed. */
  readonly isBusy: boolean;
  readonly cellEvents: SandboxCellEvents;
}

export interface SandboxCellEvents extends TicketEvents {
  onSample(sample: HeapSample): void;
  onLines(lines: readonly LogLine[], run: RunTicket | undefined): void;
  /** States of its processes changed. Resolves when they are stored. */
  onStates(capture: string): Promise<void>;
  /** A timer's turn was cut, and maybe cost the sandbox its isolate. */
  onBackgroundCut(verdict: CellVerdict, isLost: boolean): void;
  onCellLost(): void;
  /** It is loaded again, where it lost its isolate with its cell. */
  rebuild(reason: string): void;
  /** It brought down its cell. */
  noteFault(): FaultLevel;
  /** It may have brought down its cell; false where it is a suspect or worse already. */
  noteSuspicion(): boolean;
  /** Its cell is wanted for another sandbox: it loses what it has in variables. */
  evict(): void;
  /** One operation holds the main lane of its cell: where it has nothing to lose, it continues in another. */
  moveAway(holder: Suspect): void;
}
