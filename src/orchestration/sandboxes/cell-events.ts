// What cells report of one sandbox, and what is decided about it when its cell dies.
import type { Suspect } from "../../execution/cell.ts";
import type { CellVerdict, DoneItem, HeapSample } from "../../execution/protocol/messages.ts";
import type { LogLine } from "../../model/log-line.ts";
import type { Standing } from "../cells/fault-record.ts";
import { afterBackgroundCut } from "../runs/background.ts";
import type { LoadTicket, RunTicket } from "../runs/ticket.ts";
import { failWith, rebuild } from "./failure.ts";
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

  onLines(lines: readonly LogLine[]): void {
    for (const line of lines) this.#state.account.logs.push(line);
  }

  /** States of its processes changed: they are kept before what goes with them is told. */
  async onStates(capture: string): Promise<void> {
    const { checkpoint, persistence, life } = this.#state;
    if (!life.mayBeAssigned) return;
    checkpoint.take(capture);
    // A new sandbox is kept as a whole when it is loaded.
    if (life.status === "creating" && !persistence.isKept) return;
    try {
      await persistence.saveState();
    } catch (error) {
      const message = `Cannot go on as the states of its processes could not be kept: ${String(error)}`;
      failWith(this.#state, { kind: "crashed", message }, { isBlameless: true });
    }
  }

  /** A timer's turn was cut, and maybe cost the sandbox its isolate. */
  onBackgroundCut(verdict: CellVerdict, isLost: boolean): void {
    const { sandbox, life, account, assignment, shared } = this.#state;
    if (!life.mayBeAssigned) return;
    // Its load went well and is being told of: it is given another isolate then.
    if (life.status === "creating") return isLost ? assignment.lose("isolate") : undefined;
    const after = afterBackgroundCut(verdict, account.backgroundCutsMs, shared.clock.monotonic());
    account.backgroundCutsMs = after.cutsMs;
    shared.bus.emit("sandbox.killed", { sandboxId: sandbox.id, reason: after.reason });
    if (after.failure !== undefined) return void failWith(this.#state, after.failure);
    if (!isLost) return;
    assignment.lose("isolate");
    rebuild(this.#state, after.reason);
  }

  /** Its cell is gone. */
  onCellLost(): void {
    this.#state.assignment.lose("cell");
  }

  /** It stands again, where it lost its isolate with its cell. */
  standAgain(reason: string): void {
    rebuild(this.#state, reason);
  }

  /** The cell says that its isolate is gone: it stands again from the revision that is current now. */
  onIsolateLost(reason: string): void {
    this.#state.assignment.lose("isolate");
    rebuild(this.#state, reason);
  }

  /** Its isolate does not run what it should: it stands again from the revision that is current now. */
  replaceIsolate(reason: string): void {
    const { assignment, runs } = this.#state;
    runs.hold(assignment.release());
    rebuild(this.#state, reason);
  }

  /** It brought down its cell. */
  convict(): Standing {
    this.#state.record.convict();
    return this.#state.record.standing;
  }

  /** It may have brought down its cell; false where more is known of it already. */
  suspect(): boolean {
    return this.#state.record.suspect();
  }

  /** Its load begins again, as its cell died under it. */
  loadAgain(isAlone: boolean): void {
    if (isAlone) this.#state.record.suspect();
    this.#state.assignment.loadAgain(isAlone);
  }

  /** A run begins again, as its cell died under it. */
  runAgain(ticket: RunTicket, isAlone: boolean): void {
    if (isAlone) this.#state.record.suspect();
    ticket.deaths++;
    // Alone there is nobody who would profit from a slice.
    ticket.needsOwnLane ||= isAlone;
    this.#state.runs.again(ticket);
  }

  /** A run that the dead cell had not begun goes where the sandbox is next. */
  redirect(ticket: RunTicket): void {
    this.#state.runs.again(ticket);
  }

  /** Its cell is wanted for another: it loses what it has in variables, and that is told. */
  evict(): void {
    const { assignment, runs } = this.#state;
    runs.hold(assignment.unassign());
    rebuild(this.#state, "evicted");
  }

  /** One operation holds the main lane of its cell: where it has nothing to lose, it goes on in another. */
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

// On the main lane operations begin in the order in which they were sent. What has begun may only be done again where its
// caller said so, and it asked for nothing yet.
function mayMove(ticket: RunTicket, holder: Suspect): boolean {
  // One that was moved before would go back and forth between cells that are held.
  if (ticket.lane === "async" || ticket.hasMoved) return false;
  if (ticket.maySafelyRepeat) return true;
  const isSent = ticket.place?.queue.has(ticket) === true;
  return ticket.pendingSinceMs === undefined && (!isSent || (holder.op > 0 && ticket.op > holder.op));
}
