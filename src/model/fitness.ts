// The result of an evaluation, as data. A failure is never a score.
import type { Diagnostic } from "./code/diagnostic.ts";
import type { ErrorCode, LoadPhase } from "./errors.ts";
import { failureKinds, type FailureKind, type GuestFailure } from "./runs/outcome.ts";

const ownKinds = {
  "invalid-score": "The score is not a finite number.",
  "fitness-failed": "The caller's fitness function, check or scorer failed, not the candidate.",
  "not-created": "The sandbox of a spec could not be created; `error.creation` says why.",
  stage: "The candidate did not reach the score that a stage of the cascade requires.",
} as const;

/** Every way an evaluation can fail, with the sentence the documentation shows: those of a run, and four of its own. */
export const evaluationFailureKinds: Readonly<Record<EvaluationFailureKind, string>> = {
  ...failureKinds,
  ...ownKinds,
};

export type EvaluationFailureKind = FailureKind | keyof typeof ownKinds;

/** Why a sandbox could not be created. */
export interface CreationFailure {
  readonly code: ErrorCode;
  /** In which step its code was turned away; null where it was not the code. */
  readonly phase: LoadPhase | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Why an individual has no score. */
export interface EvaluationFailure {
  readonly kind: EvaluationFailureKind;
  readonly message: string;
  /** How the failed run ended. */
  readonly failure?: GuestFailure;
  /** With `not-created`: why there is no sandbox. */
  readonly creation?: CreationFailure;
  /** The test that failed. */
  readonly test?: string;
  /** The stage of the cascade that it was in. */
  readonly stage?: string;
}

/** Statistics of repeated measurements of one individual. */
export interface Noise {
  readonly samples: readonly number[];
  readonly mean: number;
  readonly median: number;
  /** Of the sample: divided by one less than their number. */
  readonly deviation: number;
  /** Of the mean. */
  readonly standardError: number;
  readonly min: number;
  readonly max: number;
  /** Every measurement gave the same. */
  readonly constant: boolean;
}

/** The result of one test of a suite. Of a hidden one only whether it passed is reported. */
export interface TestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly points: number;
  readonly pointsMax: number;
  readonly hidden: boolean;
  /** What was wrong, in words that may be shown to the author of candidates. */
  readonly message?: string;
  readonly failure?: GuestFailure;
}

export interface StageResult {
  readonly name: string;
  readonly score: number;
  readonly passed: boolean;
}

/** What all runs of an evaluation cost together. */
export interface EvaluationUsage {
  readonly runs: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Null when no run was metered. */
  readonly fuel: number | null;
}

export interface EvaluationBase {
  /** The revision of the sandbox that was evaluated. */
  readonly revision: number;
  readonly generation: number;
  readonly evaluatedAt: number;
  readonly evaluationMs: number;
  readonly usage: EvaluationUsage;
  readonly tests: readonly TestResult[];
  readonly stages: readonly StageResult[];
}

const reasonLengthMax = 1_000;
/** What may be given as the reason of an adjustment. */
export const reasonRule: string = `a text of 1–${reasonLengthMax} characters`;

export function isReason(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= reasonLengthMax;
}

export type Components = Readonly<Record<string, number>>;

export type Scored = EvaluationBase & {
  readonly ok: true;
  readonly score: number;
  readonly components: Components;
  /** With repeats. */
  readonly noise: Noise | null;
  /** The failure that the caller's `onFailure` turned into this score; null for a score that was reached. */
  readonly mapped: EvaluationFailure | null;
};

export type Unscored = EvaluationBase & { readonly ok: false; readonly error: EvaluationFailure };

export type Evaluation = Scored | Unscored;

/** An individual's fitness at its latest evaluation. */
export interface LatestFitness {
  /** Null for a failure, also where `onFailure` took it for a score. */
  readonly score: number | null;
  /** `ok`, or how the evaluation failed. */
  readonly result: "ok" | EvaluationFailureKind;
  readonly revision: number;
  readonly evaluatedAt: number;
  readonly components: Components;
  /** The results of its tests, the first 100. */
  readonly tests: readonly TestResult[];
  /** Why there is no score, in words, the first 2,000 characters; null where there is one. */
  readonly message: string | null;
  /** How long the evaluation took. */
  readonly evaluationMs: number;
}

/** How much of a failure's message is remembered. */
export const messageLengthMax = 2_000;

/** How many test results are remembered of a sandbox. */
export const testsRememberedMax = 100;
