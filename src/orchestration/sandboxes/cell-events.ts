// What one sandbox does about what its cell reports, and about the death of its cell.
import type { Suspect } from "../../execution/cell.ts";
import type { CellVerdict, DoneItem, HeapSample } from "../../execution/protocol/messages.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { FaultLevel } from "../cells/fault-record.ts";
import { afterBackgroundCut } from "../runs/background.ts";
import type { AgainHow, LoadTicket, RunTicket } from "../runs/ticket.ts";
import { failWith, rebuild } from "./operations/failure.ts";
import type { OwnCellEvents, SandboxState } from "./state.ts";

export class CellEvents implements OwnCellEvents {
  readonly #state: SandboxState;

  constructor(state: SandboxState) {
    this.#state = state;
  }

  onRunDone(ticket: RunTicket, item: DoneItem): void {
    this.#state.runs.onDone(ticket, item);
  }

  onLoadDone(ticket: LoadTicket, item: DoneItem): void {
    this.#state.assignment.onLoadDone(ticket, item);
  }

  onSample(sample: HeapSample): void {
    this.#state.account.noteSample(sample);
  }

  onLines(lines: readonly LogLine[], run: RunTicket | undefined): void {
    for (const line of lines) this.#state.account.noteLine(line, run);
  }

  async onStates(capture: string): Promise<void> {
    const { checkpoint, persistence, life } = this.#state;
    if (!life.mayBeAssigned) return;
    checkpoint.take(capture);
    // A new sandbox is stored as a whole when it is loaded.
    if (life.status === "creating" && !persistence.isStored) return;
    try {
      await persistence.saveState();
      // An earlier one was refused.
      if (!life.mayBeAssigned) checkpoint.replace(persistence.storedStates);
    } catch (error) {
      this.#onStatesRefused(error);
    }
  }

  // Nobody gets an answer that is not stored: it begins again with the states that are.
  #onStatesRefused(error: unknown): void {
    const { checkpoint, persistence, assignment } = this.#state;
    const message = `Cannot go on as the states of its processes could not be stored: ${String(error)}`;
    // Its load was in vain, by no fault of its code.
    if (assignment.isLoading) assignment.failLoad(error as Error);
    else failWith(this.#state, { kind: "crashed", message }, { isBlameless: true });
    checkpoint.replace(persistence.storedStates);
  }

  onBackgroundCut(verdict: CellVerdict, isLost: boolean): void {
    const { sandbox, life, account, assignment, shared } = this.#state;
    if (!life.mayBeAssigned) return;
    // Its load has succeeded and is being reported: then it gets another isolate.
    if (life.status === "creating") return isLost ? assignment.lose("isolate") : undefined;
    if (verdict === "neighbour") return this.onIsolateLost("neighbour");
    if (isLost && assignment.place?.isShared === true) this.#state.faults.noteSharedLoss();
    const after = afterBackgroundCut(verdict, account.backgroundCutsMs, shared.clock.monotonic());
    account.backgroundCutsMs = after.cutsMs;
    shared.bus.emit("sandbox.killed", { sandboxId: sandbox.id, reason: after.reason });
    if (after.failure !== undefined) return void failWith(this.#state, after.failure);
    if (!isLost) return;
    assignment.lose("isolate");
    rebuild(this.#state, after.reason);
  }

  onCellLost(): void {
    this.#state.assignment.lose("cell");
  }

  rebuild(reason: string): void {
    rebuild(this.#state, reason);
  }

  onIsolateLost(reason: string): void {
    this.#state.assignment.lose("isolate");
    rebuild(this.#state, reason);
  }

  replaceIsolate(reason: string): void {
    const { assignment, runs } = this.#state;
    runs.hold(assignment.release());
    rebuild(this.#state, reason);
  }

  noteFault(): FaultLevel {
    return this.#state.faults.noteFault();
  }

  noteSuspicion(): boolean {
    return this.#state.faults.noteSuspicion();
  }

  loadAgain(how: AgainHow): void {
    if (how.isAlone) this.#state.faults.noteSuspicion();
    this.#state.assignment.loadAgain(how);
  }

  runAgain(ticket: RunTicket, { isAlone, needsOwnLane }: AgainHow): void {
    if (isAlone) this.#state.faults.noteSuspicion();
    ticket.deaths++;
    ticket.needsOwnLane ||= needsOwnLane;
    this.#state.runs.again(ticket);
  }

  redirect(ticket: RunTicket): void {
    this.#state.runs.again(ticket);
  }

  evict(): void {
    const { assignment, runs } = this.#state;
    runs.hold(assignment.unassign());
    rebuild(this.#state, "evicted");
  }

  moveAway(holder: Suspect): void {
    const { assignment, runs, operations } = this.#state;
    const { place } = assignment;
    if (place === undefined || operations.current !== undefined) return;
    const there = [...runs.all].filter((ticket) => ticket.place === place);
    const isFirst = there.some(({ wasPristine }) => wasPristine);
    if (!isFirst || !there.every((ticket) => mayMove(ticket, holder))) return;
    const { sent, waiting } = assignment.release();
    for (const ticket of [...sent, ...waiting]) {
      ticket.hasMoved = true;
      runs.again(ticket);
    }
  }
}

// On the main lane operations begin in the order in which they were sent. A run that has begun may be repeated only where its
// caller allowed it, and it asked the host for nothing yet.
function mayMove(ticket: RunTicket, holder: Suspect): boolean {
  // A run is moved once at most, so that it does not go back and forth between blocked cells.
  if (ticket.lane === "async" || ticket.hasMoved) return false;
  if (ticket.maySafelyRepeat) return true;
  const isSent = ticket.place?.queue.has(ticket) === true;
  return ticket.pendingSinceMs === undefined && (!isSent || (holder.op > 0 && ticket.op > holder.op));
}
