// The runs of one sandbox, each from its submission to its end: submitted, admitted by the sandbox's status, sent to the cell
// that the sandbox is in, reported on by the cell, settled exactly once.
import type { TimeInside } from "../../execution/cell.ts";
import type { DoneItem } from "../../execution/protocol/messages.ts";
import type { GuestFailure, Outcome } from "../../model/runs/outcome.ts";
import type { AssignedPlace, Assignment } from "../cells/assignment.ts";
import type { FaultRecord } from "../cells/fault-record.ts";
import type { Account } from "../sandboxes/account.ts";
import { lightMs } from "../../std/fair-turns.ts";
import { LinkedList } from "../../std/linked-list.ts";
import { admission } from "./admission.ts";
import { FirstRun } from "./first-run.ts";
import { chooseLane } from "./lane.ts";
import { outcomeOf } from "./outcome-of.ts";
import { usageOf, usageUntil } from "./run-usage.ts";
import { isUnknown, outcomesOf } from "./series.ts";
import { targetOf, type RunTable } from "./run-table.ts";
import { displacedFailure, noteSharedLoss } from "./shared-loss.ts";
import { countAnswer, needsItsIsolate, streamGone } from "./stream-steps.ts";
import { type Dropped, RunTicket, type RunSubmission, type TicketSandbox } from "./ticket.ts";

/** The parts of a sandbox that its runs need. */
export interface SandboxRunsParts {
  readonly sandbox: TicketSandbox;
  readonly assignment: Assignment;
  readonly account: Account;
  readonly faults: FaultRecord;
  readonly table: RunTable;
  /** A run cost the sandbox its isolate. */
  readonly onIsolateLost: (reason: string) => void;
  /** None of its runs is left, and its cell is reserved for it. */
  readonly onIdle: () => void;
  /** Whether the current call comes from the verification of the reload under way, which cannot wait for itself. */
  readonly isVerifying: () => boolean;
}

/** So often a run is sent again that came back without having begun. */
const returnsMax = 8;

export class SandboxRuns {
  readonly #parts: SandboxRunsParts;
  readonly #underway = new LinkedList<RunTicket>();
  readonly #first = new FirstRun();
  /** Runs that have not been sent to a cell. */
  #waiting: RunTicket[] = [];
  /** Called when no run is at a cell. */
  #onDrained: (() => void)[] = [];

  constructor(parts: SandboxRunsParts) {
    this.#parts = parts;
  }

  /** Accepted and not settled. */
  get size(): number {
    return this.#underway.size;
  }

  get all(): Iterable<RunTicket> {
    return this.#underway;
  }

  /** Accepts a run. Its `settle` is called exactly once, before or after this returns. */
  submit(submission: RunSubmission): RunTicket {
    const { sandbox, account, table, isVerifying } = this.#parts;
    const { bus } = table;
    const nowMs = table.clock.monotonic();
    const ticket = new RunTicket(sandbox, submission, { id: table.nextId(), submittedMs: nowMs });
    if (bus.hears("sandbox.run.start")) {
      const target = targetOf(submission.terms);
      bus.emit("sandbox.run.start", { sandboxId: sandbox.id, runId: ticket.id, target, seriesId: null });
    }
    account.lastUsedMs = nowMs;
    const isFull = table.underway.size >= table.runsMax;
    ticket.inSandbox = this.#underway.add(ticket);
    table.add(ticket);
    if (isFull) this.#refuseAsTooMany(ticket);
    else if (sandbox.status === "reloading" && !ticket.isPrivileged && isVerifying()) this.#refuse(ticket);
    else this.#dispatch(ticket);
    return ticket;
  }

  // Sends a run to the sandbox's cell, or lets it wait until the sandbox has a cell and its status admits runs.
  #dispatch(ticket: RunTicket): void {
    if (ticket.isSettled) return;
    // What it waited for inside an isolate is over.
    ticket.pendingSinceMs = undefined;
    const { sandbox, assignment } = this.#parts;
    const isPartOfReload = sandbox.status === "reloading" && ticket.isPrivileged;
    const admitted = isPartOfReload ? "send" : admission[sandbox.status];
    if (admitted === "refuse") return this.#refuse(ticket);
    const { place } = assignment;
    if (admitted === "send" && place !== undefined) return this.#send(ticket, place);
    if (admitted === "send" && needsItsIsolate(ticket)) return this.end(ticket, streamGone);
    this.#waiting.push(ticket);
    if (admitted === "wait") this.#resolveDrained();
    else assignment.assign();
  }

  #send(ticket: RunTicket, place: AssignedPlace): void {
    const { sandbox, assignment, account, table } = this.#parts;
    const nowMs = table.clock.monotonic();
    const isFirstAgain = ticket.isUnbegun && this.#first.isStill(ticket, place);
    ticket.isUnbegun = false;
    ticket.place = place;
    ticket.isUnproven = account.paces.pace === "unknown";
    ticket.quickInRow = account.paces.quickInRow;
    // Processes work on their own: an isolate that has them does not stay as it was loaded.
    const isPristine = (assignment.touch() || isFirstAgain) && sandbox.processes === null;
    ticket.wasPristine = isPristine;
    ticket.lane = ticket.needsOwnLane
      ? "async"
      : chooseLane({
          pace: account.paces.pace,
          meanMs: account.paces.meanMs,
          timeoutMs: ticket.terms.timeoutMs,
          isCpuBound: ticket.terms.cpuMs !== null || sandbox.limits.cpuPercent !== null,
          isPristine,
          isHeavy: account.service.at(nowMs) > lightMs,
          isMainLaneClosed: !place.queue.mainLane.isOpenTo(ticket.quickInRow, nowMs),
          slicesAreWasted: isPristine && table.slices.of(sandbox.placement).isWasted(nowMs),
        });
    this.#first.noteSent(ticket);
    place.queue.run(ticket);
  }

  /** A cell reports on a run. */
  onDone(ticket: RunTicket, item: DoneItem): void {
    const { assignment, account, faults, table, onIsolateLost } = this.#parts;
    const isLost = this.#isIsolateLost(ticket, item);
    const isDoubtful = isLost && noteSharedLoss(faults, ticket.place, item.verdict);
    if (isLost) assignment.lose("isolate");
    if (ticket.isSettled) {
      // Its caller has an outcome already; what its end did to the sandbox still counts.
      if (isLost) onIsolateLost(item.verdict);
      return;
    }
    if (item.verdict === "sliced") return this.#onSliceOver(ticket);
    if (item.verdict === "spared") return this.#onSpared(ticket);
    if (ticket.lane === "slice") table.slices.of(ticket.sandbox.placement).note(false);
    if (item.verdict === "gone") return this.#onReturned(ticket, isLost);
    if (item.verdict === "neighbour" || (isDoubtful && ticket.isRepeatable))
      return this.#onDisplaced(ticket, isLost);
    countAnswer(ticket, item);
    const isSeries = ticket.series !== undefined;
    const outcome = isSeries ? this.#onSeries(ticket, item) : outcomeOf(ticket, item);
    const usage = isSeries ? usageOf(ticket, item) : outcome.usage;
    const nowMs = table.clock.monotonic();
    account.noteRun(usage, { lane: ticket.lane, nowMs });
    if (!item.isLost) faults.noteGoodRun();
    this.#settle(ticket, outcome, nowMs);
    table.emitKilled(this.#parts.sandbox.id, item.verdict);
    if (isLost) onIsolateLost(item.verdict);
  }

  // The cases before the latest have their outcomes; the latest is that of the run.
  #onSeries(ticket: RunTicket, item: DoneItem): Outcome {
    const { before, last } = outcomesOf(ticket, item);
    this.#parts.account.noteCases(before.length);
    this.#parts.table.emitCases(ticket, before);
    if (isUnknown(ticket, item)) ticket.series?.onUnknown();
    else ticket.series?.onBefore(before);
    return last;
  }

  // A place that was replaced meanwhile is not lost. A loaded one of which the cell knows nothing is.
  #isIsolateLost({ place, isSettled }: RunTicket, item: DoneItem): boolean {
    if (place === undefined || place !== this.#parts.assignment.place) return false;
    return item.isLost || (item.verdict === "gone" && place.isLoaded && !isSettled);
  }

  // A slice was too short for it: it begins anew on a lane of its own.
  #onSliceOver(ticket: RunTicket): void {
    const { table, account } = this.#parts;
    table.slices.of(ticket.sandbox.placement).note(true);
    // It is known to be no short one, though not yet how long it is.
    account.service.add(lightMs, table.clock.monotonic());
    ticket.needsOwnLane = true;
    ticket.forgetLogs();
    this.#dispatch(ticket);
  }

  // It came back without having begun, as the main lane was held for long: it gets a lane of its own.
  #onSpared(ticket: RunTicket): void {
    ticket.needsOwnLane = true;
    ticket.isUnbegun = true;
    this.#dispatch(ticket);
  }

  // It came back without having begun.
  #onReturned(ticket: RunTicket, isLost: boolean): void {
    if (isLost) this.#parts.onIsolateLost("gone");
    if (needsItsIsolate(ticket)) return this.end(ticket, streamGone);
    if (++ticket.returns <= returnsMax) return this.#dispatch(ticket);
    this.end(ticket, {
      kind: "cell-lost",
      message: "Cannot run as the sandbox was lost each time before the run began",
    });
  }

  // Another sandbox in the same isolate has cost it.
  #onDisplaced(ticket: RunTicket, isLost: boolean): void {
    if (isLost) this.#parts.onIsolateLost("neighbour");
    if (ticket.isRepeatable && ++ticket.returns <= returnsMax) return this.again(ticket);
    this.end(ticket, displacedFailure);
  }

  #settle(ticket: RunTicket, outcome: Outcome, nowMs: number): void {
    const { account, assignment, table, onIdle } = this.#parts;
    table.delete(ticket);
    if (ticket.inSandbox !== undefined) this.#underway.remove(ticket.inSandbox);
    ticket.inSandbox = undefined;
    account.lastUsedMs = nowMs;
    this.#resolveDrained();
    ticket.settle(outcome);
    table.emitStop(ticket, outcome, nowMs);
    if (this.#underway.size === 0 && assignment.place?.queue.isReserved === true) onIdle();
  }

  /** Its cell died, or it is taken to another cell: it begins again. */
  again(ticket: RunTicket): void {
    ticket.forgetLogs();
    ticket.waitingSinceMs = this.#parts.table.clock.monotonic();
    this.#dispatch(ticket);
  }

  /** Ends a run from our side: its outcome is settled now, whatever the cell does with it. */
  end(ticket: RunTicket, failure: GuestFailure, inside?: TimeInside): void {
    if (ticket.isSettled) return;
    const { account, table } = this.#parts;
    const nowMs = table.clock.monotonic();
    const usage = usageUntil(nowMs, ticket, inside);
    ticket.place?.queue.withdraw(ticket);
    this.#waiting = this.#waiting.filter((other) => other !== ticket);
    account.noteTimes(usage);
    this.#settle(ticket, { ok: false, error: failure, usage, logs: ticket.logs }, nowMs);
  }

  endAll(failure: GuestFailure): void {
    for (const ticket of [...this.#underway]) this.end(ticket, failure);
  }

  /** The status admits no runs from here on: those that were not sent to the cell yet wait here again. */
  recall(): void {
    const { place } = this.#parts.assignment;
    if (place === undefined) return;
    const isUnsent = (ticket: RunTicket): boolean => ticket.place === place && !ticket.isPrivileged;
    this.#waiting.push(...place.queue.takeWaiting(isUnsent));
    this.#resolveDrained();
  }

  /** The status admits runs again, or there is a place: runs that waited are sent. */
  dispatchWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const ticket of waiting) this.#dispatch(ticket);
  }

  /**
   * The isolate was taken away: its runs wait for another one. Those that may have begun in it and may not be repeated end.
   */
  hold({ sent, waiting }: Dropped): void {
    for (const ticket of sent) {
      if (ticket.isRepeatable) continue;
      const message = "Cannot tell the result as the isolate was replaced and the run may not be repeated";
      this.end(ticket, { kind: "cell-lost", message });
    }
    const left = [...sent, ...waiting].filter(({ isSettled }) => !isSettled);
    for (const ticket of left) ticket.pendingSinceMs = undefined;
    this.#waiting.push(...left);
  }

  /** Resolves when no run is at a cell. The sandbox's status must hold back those that come meanwhile. */
  drain(): Promise<void> {
    if (this.#isDrained) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  get #isDrained(): boolean {
    return this.#underway.size <= this.#waiting.length;
  }

  #resolveDrained(): void {
    if (this.#onDrained.length === 0 || !this.#isDrained) return;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  #refuse(ticket: RunTicket): void {
    const { id, status } = this.#parts.sandbox;
    const { reason } = this.#parts.account;
    const why = reason === null ? "" : `: ${reason}`;
    const message = `Cannot call sandbox "${id}" as it must be running: it is ${status}${why}`;
    this.end(ticket, { kind: "not-running", message });
  }

  #refuseAsTooMany(ticket: RunTicket): void {
    const rule = `at most capacity.runs, ${this.#parts.table.runsMax}, may be under way: there are as many`;
    this.end(ticket, { kind: "cancelled", reason: "queue", message: `Cannot finish the run as ${rule}` });
  }
}
