// All runs of a runtime that are accepted and not settled, and what they have in common.
import type { CellVerdict, LogReport } from "../../execution/protocol/messages.ts";
import type { SandboxId } from "../../model/ids.ts";
import { logLevels, type LogLine } from "../../model/runs/log-line.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { Bus } from "../../observability/bus.ts";
import type { KilledReason } from "../../observability/catalogue.ts";
import type { Clock } from "../../std/clock.ts";
import type { SandboxView } from "../sandbox-view.ts";
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
}

export type LineListener = (line: LogLine) => void;

export class RunTable {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly runsMax: number;
  /** Whether first runs ended within their slice. */
  readonly slices: SliceHistories = new SliceHistories();
  readonly #onRun: () => void;
  readonly #underway = new Set<RunTicket>();
  /** By the id of the sandbox: a line costs the same however many others are listened to. */
  readonly #lineListeners = new Map<string, LineListener>();
  #lastId = 0;

  constructor(parts: RunTableParts) {
    this.clock = parts.clock;
    this.bus = parts.bus;
    this.runsMax = parts.runsMax;
    this.#onRun = parts.onRun;
  }

  /** Runs accepted and not settled. */
  get underway(): ReadonlySet<RunTicket> {
    return this.#underway;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  add(ticket: RunTicket): void {
    this.#underway.add(ticket);
    this.#onRun();
  }

  delete(ticket: RunTicket): void {
    this.#underway.delete(ticket);
  }

  /** Tells listeners that a run was ended, where its verdict is one of a limit. */
  emitKilled(sandboxId: SandboxId, verdict: CellVerdict): void {
    const reason = killedReasons[verdict];
    if (reason !== undefined) this.bus.emit("sandbox.killed", { sandboxId, reason });
  }

  /** Tells listeners that a run has ended, at this time. */
  emitStop({ id, sandbox, terms, place, submittedMs }: RunTicket, outcome: Outcome, nowMs: number): void {
    this.bus.emit("sandbox.run.stop", {
      sandboxId: sandbox.id,
      runId: id,
      target: targetOf(terms),
      cell: place?.queue.number ?? null,
      durationMs: nowMs - submittedMs,
      result: outcome.ok ? "ok" : outcome.error.kind,
      usage: outcome.usage,
    });
  }

  /** Tells listeners of the cases of a series, but for the one that its own start and end are about. */
  emitCases(ticket: RunTicket, outcomes: readonly Outcome[]): void {
    const { sandbox, place, submittedMs } = ticket;
    const isHeard = this.bus.hears("sandbox.run.start");
    const durationMs = this.clock.monotonic() - submittedMs;
    const cell = place?.queue.number ?? null;
    const sandboxId = sandbox.id;
    for (let index = 0; index < outcomes.length; index++) {
      const outcome = outcomes[index];
      if (outcome === undefined) continue;
      const runId = this.nextId();
      const target = targetOf(termsAt(ticket, index));
      if (isHeard) this.bus.emit("sandbox.run.start", { sandboxId, runId, target });
      const result = outcome.ok ? "ok" : outcome.error.kind;
      const { usage } = outcome;
      this.bus.emit("sandbox.run.stop", { sandboxId, runId, target, cell, durationMs, result, usage });
    }
  }

  /** Passes on the console lines of a report; returns them. */
  lines(
    sandbox: Pick<SandboxView, "id"> | undefined,
    ticket: RunTicket | undefined,
    report: LogReport,
  ): readonly LogLine[] {
    const at = this.clock.now();
    const lines = report.lines.map(([level, text]) => ({ level: logLevels[level] ?? "log", text, at }));
    const listen = sandbox === undefined ? undefined : this.#lineListeners.get(sandbox.id);
    for (const line of lines) {
      ticket?.log(line);
      listen?.(line);
    }
    return lines;
  }

  /** Calls `listen` with every console line of a sandbox, until the returned function is called. It has one listener. */
  onLineOf(sandboxId: string, listen: LineListener): () => void {
    const guarded: LineListener = (line) => {
      try {
        const result: unknown = listen(line);
        if (result instanceof Promise) result.catch(() => {});
      } catch {
        // What a listener throws is not our failure.
      }
    };
    this.#lineListeners.set(sandboxId, guarded);
    return () => this.#lineListeners.delete(sandboxId);
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

/** What a run calls, for events. */
export function targetOf(terms: RunTerms): string {
  if (terms.tell !== undefined) return `${terms.tell} ${terms.export}`;
  return terms.code === undefined ? `${terms.module}.${terms.export}` : "(function)";
}
