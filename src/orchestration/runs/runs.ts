// Accepts runs, sends them where their sandbox is, and settles each of them exactly once.
import type { CellVerdict, DoneItem, LogReport } from "../../execution/protocol/messages.ts";
import { logLevels, type LogLine } from "../../model/log-line.ts";
import type { CancelReason, GuestFailure, Outcome } from "../../model/outcome.ts";
import { unusedAfter } from "../../model/usage.ts";
import type { Bus } from "../../observability/bus.ts";
import type { KilledReason } from "../../observability/catalogue.ts";
import type { Clock } from "../../std/clock.ts";
import type { Homing } from "../cells/assignment.ts";
import { chooseLane, SliceHistory } from "./lane.ts";
import { outcomeOf } from "./outcome-of.ts";
import type { Resident } from "../sandboxes/resident.ts";
import { RunTicket, type RunOrder, type RunTerms, type Ticket } from "./ticket.ts";

export interface RunsParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly homing: Homing;
}

const returnsMax = 8;

export class Runs {
  readonly #parts: RunsParts;
  readonly #slices = new SliceHistory();
  readonly #underway = new Set<RunTicket>();
  #lastId = 0;
  readonly #lineListeners = new Set<(resident: Resident, line: LogLine) => void>();

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /** Runs accepted and not settled. */
  get underway(): ReadonlySet<RunTicket> {
    return this.#underway;
  }

  /** Accepts a run. Its `settle` is called exactly once, later. */
  submit(resident: Resident, order: RunOrder): RunTicket {
    const nowMs = this.#parts.clock.monotonic();
    const ticket = new RunTicket(resident, order, { id: ++this.#lastId, submittedMs: nowMs });
    const { bus } = this.#parts;
    if (bus.hears("sandbox.run.start")) {
      const target = targetOf(order.terms);
      bus.emit("sandbox.run.start", { sandboxId: resident.id, runId: ticket.id, target });
    }
    resident.lastUsedMs = nowMs;
    resident.runsUnderway++;
    this.#underway.add(ticket);
    this.dispatch(ticket);
    return ticket;
  }

  /** Sends a run to its sandbox's cell, or lets it wait until the sandbox has one. */
  dispatch(ticket: RunTicket): void {
    const { resident, terms } = ticket;
    const { home, status } = resident;
    const isReloading = status === "reloading";
    const isHeld = status === "suspended" || ((status === "creating" || isReloading) && !ticket.isPrivileged);
    if (!isHeld && !isReloading && status !== "running") return this.#settleNotRunning(ticket);
    if (home === undefined || isHeld) {
      resident.waiting.push(ticket);
      if (isHeld) this.#tellDrained(resident);
      else this.#parts.homing.house(resident);
      return;
    }
    ticket.home = home;
    // Processes live on their own: a sandbox that has them is never as it was loaded.
    const isPristine = home.isPristine && resident.processes === null;
    ticket.wasPristine = isPristine;
    ticket.lane = ticket.needsOwnLane
      ? "async"
      : chooseLane({
          pace: resident.paces.pace,
          timeoutMs: terms.timeoutMs,
          isCpuBound: terms.cpuMs !== null || resident.limits.cpuPercent !== null,
          isPristine,
          slicesAreWasted: isPristine && this.#slices.isWasted(),
        });
    home.isPristine = false;
    home.queue.run(ticket);
  }

  /** A first run outlasted its slice and could not be cut. */
  noteLostSlice(): void {
    this.#slices.note(true);
  }

  /** A sandbox has a home: what waited for it follows. */
  dispatchWaiting(resident: Resident): void {
    const { waiting } = resident;
    resident.waiting = [];
    for (const ticket of waiting) if (!ticket.isSettled) this.dispatch(ticket);
  }

  onRunDone(ticket: RunTicket, item: DoneItem): void {
    const { resident } = ticket;
    const isHomeLost = this.#isHomeLost(ticket, item);
    if (isHomeLost) this.#parts.homing.forgetHome(resident);
    if (ticket.isSettled) return this.#afterEnd(ticket, item, isHomeLost);
    if (item.verdict === "sliced") return this.onSliceOver(ticket);
    if (ticket.lane === "slice") this.#slices.note(false);
    if (item.verdict === "gone") return this.#returned(ticket, isHomeLost);
    const outcome = outcomeOf(ticket, item);
    resident.noteRun(outcome.usage, ticket.lane);
    // A suspect that behaved alone is cleared.
    if (resident.standing === "suspect" && !item.isLost) resident.standing = "clear";
    this.#settle(ticket, outcome);
    this.#enforced(resident, item.verdict);
    if (isHomeLost) this.rebuild(resident, item.verdict);
  }

  /** A slice was too short for it: it begins anew on a lane of its own. */
  onSliceOver(ticket: RunTicket): void {
    this.#slices.note(true);
    ticket.needsOwnLane = true;
    ticket.forgetLogs();
    if (!ticket.isSettled) this.dispatch(ticket);
  }

  onLog(resident: Resident | undefined, ticket: Ticket | undefined, report: LogReport): void {
    const at = this.#parts.clock.now();
    for (const [level, text] of report.lines) {
      const line = { level: logLevels[level] ?? "log", text, at };
      resident?.logs.push(line);
      if (ticket?.kind === "run") ticket.log(line);
      if (resident !== undefined) for (const listen of this.#lineListeners) listen(resident, line);
    }
  }

  /** Calls `listen` with every console line of every sandbox, until the answer is called. */
  onLine(listen: (resident: Resident, line: LogLine) => void): () => void {
    const guarded: typeof listen = (resident, line) => {
      try {
        listen(resident, line);
      } catch {
        // A listener that throws is its owner's affair.
      }
    };
    this.#lineListeners.add(guarded);
    return () => this.#lineListeners.delete(guarded);
  }

  /** Ends a run from our side: its outcome is settled now, whatever the cell does with it. */
  end(ticket: RunTicket, failure: GuestFailure): void {
    if (ticket.isSettled) return;
    const { resident } = ticket;
    ticket.home?.queue.withdraw(ticket);
    resident.waiting = resident.waiting.filter((other) => other !== ticket);
    const usage = unusedAfter(this.#parts.clock.monotonic() - ticket.submittedMs);
    this.#settle(ticket, { ok: false, error: failure, usage, logs: ticket.logs });
  }

  cancel(ticket: RunTicket, reason: CancelReason, why: string): void {
    this.end(ticket, { kind: "cancelled", reason, message: `Cannot finish the run as ${why}` });
  }

  /** Ends all that a sandbox has, as it is going away. */
  endAll(resident: Resident, failure: GuestFailure): void {
    if (resident.runsUnderway === 0) return;
    for (const ticket of [...this.#underway]) if (ticket.resident === resident) this.end(ticket, failure);
  }

  endEverything(reason: CancelReason, why: string): void {
    for (const ticket of [...this.#underway]) this.cancel(ticket, reason, why);
  }

  /** Resolves when no run of the sandbox is at a cell; those that come meanwhile must be held back. */
  drain(resident: Resident): Promise<void> {
    if (resident.runsUnderway <= resident.waiting.length) return Promise.resolve();
    return new Promise((resolve) => resident.onDrained.push(resolve));
  }

  // Its caller was told already; what its end did to the sandbox still counts.
  #afterEnd({ resident }: RunTicket, item: DoneItem, isHomeLost: boolean): void {
    if (isHomeLost) this.rebuild(resident, item.verdict);
    if (resident.runsUnderway === 0) this.#parts.homing.onIdle(resident);
  }

  // A home that was replaced meanwhile is not lost. One that was loaded, and of which the cell knows nothing, is.
  #isHomeLost({ resident, home, isSettled }: RunTicket, item: DoneItem): boolean {
    if (home === undefined || home !== resident.home) return false;
    return item.isLost || (item.verdict === "gone" && home.isLoaded && !isSettled);
  }

  #returned(ticket: RunTicket, isHomeLost: boolean): void {
    if (isHomeLost) this.rebuild(ticket.resident, "gone");
    if (++ticket.returns <= returnsMax) return this.dispatch(ticket);
    this.end(ticket, {
      kind: "cell-lost",
      message: "Cannot run as the sandbox was lost each time before the run began",
    });
  }

  #settle(ticket: RunTicket, outcome: Outcome): void {
    const { resident, terms } = ticket;
    const nowMs = this.#parts.clock.monotonic();
    this.#underway.delete(ticket);
    resident.runsUnderway--;
    resident.lastUsedMs = nowMs;
    this.#tellDrained(resident);
    ticket.settle(outcome);
    const result = outcome.ok ? "ok" : outcome.error.kind;
    const durationMs = nowMs - ticket.submittedMs;
    this.#parts.bus.emit("sandbox.run.stop", {
      sandboxId: resident.id,
      runId: ticket.id,
      target: targetOf(terms),
      cell: ticket.home?.queue.number ?? null,
      durationMs,
      result,
      usage: outcome.usage,
    });
    if (resident.runsUnderway === 0) this.#parts.homing.onIdle(resident);
  }

  // None of its runs is at a cell when all of them wait.
  #tellDrained(resident: Resident): void {
    if (resident.runsUnderway > resident.waiting.length) return;
    for (const resolve of resident.onDrained.splice(0)) resolve();
  }

  #settleNotRunning(ticket: RunTicket): void {
    const { resident } = ticket;
    const why = resident.reason === null ? "" : `: ${resident.reason}`;
    const message = `Cannot call sandbox "${resident.id}" as it must be running: it is ${resident.status}${why}`;
    this.end(ticket, { kind: "not-running", message });
  }

  #enforced(resident: Resident, verdict: CellVerdict): void {
    const reason = killedReasons[verdict];
    if (reason !== undefined) this.#parts.bus.emit("sandbox.killed", { sandboxId: resident.id, reason });
  }

  /** The sandbox lost its isolate: it stands again at its head revision; one that must be alone, when it is called next. */
  rebuild(resident: Resident, reason: string): void {
    if (resident.status !== "running" && resident.status !== "reloading") return;
    resident.rebuilds++;
    this.#parts.bus.emit("sandbox.rebuilt", { sandboxId: resident.id, rebuilds: resident.rebuilds, reason });
    if (!resident.isQuarantined) this.#parts.homing.house(resident);
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

export function targetOf(terms: RunTerms): string {
  if (terms.tell !== undefined) return `${terms.tell} ${terms.export}`;
  return terms.code === undefined ? `${terms.module}.${terms.export}` : "(function)";
}
