// All runs of a runtime that are accepted and not settled, and what they have in common.
import type { CellVerdict, LogReport } from "../../execution/protocol/messages.ts";
import type { SandboxId } from "../../model/ids.ts";
import { logLevels, type LogLine } from "../../model/runs/log-line.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { Bus } from "../../observability/bus.ts";
import type { KilledReason } from "../../observability/catalogue.ts";
import type { Clock } from "../../std/clock.ts";
import { LinkedList } from "../../std/linked-list.ts";
import type { SandboxView } from "../sandbox-view.ts";
import { ConsoleStacks } from "./console-stacks.ts";
import { noteShipped } from "./known-code.ts";
import { SliceHistories } from "./lane.ts";
import { termsAt } from "./series.ts";
import type { RunTerms, RunTicket } from "./ticket.ts";

export interface RunTableParts {
  readonly clock: Clock;
  readonly bus: Bus;
  /** The most runs that may be accepted and not settled. */
  readonly runsMax: number;
  /** Called when a run is accepted. */
  readonly onRun: () => void;
  /** Called when a run is accepted while there is none, and when the last one is settled. */
  readonly onBusy?: (isBusy: boolean) => void;
  /** Called when so many runs have ended with the same result, each after so long. */
  readonly onEnd: (result: string, durationMs: number, count: number) => void;
}

export class RunTable {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly runsMax: number;
  /** Whether first runs ended within their slice. */
  readonly slices: SliceHistories = new SliceHistories();
  readonly #onRun: () => void;
  readonly #onEnd: RunTableParts["onEnd"];
  readonly #onBusy: RunTableParts["onBusy"];
  readonly #underway = new LinkedList<RunTicket>();
  #lastId = 0;

  constructor(parts: RunTableParts) {
    this.clock = parts.clock;
    this.bus = parts.bus;
    this.runsMax = parts.runsMax;
    this.#onRun = parts.onRun;
    this.#onEnd = parts.onEnd;
    this.#onBusy = parts.onBusy;
  }

  /** Runs accepted and not settled. */
  get underway(): Iterable<RunTicket> & { readonly size: number } {
    return this.#underway;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  add(ticket: RunTicket): void {
    ticket.inTable = this.#underway.add(ticket);
    if (this.#underway.size === 1) this.#onBusy?.(true);
    noteShipped(ticket.sandbox, ticket.terms);
    this.#onRun();
  }

  delete(ticket: RunTicket): void {
    if (ticket.inTable === undefined) return;
    this.#underway.remove(ticket.inTable);
    ticket.inTable = undefined;
    if (this.#underway.size === 0) this.#onBusy?.(false);
  }

  /** Tells listeners that a run was ended, where its verdict is one of a limit. */
  emitKilled(sandboxId: SandboxId, verdict: CellVerdict): void {
    const reason = killedReasons[verdict];
    if (reason !== undefined) this.bus.emit("sandbox.killed", { sandboxId, reason });
  }

  /** Tells listeners that a run has ended, at this time. */
  emitStop(ticket: RunTicket, outcome: Outcome, nowMs: number): void {
    const { id, sandbox, terms, place, submittedMs } = ticket;
    const durationMs = nowMs - submittedMs;
    const result = resultOf(outcome);
    this.#onEnd(result, durationMs, 1);
    if (!this.bus.hears("sandbox.run.stop")) return;
    this.bus.emit("sandbox.run.stop", {
      sandboxId: sandbox.id,
      runId: id,
      target: targetOf(terms),
      cell: place?.queue.number ?? null,
      durationMs,
      result,
      usage: outcome.usage,
    });
  }

  /** Tells listeners of the cases of a series, but for the one that its own start and end are about. */
  emitCases(ticket: RunTicket, outcomes: readonly Outcome[]): void {
    const { sandbox, place, submittedMs } = ticket;
    const isHeard = this.bus.hears("sandbox.run.start");
    const durationMs = this.clock.monotonic() - submittedMs;
    this.#countCases(outcomes, durationMs);
    if (!isHeard && !this.bus.hears("sandbox.run.stop")) return;
    const cell = place?.queue.number ?? null;
    const sandboxId = sandbox.id;
    for (let index = 0; index < outcomes.length; index++) {
      const outcome = outcomes[index];
      if (outcome === undefined) continue;
      const runId = this.nextId();
      const target = targetOf(termsAt(ticket, index));
      if (isHeard) this.bus.emit("sandbox.run.start", { sandboxId, runId, target, seriesId: ticket.id });
      const result = resultOf(outcome);
      const { usage } = outcome;
      this.bus.emit("sandbox.run.stop", { sandboxId, runId, target, cell, durationMs, result, usage });
    }
  }

  #countCases(outcomes: readonly Outcome[], durationMs: number): void {
    let good = 0;
    for (const outcome of outcomes)
      if (outcome.ok) good++;
      else this.#onEnd(resultOf(outcome), durationMs, 1);
    if (good > 0) this.#onEnd("ok", durationMs, good);
  }

  /** The console lines of a report, which its run keeps too. */
  lines(
    sandbox: Pick<SandboxView, "id" | "modules"> | undefined,
    ticket: RunTicket | undefined,
    report: LogReport,
  ): readonly LogLine[] {
    const at = this.clock.now();
    const stacks = sandbox === undefined ? undefined : new ConsoleStacks(sandbox, ticket?.terms);
    const lines = report.lines.map(([level, text]) => {
      return { level: logLevels[level] ?? "log", text: stacks?.map(text) ?? text, at };
    });
    if (ticket !== undefined) for (const line of lines) ticket.log(line);
    return lines;
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

function resultOf(outcome: Outcome): string {
  return outcome.ok ? "ok" : outcome.error.kind;
}

/** What a run calls, for events. */
export function targetOf(terms: RunTerms): string {
  if (terms.tell !== undefined) return `${terms.tell} ${terms.export}`;
  if (terms.script !== undefined) return `(${terms.script.name})`;
  return terms.code === undefined ? `${terms.module}.${terms.export}` : "(function)";
}
