// One cell with what was sent to it and what waits for it: short runs in chunks, of long ones as many as it has lanes for.
import type { Cell, Death, Suspect } from "../../execution/cell.ts";
import type { Command, DoneItem, DoneReport, Report } from "../../execution/protocol/messages.ts";
import { MainLaneGuard } from "../../execution/main-lane.ts";
import type { Clock } from "../../std/clock.ts";
import { Barrier, partsOf } from "./barrier.ts";
import { freshHeapBytes, heldHeapBytes } from "./held-heap.ts";
import { InFlight } from "./in-flight.ts";
import { KeptLists } from "./kept-lists.ts";
import { isLie, isOrdinary, poisonCauseOf } from "./report-worth.ts";
import { passEnd, type QueueListener } from "./queue-listener.ts";
import { readLongValues, workBefore } from "./reading.ts";
import type { SandboxInCell } from "./sandbox-in-cell.ts";
import { QuickRuns } from "./quick-runs.ts";
import { SlowRuns } from "./slow-runs.ts";
import { boxLimitsOf, loadCommandOf, itemsOf, toRunGroups } from "../runs/cell-messages.ts";
import type { ControlTicket, Dropped, LoadTicket, PlaceQueue, RunTicket, Ticket } from "../runs/ticket.ts";

export interface CellQueueOptions {
  readonly clock: Clock;
  readonly asyncLanes: number;
  readonly nextOp: () => number;
  /** Called when the cell is sent something. */
  readonly onBusy: () => void;
}

/** A main lane held this long by one run is blocked. */
const blockedMs = 100;

export class CellQueue implements PlaceQueue {
  readonly cell: Cell;
  /** The sandboxes in it, by the numbers of their isolates. */
  readonly sandboxes: Map<number, SandboxInCell> = new Map();
  /** Reserved for one sandbox at a time. */
  isReserved = false;
  /** Whose sandboxes may be in it: null for those without an owner, undefined while none has been in it. */
  owner: string | null | undefined;
  isBlocked = false;
  readonly mainLane: MainLaneGuard = new MainLaneGuard();
  readonly #options: CellQueueOptions;
  readonly #listener: QueueListener<CellQueue>;
  readonly #inFlight = new InFlight();
  readonly #quick = new QuickRuns();
  readonly #slow = new SlowRuns();
  readonly #lists: KeptLists;
  #isFlushDue = false;
  readonly #keysToDrop: number[] = [];
  /** What the watchdog believes that the heaps in the cell hold. */
  #heapBytes = 0;
  /** When the cell reported something last. */
  #heardMs = 0;
  readonly #barrier: Barrier;

  constructor(cell: Cell, options: CellQueueOptions, listener: QueueListener<CellQueue>) {
    this.cell = cell;
    this.#options = options;
    this.#listener = listener;
    this.#barrier = new Barrier(options.clock);
    this.#lists = new KeptLists(cell);
  }

  get number(): number {
    return this.cell.number;
  }

  get inFlight(): number {
    return this.#inFlight.size + this.#quick.size + this.#slow.size;
  }

  has(ticket: RunTicket): boolean {
    return this.#inFlight.has(ticket);
  }

  load(ticket: LoadTicket, sandbox: SandboxInCell): void {
    this.cell.makeRoom(sandbox.limits);
    // At once: the isolate may be there before the next sample is read, and must not look like a guest's growth.
    this.#setHeapBytes(this.#heapBytes + freshHeapBytes);
    this.#register(ticket);
    this.cell.send(loadCommandOf(sandbox, ticket));
    this.#tellWatchdog();
  }

  /** Tells the watchdog what the heaps in the cell held at their latest samples. */
  updateHeapBytes(): void {
    this.#setHeapBytes(heldHeapBytes(this.sandboxes.values()));
  }

  #setHeapBytes(bytes: number): void {
    this.cell.setHeapBytes((this.#heapBytes = bytes));
  }

  run(ticket: RunTicket): void {
    ticket.level = 0;
    if (ticket.lane === "async") this.#slow.push(ticket);
    else this.#quick.push(ticket, this.#options.clock.monotonic());
    this.#flushSoon();
  }

  /** Sends a control operation. It ends without an answer where the sandbox is taken out of the cell, or the cell is gone. */
  control(ticket: ControlTicket, commandOf: (op: number) => Command): void {
    this.cell.send(commandOf(this.#register(ticket)));
    this.#tellWatchdog();
  }

  /** Pauses timers and processes of a sandbox, or lets them go on. */
  hold(key: number, isHeld: boolean): void {
    this.cell.send({ t: "hold", key, isHeld });
  }

  changeLimits(key: number, limits: SandboxInCell["limits"]): void {
    this.cell.makeRoom(limits);
    this.cell.send({ t: "limits", key, limits: boxLimitsOf(limits) });
  }

  answer(key: number, answer: Omit<Extract<Command, { t: "answer" }>, "t" | "key">): void {
    this.cell.send({ t: "answer", key, ...answer });
  }

  /** An isolate is gone: the cell can forget it. Operations that were in it are still reported. */
  forget(key: number): void {
    this.sandboxes.delete(key);
    this.#quick.forget(key);
    this.#keysToDrop.push(key);
    this.#flushSoon();
  }

  /** Takes a sandbox out of the cell, and returns its runs, whose reports are not awaited any more. */
  drop(key: number): Dropped {
    this.forget(key);
    const waiting = [...this.#quick.takeOf(key), ...this.#slow.takeOf(key)];
    const sent: RunTicket[] = [];
    for (const ticket of this.#inFlight.takeOf(key)) {
      if (ticket.kind === "run") sent.push(ticket);
      if (ticket.kind === "control") ticket.settle({ item: undefined, decision: undefined });
    }
    return { sent, waiting };
  }

  withdraw(ticket: RunTicket): void {
    if (this.has(ticket)) this.cell.send({ t: "cancel", key: ticket.place?.key ?? 0, op: ticket.op });
    else for (const runs of [this.#quick, this.#slow]) runs.remove(ticket);
  }

  /** Runs that wait here, oldest first. */
  takeWaiting(isTaken: (ticket: RunTicket) => boolean): RunTicket[] {
    return [...this.#quick.takeWhere(isTaken), ...this.#slow.takeWhere(isTaken)];
  }

  /** Notes whether one ticket holds the main lane for too long; returns which. */
  updateBlocked(): Suspect | undefined {
    const holder = this.#inFlight.quick > 0 ? this.cell.inMainLane() : undefined;
    this.isBlocked = holder !== undefined && this.#options.clock.monotonic() - holder.startedMs > blockedMs;
    return this.isBlocked ? holder : undefined;
  }

  /** Whether the cell owes an answer for longer than all bounds of the operation together. */
  isSilent(nowMs: number): boolean {
    return this.#inFlight.isAnyOverdue(nowMs, this.#heardMs);
  }

  hasAnswerTo(ticket: RunTicket): boolean {
    return this.#inFlight.answered.has(ticket.op);
  }

  get isBusy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Everything it had and everything that waited for it, when the cell is gone. */
  abandon(): { readonly sent: Ticket[]; readonly waiting: RunTicket[] } {
    const sent = this.#inFlight.all();
    this.#inFlight.clear();
    return { sent, waiting: this.takeWaiting(() => true) };
  }

  onReport(report: Report): void {
    this.#heardMs = this.#options.clock.monotonic();
    switch (report.t) {
      case "done":
        return this.#receive(report);
      case "pending":
        return this.#notePending(report.op, report.startedUs / 1_000);
      case "waiting":
        return this.#noteWaiting(report.op);
      case "log":
        return this.#listener.onLog(this, this.#inFlight.find(report.op), report);
      case "background":
        return this.#listener.onBackground(this, report);
      case "request":
        return this.#listener.onRequest(this, this.#inFlight.find(report.op), report);
      case "process":
        return this.#listener.onProcess(this, report);
      case "poisoned":
        return this.cell.kill(poisonCauseOf(report.why));
      case "ready":
    }
  }

  onDeath(death: Death): void {
    this.#barrier.afterAll(() => this.#listener.onDeath(this, death));
  }

  // States are stored, and long values read, before the answers that go with them are passed on.
  #receive(report: DoneReport): void {
    this.#inFlight.noteTraces(report.states);
    for (const sample of report.heaps) this.#listener.onHeap(this, sample);
    const readings = readLongValues(report, (op) => this.#inFlight.find(op));
    if (report.states.length === 0 && readings.size === 0 && this.#barrier.isIdle)
      return this.#take(itemsOf(report));
    for (const [key, part] of partsOf(report, (op) => this.#inFlight.find(op)?.place?.key)) {
      const store = (): Promise<void> => this.#listener.onStates(this, part.states);
      for (const { op } of part.items) this.#inFlight.answered.add(op);
      this.#barrier.add(key, workBefore(part, readings, store), () => this.#take(part.items));
    }
  }

  // The cell gets the next short runs before these are settled; who gets a lane of its own depends on what these used.
  #take(items: readonly DoneItem[]): void {
    const tickets = items.map((item) => this.#leave(item));
    if (items.every((item, index) => isOrdinary(tickets[index], item)))
      this.#sendQuick(this.#options.clock.monotonic());
    for (let index = 0; index < items.length; index++) passEnd(this.#listener, tickets[index], items[index]);
    this.#flush();
  }

  // The ticket, no longer in flight. An answer to an operation that is not is dropped.
  #leave(item: DoneItem): Ticket | undefined {
    const ticket = this.#inFlight.find(item.op);
    if (this.#inFlight.answered.size > 0) this.#inFlight.answered.delete(item.op);
    const isLying = ticket !== undefined && isLie(ticket, item);
    if (isLying) this.cell.kill("protocol");
    if (ticket === undefined || isLying) return undefined;
    this.#inFlight.remove(ticket);
    const wallMs = item.wallUs / 1_000;
    const quickInRow = ticket.kind === "run" ? ticket.quickInRow : 0;
    if (ticket.kind === "run") this.#quick.noteEnd(ticket, wallMs, this.#heardMs);
    if (ticket.lane !== "async") this.mainLane.note(wallMs, quickInRow, this.#heardMs);
    return ticket;
  }

  // The run waits inside its isolate and holds no lane, so that another can be sent.
  #notePending(op: number, startedMs: number): void {
    const ticket = this.#inFlight.notePending(op, Math.min(startedMs, this.#heardMs));
    if (ticket === undefined) return;
    this.#quick.noteBack(ticket, this.#heardMs);
    this.#flush();
  }

  #noteWaiting(op: number): void {
    const ticket = this.#inFlight.noteWaiting(op);
    if (ticket !== undefined) this.#quick.noteAside(ticket);
    if (ticket !== undefined) this.#flush();
  }

  #flushSoon(): void {
    if (!this.#isFlushDue) queueMicrotask(() => this.#flush());
    this.#isFlushDue = true;
  }

  #flush(): void {
    this.#isFlushDue = false;
    // Those of one turn are one frame, and free their memory before anything else is begun.
    if (this.#keysToDrop.length > 0) this.cell.send({ t: "drop", keys: this.#keysToDrop.splice(0) });
    const nowMs = this.#options.clock.monotonic();
    this.#sendQuick(nowMs);
    const load = { lanes: this.#options.asyncLanes, byKey: this.#inFlight.slow };
    for (let next = this.#slow.take(load, nowMs); next !== undefined; next = this.#slow.take(load, nowMs))
      this.#send([next]);
    this.#tellWatchdog();
  }

  #sendQuick(nowMs: number): void {
    if (this.#quick.size === 0) return;
    const countMax = this.#quick.window.open(nowMs);
    for (;;) {
      const tickets = this.#quick.take(countMax, this.#inFlight.runs, nowMs);
      if (tickets.length === 0) break;
      this.#send(tickets);
    }
  }

  #send(tickets: readonly RunTicket[]): void {
    const nowMs = this.#options.clock.monotonic();
    for (const ticket of tickets) this.#inFlight.add(ticket, this.#options.nextOp(), nowMs);
    this.cell.send({ t: "run", groups: toRunGroups(tickets, (list) => this.#lists.numberOf(list)) });
  }

  #register(ticket: Ticket): number {
    const op = this.#options.nextOp();
    this.#inFlight.add(ticket, op, this.#options.clock.monotonic());
    return op;
  }

  #tellWatchdog(): void {
    this.cell.setInFlight(this.#inFlight.size);
    if (this.#inFlight.size > 0) this.#options.onBusy();
  }
}
