// Fitness as callers give it: a function, a suite of tests, a scorer in a sandbox of its own, or a cascade of these.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { Components } from "../../model/fitness.ts";
import type { Limits } from "../../model/limits.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { PlacementSpec } from "./spec.ts";
import type { CallTarget, CallOptions, GuestModules, Sandbox } from "./sandbox.ts";

/** The sandbox that is being evaluated. Its runs end with the evaluation, and are repeated when their cell is lost. */
export interface Candidate extends Pick<Sandbox, "id" | "module" | "info" | "logs"> {
  call<T = unknown>(target: CallTarget, options?: CandidateCallOptions): Promise<Outcome<T>>;
  run<R, A extends readonly unknown[] = [], M extends object = GuestModules>(
    fn: (modules: M, ...args: A) => R,
    options?: CandidateCallOptions<A>,
  ): Promise<Outcome<Awaited<R>>>;
  /** The current source of a module. */
  source(module: string): Promise<string>;
}

export type CandidateCallOptions<A extends readonly unknown[] = readonly unknown[]> = Omit<
  CallOptions<A>,
  "record" | "repeatable"
>;

/** Which of a candidate's measurements this is. */
export interface Trial {
  readonly index: number;
  /** From 0 up to the number of repeats. */
  readonly repeat: number;
  /** Aborted when the evaluation is over, done or not. */
  readonly signal: AbortSignal;
}

export type Score = number | { readonly score: number; readonly components?: Components };

/** Runs here, on the host, where no candidate reaches it. What `unwrap` throws is the candidate's failure. */
export type FitnessFunction = (candidate: Candidate, trial: Trial) => Score | Promise<Score>;

/** One question to a candidate. The expected value stays on the host. */
export interface TestCase {
  /** Names it in results. */
  readonly name: string;
  /** The function that is called: `module.export`. */
  readonly call: CallTarget;
  /** Its arguments: any data. Default: none. */
  readonly args?: readonly unknown[];
  /** The answer, compared as data. Either this or `check`. */
  readonly expected?: unknown;
  /** How far numbers in the answer may be off. Default: 0. */
  readonly tolerance?: number;
  /** Judges the answer on the host: true or false, or a share of the points from 0 to 1. */
  readonly check?: (answer: unknown) => boolean | number;
  /** What it counts for. Default: 1. */
  readonly points?: number;
  /** Its result contains nothing but whether it passed. Default: false. */
  readonly hidden?: boolean;
  /** The bound of its run. Default: that of the evaluation. */
  readonly timeoutMs?: number;
}

/** The score is the share of all points that was reached. */
export interface TestSuite {
  /** The tests; at least one. */
  readonly tests: readonly TestCase[];
  /** What a run that fails means: the whole evaluation fails, or its test has no points. Default: `fail`. */
  readonly failedRun?: "fail" | "no-points";
}

/** A scorer that lives in a sandbox of its own. It is called with the list of the candidate's answers. */
export interface GuestScorer {
  /** What the candidate is asked, in this order. */
  readonly questions: readonly { readonly call: CallTarget; readonly args?: readonly unknown[] }[];
  /** The sandbox of the scorer. */
  readonly scorer: {
    /** Its modules: names and sources. */
    readonly modules: Readonly<Record<string, string | Artifact>>;
    /** The function that takes the answers and gives a score. */
    readonly call: CallTarget;
    /** Its limits. Default: those of the runtime. */
    readonly limits?: Partial<Limits>;
    /** The name of its security profile. Default: that of the runtime. */
    readonly profile?: string;
    /** Which sandboxes may share its cell. Default: those of no tenant. */
    readonly placement?: PlacementSpec;
  };
}

/** Cheap stages first: a later one is reached only with the score that the one before asks for. The last one scores. */
export interface Cascade {
  /** The stages, in their order; at least one. */
  readonly stages: readonly Stage[];
}

export interface Stage {
  /** Names it in results. */
  readonly name: string;
  /** What measures the candidate in this stage. */
  readonly fitness: FitnessFunction | TestSuite | GuestScorer;
  /** The least score with which a candidate goes on. */
  readonly atLeast?: number;
  /** The greatest score with which a candidate goes on. */
  readonly atMost?: number;
}

export type Fitness = FitnessFunction | TestSuite | GuestScorer | Cascade;
