// Every event with what it carries: one typed map, from which the documentation's table is made.
import type { Ancestry } from "../model/sandboxes/ancestry.ts";
import type { Components, EvaluationFailureKind, TestResult } from "../model/fitness.ts";
import type { FailureKind } from "../model/runs/outcome.ts";
import type { LoweredLimits } from "../model/limit-checks.ts";
import type { Usage } from "../model/runs/usage.ts";

/** How an operation ended: `ok`, a failure kind, or an error code. */
export type EventResult = "ok" | FailureKind | (string & {});

export interface OperationStarted {
  readonly sandboxId: string;
}

export interface OperationStopped extends OperationStarted {
  readonly durationMs: number;
  readonly result: EventResult;
}

export interface OperationFailed extends OperationStarted {
  readonly durationMs: number;
  readonly code: string;
  readonly message: string;
}

export interface SecurityEvent extends OperationStarted {
  readonly profile: string;
  /** The rule that decided. */
  readonly rule: string;
  readonly what: string;
  readonly module: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** How often this was logged lately. */
  readonly count: number;
}

export interface ProcessEvent {
  readonly pid: number;
  readonly name: string | null;
  /** Its place in the tree of supervisors. */
  readonly path: string | null;
}

/** Why a sandbox was stopped by enforcement. */
export type KilledReason =
  | "timeout"
  | "cpu"
  | "fuel"
  | "processes"
  | "queue"
  | "memory"
  | "output"
  | "crashed";

/** What a runtime found in its store when it started, and what became of it. */
export interface Recovered {
  readonly sandboxes: number;
  /** Those of them that were loaded at once, as they have processes or timers. */
  readonly loaded: number;
  readonly suspended: number;
  readonly failed: number;
  /** Why sandboxes cannot be used that could be before, and what was not readable: the first 100 sentences. */
  readonly problems: readonly string[];
  readonly tombstones: number;
  readonly durationMs: number;
}

export interface EventMap {
  "sandbox.create.start": OperationStarted;
  "sandbox.create.stop": OperationStopped;
  "sandbox.create.exception": OperationFailed;
  "sandbox.limited": OperationStarted & {
    /** By the name of the limit: what the individual asked for, where null means off, and what it was given. */
    readonly lowered: LoweredLimits;
  };
  "sandbox.run.start": OperationStarted & {
    readonly runId: number;
    readonly target: string;
    /** With a case that was called together with others: the `runId` of the run that brought them; null otherwise. */
    readonly seriesId: number | null;
  };
  "sandbox.run.stop": OperationStopped & {
    readonly runId: number;
    readonly target: string;
    readonly usage: Usage;
    /** The number of the cell it was in last; null when it came to none. */
    readonly cell: number | null;
  };
  "sandbox.run.exception": OperationFailed & { readonly target: string };
  "sandbox.hotReload.start": OperationStarted;
  "sandbox.hotReload.stop": OperationStopped;
  "sandbox.hotReload.exception": OperationFailed;
  "sandbox.followed": OperationStarted & { readonly revision: number; readonly modules: readonly string[] };
  "sandbox.unfollowed": OperationStarted & { readonly code: string; readonly message: string };
  "version.rolledBack": OperationStarted & { readonly revision: number };
  "sandbox.restart.start": OperationStarted;
  "sandbox.restart.stop": OperationStopped;
  "sandbox.restart.exception": OperationFailed;
  "sandbox.destroy.start": OperationStarted;
  "sandbox.destroy.stop": OperationStopped & { readonly reason: string };
  "sandbox.destroy.exception": OperationFailed;
  "lineage.born": OperationStarted &
    Ancestry & {
      /** Identifies its code; null for one whose code is no program. */
      readonly checksum: string | null;
      readonly createdAt: number;
      /** Its code by the names of modules; not in journals. */
      readonly sources?: Readonly<Record<string, string>>;
    };
  "lineage.mutated": OperationStarted & {
    /** What the caller said of the change; after a rollback, the record of the code that runs again. */
    readonly mutation: unknown;
    readonly checksum: string | null;
    readonly revision: number;
    readonly createdAt: number;
    /** Its new code by the names of modules; not in journals. */
    readonly sources?: Readonly<Record<string, string>>;
  };
  "sandbox.evaluate.start": OperationStarted & { readonly evaluationId: number };
  "sandbox.evaluate.stop": OperationStopped & { readonly evaluationId: number };
  "sandbox.evaluate.exception": OperationFailed & { readonly evaluationId: number };
  "fitness.computed": OperationStarted & {
    /** Null where there is none: `result` says why. */
    readonly score: number | null;
    readonly result: "ok" | EvaluationFailureKind;
    /** What the caller of `batch.evaluate` named; `default` where it named none. */
    readonly population: string;
    readonly components: Components;
    readonly revision: number;
    readonly generation: number;
    /** When the sandbox was created, as another one may have its id by now. */
    readonly createdAt: number;
    readonly evaluatedAt: number;
    readonly durationMs: number;
    /** Why there is no score, in words. */
    readonly message: string | null;
    /** The results of its tests, the first 100; not in journals. */
    readonly tests?: readonly TestResult[];
  };
  "fitness.adjusted": OperationStarted & {
    /** What was added to the score. */
    readonly delta: number;
    /** What the score is now. */
    readonly score: number;
    readonly reason: string;
  };
  "sandbox.batch.start": { readonly batchId: number; readonly operation: string; readonly size: number };
  "sandbox.batch.stop": {
    readonly batchId: number;
    readonly operation: string;
    readonly size: number;
    readonly failures: number;
    readonly durationMs: number;
  };
  "sandbox.batch.exception": { readonly operation: string; readonly code: string; readonly message: string };
  "sandbox.killed": OperationStarted & { readonly reason: KilledReason };
  "sandbox.rebuilt": OperationStarted & { readonly rebuilds: number; readonly reason: string };
  "sandbox.failed": OperationStarted & { readonly reason: string };
  "process.started": OperationStarted & ProcessEvent;
  "process.exited": OperationStarted & ProcessEvent & { readonly reason: string };
  "process.restarted": OperationStarted & ProcessEvent & { readonly restarts: number };
  "state.migrated": OperationStarted & { readonly revision: number; readonly servers: number };
  "capability.called": OperationStarted & {
    readonly capability: string;
    readonly durationMs: number;
    readonly result: string;
    /** What went wrong, for the host alone: what it threw, or which part of its result cannot cross and why. */
    readonly message: string;
    /**
     * Where the reason is in the host's own code, what was thrown itself, with its stack, or an error that says what is
     * wrong with its result; else null.
     */
    readonly error: unknown;
  };
  "security.rejected": SecurityEvent;
  "security.warned": SecurityEvent;
  "security.admitted": SecurityEvent;
  "security.denied": SecurityEvent;
  "security.called": SecurityEvent;
  "cell.started": { readonly cell: number; readonly pid: number; readonly durationMs: number };
  "cell.exited": {
    readonly cell: number;
    readonly pid: number;
    readonly cause: string;
    readonly detail: string;
    readonly sandboxes: number;
  };
  "cell.quarantined": OperationStarted & { readonly cell: number; readonly why: string };
  "cell.breaker": { readonly state: "open" | "closed"; readonly why: string };
  "gc.collected": {
    readonly cause: "timer" | "call" | "pressure";
    readonly expired: number;
    readonly failed: number;
    readonly unretained: number;
    readonly policyFailures: readonly string[];
    readonly tombstones: number;
    readonly durationMs: number;
  };
  "store.recovered": Recovered;
  "store.degraded": { readonly reason: string };
  "store.restored": { readonly reason: string };
  "resource.sampled": { readonly cells: number; readonly rssBytes: number; readonly sandboxes: number };
}

export type EventName = keyof EventMap;

/** When each event is emitted, in one sentence, for the documentation. */
export const eventDescriptions: Readonly<Record<EventName, string>> = {
  "sandbox.create.start": "A sandbox is about to be compiled and loaded.",
  "sandbox.create.stop": "The sandbox is running, or its code failed and it remains as a failed record.",
  "sandbox.create.exception": "The caller or the machine prevented the creation.",
  "sandbox.limited":
    "An individual was imported whose limits are higher than those of the runtime: they were lowered.",
  "sandbox.run.start": "A run was accepted.",
  "sandbox.run.stop": "The run ended with an outcome.",
  "sandbox.run.exception": "The caller or the machine prevented the run.",
  "sandbox.hotReload.start": "New code for a running sandbox is about to be compiled and loaded.",
  "sandbox.hotReload.stop": "The sandbox runs the new code, or the code failed and nothing has changed.",
  "sandbox.hotReload.exception": "The caller or the machine prevented the reload.",
  "sandbox.followed": "The files that a sandbox follows changed, and it now runs their new content.",
  "sandbox.unfollowed": "The files changed, but their content cannot be run: the sandbox keeps its old code.",
  "version.rolledBack": "A sandbox runs an earlier version of a module, or an earlier revision, again.",
  "sandbox.restart.start": "A sandbox is about to be loaded again from its head revision.",
  "sandbox.restart.stop": "The sandbox is running again, or its code failed.",
  "sandbox.restart.exception": "The caller or the machine prevented the restart.",
  "sandbox.destroy.start": "A sandbox is about to be removed.",
  "sandbox.destroy.stop": "The sandbox is gone; a tombstone remains.",
  "sandbox.destroy.exception": "The sandbox could not be removed.",
  "lineage.born": "A sandbox was created, with its ancestry; also emitted when its code failed to load.",
  "lineage.mutated": "A reload or a rollback has changed the code of a sandbox.",
  "sandbox.evaluate.start": "The evaluation of a sandbox began.",
  "sandbox.evaluate.stop": "The evaluation ended with a score, or the candidate failed.",
  "sandbox.evaluate.exception": "The caller's own fitness function or scorer failed.",
  "fitness.computed": "An evaluation ended, with a score or a failure.",
  "fitness.adjusted": "An amount was added to a score after its evaluation, for this reason.",
  "sandbox.batch.start": "A batch was accepted.",
  "sandbox.batch.stop": "Every item of the batch has a result.",
  "sandbox.batch.exception": "The batch was refused as a whole.",
  "sandbox.killed": "Enforcement ended a run, a timer turn or a process, or refused a process.",
  "sandbox.rebuilt": "A sandbox lost its isolate and was loaded again from its head revision.",
  "sandbox.failed": "The sandbox can no longer be called.",
  "process.started": "A process inside a sandbox started.",
  "process.exited": "A process ended, for this reason.",
  "process.restarted": "A supervisor started a process again.",
  "state.migrated": "A reload migrated the states of servers.",
  "capability.called":
    "A guest called a capability, which answered, refused or failed; what went wrong is told here and not to the guest.",
  "security.rejected": "The gate rejected code.",
  "security.warned": "The gate admitted code with a warning.",
  "security.admitted": "The gate admitted code, under a profile that audits everything.",
  "security.denied": "A sandbox was denied something.",
  "security.called": "A sandbox called a capability, under a profile that audits calls.",
  "cell.started": "A cell process is ready.",
  "cell.exited": "A cell process ended.",
  "cell.quarantined": "A sandbox brought down a cell, or is suspected of it, and runs alone from now on.",
  "cell.breaker": "Cells failed repeatedly and none is started for a while; or they are started again.",
  "gc.collected": "The collector finished a sweep.",
  "store.recovered":
    "What the store had is there again: emitted once after the start, when those that start by themselves are loaded.",
  "store.degraded":
    "A write of the store failed, for this reason: what cannot be stored is refused until that is over.",
  "store.restored": "The store can be written again; the reason is that of the failure that is over.",
  "resource.sampled": "The memory of all cells was measured.",
};

export const eventNames: readonly EventName[] = Object.keys(eventDescriptions) as EventName[];
