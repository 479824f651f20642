// The counters and records of one sandbox: usage, console lines, restarts, errors.
import type { HeapSample, Lane } from "../../execution/protocol/messages.ts";
import type { LatestFitness } from "../../model/fitness.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { LastError, TotalUsage } from "../../model/sandboxes/sandbox-info.ts";
import type { Usage } from "../../model/runs/usage.ts";
import type { StoredRecord } from "../../store/store.ts";
import { ServiceMeter } from "../../std/service-meter.ts";
import { PaceHistory } from "../runs/lane.ts";
import { LogStore } from "./log-store.ts";

/** When it failed, and whether by a fault that is not its own: then it is not collected. */
export interface Failed {
  readonly atMs: number;
  readonly isBlameless: boolean;
}

/** Hears a console line, and of which run it is; undefined for none, as of a timer's. */
export type LineListener = (line: LogLine, run: LineSource | undefined) => void;

/** The run that wrote a line. It has another `op` each time that it begins again. */
export interface LineSource {
  readonly op: number;
}

interface AccountPlan {
  readonly limits: { readonly logBytes: number };
  /** Called with each of its console lines. */
  readonly onLine?: LineListener | undefined;
}

const unsaid = { message: null, evaluationMs: 0 } as const;

export class Account {
  readonly paces: PaceHistory = new PaceHistory();
  /** The processor time that its runs used lately. */
  readonly service: ServiceMeter = new ServiceMeter();
  readonly logs: LogStore;
  lastUsedMs: number;
  restarts = 0;
  rebuilds = 0;
  failed: Failed | undefined;
  /** Why it failed or was stopped. */
  reason: string | null = null;
  lastError: LastError | null = null;
  fitness: LatestFitness | null = null;
  /** The latest times at which it was restarted by its rule. */
  restartsMs: readonly number[] = [];
  /** The latest times at which its background work was cut. */
  backgroundCutsMs: readonly number[] = [];
  readonly #onLine: LineListener | undefined;
  readonly #usage: { -readonly [K in keyof TotalUsage]: TotalUsage[K] } = {
    runs: 0,
    wallMs: 0,
    cpuMs: 0,
    outputBytes: 0,
    heapBytes: 0,
    heapPeakBytes: 0,
    externalBytes: 0,
    processes: 0,
    processesMax: 0,
    queueMax: 0,
    isolate: 0,
    isolateSandboxes: 0,
  };

  constructor({ limits, onLine }: AccountPlan, nowMs: number) {
    this.lastUsedMs = nowMs;
    this.logs = new LogStore(limits.logBytes);
    this.#onLine = onLine;
  }

  /** The current sums and samples, a live object. */
  get usage(): TotalUsage {
    return this.#usage;
  }

  noteRun(usage: Usage, { lane, nowMs }: { readonly lane: Lane; readonly nowMs: number }): void {
    const total = this.#usage;
    this.service.add(usage.cpuMs, nowMs);
    this.paces.note(usage.wallMs, lane);
    total.runs++;
    total.wallMs += usage.wallMs;
    total.cpuMs += usage.cpuMs;
    total.outputBytes += usage.outputBytes;
  }

  /** So many cases of a series ended before the one that was noted as a run. */
  noteCases(count: number): void {
    this.#usage.runs += count;
  }

  noteLine(line: LogLine, run: LineSource | undefined): void {
    this.logs.push(line);
    try {
      const result: unknown = this.#onLine?.(line, run);
      if (result instanceof Promise) result.catch(() => {});
    } catch {
      // What a listener throws is not our failure.
    }
  }

  /** The times of a run that its cell did not report on. */
  noteTimes({ wallMs, cpuMs }: Usage): void {
    this.#usage.wallMs += wallMs;
    this.#usage.cpuMs += cpuMs;
  }

  noteSample(sample: Omit<HeapSample, "key">): void {
    const total = this.#usage;
    total.processes = sample.processes;
    total.processesMax = Math.max(total.processesMax, sample.processesMax);
    total.queueMax = Math.max(total.queueMax, sample.queueMax);
    total.heapBytes = sample.heapBytes;
    total.heapPeakBytes = Math.max(total.heapPeakBytes, sample.heapPeakBytes);
    total.externalBytes = sample.externalBytes;
    total.isolate = sample.isolate;
    total.isolateSandboxes = sample.sandboxes;
  }

  /** Takes over what is known of it from an earlier runtime. */
  restore({ status, reason, blameless, restarts, lastError, fitness }: StoredRecord, nowMs: number): void {
    this.restarts = restarts;
    this.lastError = lastError;
    // Earlier versions stored less.
    this.fitness = fitness === null ? null : { ...unsaid, ...fitness };
    if (status !== "failed") return;
    this.reason = reason;
    this.failed = { atMs: nowMs, isBlameless: blameless };
  }

  /** It is restarted. */
  noteRestart(): void {
    this.restarts++;
    this.reason = null;
    this.failed = undefined;
    this.backgroundCutsMs = [];
  }
}
