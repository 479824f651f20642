// The runs of one sandbox: admitted by its status, sent where it is, and settled exactly once.
import type { CellVerdict, DoneItem } from "../../execution/protocol/messages.ts";
import type { CancelReason, GuestFailure, Outcome } from "../../model/outcome.ts";
import type { Status } from "../../model/status.ts";
import { unusedAfter } from "../../model/usage.ts";
import type { KilledReason } from "../../observability/catalogue.ts";
import type { Assignment } from "../cells/assignment.ts";
import type { FaultRecord } from "../cells/fault-record.ts";
import type { Account } from "../sandboxes/account.ts";
import { chooseLane } from "./lane.ts";
import { outcomeOf } from "./outcome-of.ts";
import { targetOf, type RunTable } from "./run-table.ts";
import { type Dropped, RunTicket, type RunSubmission, type TicketSandbox } from "./ticket.ts";

/** The parts of the sandbox that its runs have to do with. */
export interface SandboxRunsParts {
  readonly sandbox: TicketSandbox;
  readonly assignment: Assignment;
  readonly account: Account;
  readonly record: FaultRecord;
  readonly table: RunTable;
  /** A run cost the sandbox its isolate. */
  readonly onIsolateLost: (reason: string) => void;
  /** None of its runs is left. */
  readonly onIdle: () => void;
  /** Whether whoever asks at this moment is the verification of the reload that is under way: it cannot wait for itself. */
  readonly isVerifying: () => boolean;
}

const returnsMax = 8;

/** What becomes of a run that is submitted: it goes in, waits, or is refused. One that belongs to a reload goes in with it. */
const admission: Readonly<Record<Status, "enter" | "wait" | "refuse">> = {
  creating: "wait",
  running: "enter",
  reloading: "wait",
  suspended: "wait",
  failed: "refuse",
  stopping: "refuse",
  stopped: "refuse",
};

export class SandboxRuns {
  readonly #parts: SandboxRunsParts;
  readonly #underway = new Set<RunTicket>();
  /** The one that was sent first to the isolate that there is now. */
  #first: RunTicket | undefined;
  /** Those that are not at a cell. */
  #waiting: RunTicket[] = [];
  /** Who waits until none of them is at a cell. */
  #onDrained: (() => void)[] = [];

  constructor(parts: SandboxRunsParts) {
    this.#parts = parts;
  }

  /** Accepted and not settled. */
  get size(): number {
    return this.#underway.size;
  }

  get all(): ReadonlySet<RunTicket> {
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
      bus.emit("sandbox.run.start", { sandboxId: sandbox.id, runId: ticket.id, target });
    }
    account.lastUsedMs = nowMs;
    const isFull = table.underway.size >= table.runsMax;
    this.#underway.add(ticket);
    table.add(ticket);
    if (isFull)
      this.cancel(
        ticket,
        "queue",
        `at most capacity.runs, ${table.runsMax}, may be under way: there are as many`,
      );
    else if (sandbox.status === "reloading" && !ticket.isPrivileged && isVerifying()) this.#refuse(ticket);
    else this.dispatch(ticket);
    return ticket;
  }

  /** Sends a run to the sandbox's cell, or lets it wait until the sandbox has one and may be entered. */
  dispatch(ticket: RunTicket): void {
    if (ticket.isSettled) return;
    // What it waited for inside an isolate is over.
    ticket.pendingSinceMs = undefined;
    const { sandbox, assignment, account, table } = this.#parts;
    const { status } = sandbox;
    const isPartOfReload = status === "reloading" && ticket.isPrivileged;
    const admitted = isPartOfReload ? "enter" : admission[status];
    if (admitted === "refuse") return this.#refuse(ticket);
    const { place } = assignment;
    if (place === undefined || admitted === "wait") {
      this.#waiting.push(ticket);
      if (admitted === "wait") this.#tellDrained();
      else assignment.assign();
      return;
    }
    ticket.place = place;
    // Processes live on their own: a sandbox that has them is never as it was loaded.
    const isPristine = assignment.touch() && sandbox.processes === null;
    ticket.wasPristine = isPristine;
    ticket.lane = ticket.needsOwnLane
      ? "async"
      : chooseLane({
          pace: account.paces.pace,
          timeoutMs: ticket.terms.timeoutMs,
          isCpuBound: ticket.terms.cpuMs !== null || sandbox.limits.cpuPercent !== null,
          isPristine,
          slicesAreWasted: isPristine && table.slices.isWasted(),
        });
    this.#noteOrder(ticket);
    place.queue.run(ticket);
  }

  // Those on the main lane begin in the order of sending; which of two on different lanes is first, nobody knows.
  #noteOrder(ticket: RunTicket): void {
    const first = this.#first;
    if (ticket.wasPristine) this.#first = ticket;
    else if (first !== undefined && first.place === ticket.place) {
      if (first.lane === "async" || ticket.lane === "async") first.wasPristine = false;
    }
  }

  /** The sandbox may not be entered from here on: what was not sent yet waits here again. */
  recall(): void {
    const { place } = this.#parts.assignment;
    if (place === undefined) return;
    const isUnsent = (ticket: RunTicket): boolean => ticket.place === place && !ticket.isPrivileged;
    this.#waiting.push(...place.queue.takeWaiting(isUnsent));
    this.#tellDrained();
  }

  /** What waited may go in now. */
  dispatchWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const ticket of waiting) this.dispatch(ticket);
  }

  /** A cell reports on a run. */
  onDone(ticket: RunTicket, item: DoneItem): void {
    const { assignment, account, record, table, onIsolateLost } = this.#parts;
    const isLost = this.#isIsolateLost(ticket, item);
    if (isLost) assignment.lose("isolate");
    if (ticket.isSettled) {
      // Its caller was told already; what its end did to the sandbox still counts.
      if (isLost) onIsolateLost(item.verdict);
      return;
    }
    if (item.verdict === "sliced") return this.onSliceOver(ticket);
    if (ticket.lane === "slice") table.slices.note(false);
    if (item.verdict === "gone") return this.#returned(ticket, isLost);
    const outcome = outcomeOf(ticket, item);
    account.noteRun(outcome.usage, ticket.lane);
    if (!item.isLost) record.clear();
    this.#settle(ticket, outcome);
    this.#tellKilled(item.verdict);
    if (isLost) onIsolateLost(item.verdict);
  }

  /** A slice was too short for it: it begins anew on a lane of its own. */
  onSliceOver(ticket: RunTicket): void {
    this.#parts.table.slices.note(true);
    ticket.needsOwnLane = true;
    ticket.forgetLogs();
    this.dispatch(ticket);
  }

  /** Its cell died, or it is taken to another: it begins again. */
  again(ticket: RunTicket): void {
    ticket.forgetLogs();
    ticket.waitingSinceMs = this.#parts.table.clock.monotonic();
    this.dispatch(ticket);
  }

  /**
   * The isolate was taken away: its runs wait for another one, but for those that may have begun in it and must not begin
   * again.
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

  /** Ends a run from our side: its outcome is settled now, whatever the cell does with it. */
  end(ticket: RunTicket, failure: GuestFailure): void {
    if (ticket.isSettled) return;
    ticket.place?.queue.withdraw(ticket);
    this.#waiting = this.#waiting.filter((other) => other !== ticket);
    const usage = unusedAfter(this.#parts.table.clock.monotonic() - ticket.submittedMs);
    this.#settle(ticket, { ok: false, error: failure, usage, logs: ticket.logs });
  }

  cancel(ticket: RunTicket, reason: CancelReason, why: string): void {
    this.end(ticket, { kind: "cancelled", reason, message: `Cannot finish the run as ${why}` });
  }

  endAll(failure: GuestFailure): void {
    for (const ticket of [...this.#underway]) this.end(ticket, failure);
  }

  /** Resolves when no run is at a cell; those that come meanwhile must be held back by the sandbox's status. */
  drain(): Promise<void> {
    if (this.#isDrained) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  get #isDrained(): boolean {
    return this.#underway.size <= this.#waiting.length;
  }

  // A place that was replaced meanwhile is not lost. One that was loaded, and of which the cell knows nothing, is.
  #isIsolateLost({ place, isSettled }: RunTicket, item: DoneItem): boolean {
    if (place === undefined || place !== this.#parts.assignment.place) return false;
    return item.isLost || (item.verdict === "gone" && place.isLoaded && !isSettled);
  }

  #returned(ticket: RunTicket, isLost: boolean): void {
    if (isLost) this.#parts.onIsolateLost("gone");
    if (++ticket.returns <= returnsMax) return this.dispatch(ticket);
    this.end(ticket, {
      kind: "cell-lost",
      message: "Cannot run as the sandbox was lost each time before the run began",
    });
  }

  #settle(ticket: RunTicket, outcome: Outcome): void {
    const { sandbox, account, table, onIdle } = this.#parts;
    const nowMs = table.clock.monotonic();
    table.delete(ticket);
    this.#underway.delete(ticket);
    account.lastUsedMs = nowMs;
    this.#tellDrained();
    ticket.settle(outcome);
    table.bus.emit("sandbox.run.stop", {
      sandboxId: sandbox.id,
      runId: ticket.id,
      target: targetOf(ticket.terms),
      cell: ticket.place?.queue.number ?? null,
      durationMs: nowMs - ticket.submittedMs,
      result: outcome.ok ? "ok" : outcome.error.kind,
      usage: outcome.usage,
    });
    if (this.#underway.size === 0) onIdle();
  }

  #tellDrained(): void {
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

  #tellKilled(verdict: CellVerdict): void {
    const reason = killedReasons[verdict];
    if (reason === undefined) return;
    this.#parts.table.bus.emit("sandbox.killed", { sandboxId: this.#parts.sandbox.id, reason });
  }
}

const killedReasons: Partial<Record<CellVerdict, KilledReason>> = {
  timeout: "timeout",
  cpu: "cpu",
  "cpu-share": "cpu",
  fuel: "fuel",
  memory: "memory",
  output: "output",
};
