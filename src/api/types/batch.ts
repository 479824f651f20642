// One operation on many sandboxes, with one result for each.
import type { VivariumError } from "../../model/errors.ts";
import type { Evaluation } from "../../model/fitness.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { Batch } from "../../orchestration/evaluation/batch.ts";
import type { Summary } from "../../orchestration/evaluation/summary.ts";
import type { ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import type { Fitness } from "./fitness.ts";
import type {
  CallTarget,
  GuestModules,
  HotReloadOptions,
  ReloadModules,
  RunOptions,
  Sandbox,
} from "./sandbox.ts";
import type { ForkOptions, SandboxSpec } from "./spec.ts";

export type { Batch };

export interface BatchOptions {
  /** How many items are worked on at a time, 1–100,000. Default: 64 to create, destroy and reload, 1,024 to call and run, 256 to evaluate. */
  readonly concurrency?: number;
  /** Ends the batch: what is not done is cancelled, and what is done stays. */
  readonly signal?: AbortSignal;
  /** One deadline for the whole batch; what is not done by then is cancelled. Default: one hour. */
  readonly deadlineMs?: number;
}

/** Which item of a batch a result belongs to. */
export interface BatchItem {
  readonly index: number;
  readonly sandboxId: string;
}

/** A sandbox to be made for one item of a batch. */
export interface BatchSpec extends SandboxSpec {
  /** The id. Default: one is made up. */
  readonly id?: string;
}

/** A child to be made of one parent, or of several, of which the first gives it its code. */
export type BatchFork = ForkOptions &
  ({ readonly parentId: string } | { readonly parentIds: readonly string[] });

/** What an item of a batch is about: a sandbox that there is, by its id, or one that is made for it. */
export type BatchTarget = string | BatchSpec;

/** Beside the result of an item. */
export interface Kept {
  /**
   * Whether the sandbox that was made for it lives on. Where the best so many are kept, this is final when the batch is
   * done: a better one may come.
   */
  readonly kept: boolean;
}

export type BatchOutcome<T> = BatchItem & Outcome<T>;
export type BatchEvaluation = BatchItem & Evaluation;
export type BatchResult<T> = BatchItem &
  ({ readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: VivariumError });

/** The arguments of every item, or a function that makes those of each. */
export type BatchArgs<A extends readonly unknown[]> = A | ((id: string, index: number) => A);

export interface BatchCallOptions<A extends readonly unknown[] = readonly unknown[]>
  extends BatchOptions, Omit<RunOptions, "signal"> {
  /** The same for all, or made for each. */
  readonly args?: BatchArgs<A>;
}

export interface EvaluateOptions extends BatchOptions {
  /** The bound of each single run into a candidate. Default: the sandbox's. */
  readonly timeoutMs?: number;
  /** Processor time of each single run. Default: the sandbox's. */
  readonly cpuMs?: number;
  /** Fuel of each single run. Default: the sandbox's. */
  readonly fuel?: number;
  /** How long one candidate may take in all, from its start to its score. Default: as long as the batch. */
  readonly itemDeadlineMs?: number;
  /** How often each candidate is measured. Default: 1. */
  readonly repeats?: number;
  /** What of the measurements is the score. Default: `mean`. */
  readonly summary?: Summary;
  /** `record` leaves a failure a failure; a score given here replaces it. Default: `record`. */
  readonly onFailure?: "record" | { /** The score that a failure gets. */ readonly score: number };
  /** Under which name `metrics()` counts what comes of it, 1–128 characters. Default: `default`. */
  readonly population?: string;
}

/** Which of the sandboxes that are made for a batch live on. Default: none. */
export interface KeepChosen<R> {
  /** A function is asked about every result of a sandbox that was made, but for those that were cancelled. */
  readonly keep?: (result: R) => boolean;
}

export interface KeepBest {
  /** The best so many by their scores, of equal ones the earlier in the list. A score that replaced a failure is none. */
  readonly keep?: number | { readonly best: number; readonly direction?: "maximise" | "minimise" };
}

export interface Batches {
  create(specs: readonly BatchSpec[], options?: BatchOptions): Batch<BatchResult<Sandbox>>;
  /** Children of sandboxes that there are, as `runtime.fork` makes them. */
  fork(forks: readonly BatchFork[], options?: BatchOptions): Batch<BatchResult<Sandbox>>;
  destroy(ids: readonly string[], options?: BatchOptions): Batch<BatchResult<void>>;
  /** Reloads each sandbox, with the same modules or those made for each. */
  hotReload(
    ids: readonly string[],
    modules: ReloadModules | ((id: string, index: number) => ReloadModules),
    options?: BatchOptions & HotReloadOptions,
  ): Batch<BatchResult<ReloadReport>>;
  call<T = unknown>(
    ids: readonly string[],
    target: CallTarget,
    options?: BatchCallOptions,
  ): Batch<BatchOutcome<T>>;
  /** Sandboxes given as specs are made for their run, and destroyed after it unless they are kept. */
  call<T = unknown>(
    targets: readonly BatchTarget[],
    target: CallTarget,
    options?: BatchCallOptions & KeepChosen<BatchOutcome<T>>,
  ): Batch<BatchOutcome<T> & Kept>;
  run<R, A extends readonly unknown[] = [], M extends object = GuestModules>(
    ids: readonly string[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A>,
  ): Batch<BatchOutcome<Awaited<R>>>;
  run<R, A extends readonly unknown[] = [], M extends object = GuestModules>(
    targets: readonly BatchTarget[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A> & KeepChosen<BatchOutcome<Awaited<R>>>,
  ): Batch<BatchOutcome<Awaited<R>> & Kept>;
  /**
   * Measures the fitness of each sandbox. A failure of any kind is a result without a score, unless `onFailure` says
   * what the caller takes it for.
   */
  evaluate(ids: readonly string[], fitness: Fitness, options?: EvaluateOptions): Batch<BatchEvaluation>;
  /**
   * Sandboxes given as specs are compiled, loaded, measured and destroyed as their turns come, unless they are kept. What
   * cannot be created is a result as well, of kind `not-created`.
   */
  evaluate(
    targets: readonly BatchTarget[],
    fitness: Fitness,
    options?: EvaluateOptions & (KeepBest | KeepChosen<BatchEvaluation>),
  ): Batch<BatchEvaluation & Kept>;
}
