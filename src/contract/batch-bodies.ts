// What batches take and answer on the wire, fitness included.
import type { BatchItem, Evaluation, Kept, Limits, PlacementSpec, ReloadReport } from "../index.ts";
import type { Problem } from "./problem.ts";
import type {
  Deadline,
  ErrorLine,
  WireArgs,
  WireBounds,
  WireModules,
  WireOutcome,
  WireReload,
  WireSpec,
} from "./run-bodies.ts";

export interface WireBatch extends Deadline {
  readonly concurrency?: number;
}

/** What a batch is about: ids, or specs of sandboxes that are made for it. */
export type WireTarget = string | (WireSpec & { readonly id?: string });

/** Arguments of a batch: the same for all, or a list for each item, in the order of the items. */
export interface WireBatchArgs extends WireArgs {
  readonly argsOfEach?: readonly WireArgs[];
}

/** Which of the sandboxes that were made live on: all, none, or the best so many. */
export type WireKeep =
  | boolean
  | number
  | { readonly best: number; readonly direction?: "maximise" | "minimise" };

export interface WireBatchCall extends WireBatch, WireBounds, WireBatchArgs {
  readonly targets: readonly WireTarget[];
  readonly target: string;
  readonly keep?: boolean;
}

export interface WireBatchRun extends WireBatch, WireBounds, WireBatchArgs {
  readonly targets: readonly WireTarget[];
  /** The source of the function. */
  readonly function: string;
  readonly keep?: boolean;
}

export interface WireBatchReload extends WireBatch, Omit<WireReload, "modules"> {
  readonly ids: readonly string[];
  readonly modules?: WireReload["modules"];
  /** Instead of `modules`: those of each item, in the order of the items. */
  readonly modulesOfEach?: readonly WireReload["modules"][];
}

export interface WireTestCase extends WireArgs {
  readonly name: string;
  readonly call: string;
  readonly expected?: unknown;
  readonly expectedEncoded?: string;
  readonly tolerance?: number;
  readonly points?: number;
  readonly hidden?: boolean;
  readonly timeoutMs?: number;
}

export interface WireSuite {
  readonly tests: readonly WireTestCase[];
  readonly failedRun?: "fail" | "no-points";
}

export interface WireScorer {
  readonly questions: readonly (WireArgs & { readonly call: string })[];
  readonly scorer: {
    readonly modules: WireModules;
    readonly call: string;
    readonly limits?: Partial<Limits>;
    readonly profile?: string;
    readonly placement?: PlacementSpec;
  };
}

export interface WireStage {
  readonly name: string;
  readonly fitness: WireSuite | WireScorer;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export type WireFitness = WireSuite | WireScorer | { readonly stages: readonly WireStage[] };

export interface WireBatchEvaluate extends WireBatch, Omit<WireBounds, "repeatable"> {
  readonly targets: readonly WireTarget[];
  readonly fitness: WireFitness;
  readonly itemDeadlineMs?: number;
  readonly repeats?: number;
  readonly summary?: "mean" | "median" | "min" | "max";
  readonly onFailure?: "record" | { readonly score: number };
  readonly population?: string;
  readonly keep?: WireKeep;
}

/**
 * The lines of a batch: `begin` at once, a `result` for each item as it ends, `progress` in between where nothing else is said
 * for a second, `end` when all are done; an `error` instead of `begin` where it is refused as a whole.
 */
export type BatchLine<R> =
  | { readonly type: "begin"; readonly size: number }
  | { readonly type: "result"; readonly result: R }
  | { readonly type: "progress"; readonly done: number; readonly size: number }
  | {
      readonly type: "end";
      readonly done: number;
      readonly size: number;
      /** Where sandboxes were made: the items whose sandboxes live on. A result says what was so when it came. */
      readonly kept?: readonly number[];
    }
  | ErrorLine;

export type WireResult = BatchItem &
  ({ readonly ok: true } | { readonly ok: false; readonly error: Problem });
export type WireReloadResult = BatchItem &
  ({ readonly ok: true; readonly value: ReloadReport } | { readonly ok: false; readonly error: Problem });
export type WireBatchOutcome = BatchItem & WireOutcome & Partial<Kept>;
export type WireBatchEvaluation = BatchItem & Evaluation & Partial<Kept>;
