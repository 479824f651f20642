// Turns a fitness into a function that measures one candidate once. It never rejects.
import { GuestFailedError } from "../../model/errors.ts";
import type { Components, EvaluationFailure, StageResult, TestResult } from "../../model/fitness.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { isRecord } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { at } from "../../model/wire/intrinsics.ts";
import { judgeTest, scoreOf } from "../../orchestration/evaluation/test-grading.ts";
import { assert } from "../../std/assert.ts";
import type { FitnessFunction, Trial } from "../types/fitness.ts";
import type { AskedCandidate } from "./bound-candidate.ts";
import type { AskedCase } from "./case-lists.ts";
import type {
  CompleteFitness,
  CompleteScorer,
  CompleteStage,
  CompleteSuite,
} from "../options/fitness-options.ts";
import { reasonOf } from "../../model/runs/arguments.ts";
import type { Sandbox } from "../types/sandbox.ts";

interface Traces {
  readonly tests: readonly TestResult[];
  readonly stages: readonly StageResult[];
}

export type Measurement = Traces &
  (
    | { readonly ok: true; readonly score: number; readonly components: Components }
    | { readonly ok: false; readonly error: EvaluationFailure }
  );

export type Measure = (candidate: AskedCandidate, trial: Trial) => Promise<Measurement>;

/** Gives the sandbox of a scorer, the same one for the whole batch. */
export type ScorerSource = (scorer: CompleteScorer["scorer"]) => Promise<Sandbox>;

/** Failures that no candidate has earned: they cost it no points. */
const unearned: ReadonlySet<string> = new Set(["cancelled", "cell-lost", "not-running"]);

const untraced: Traces = { tests: [], stages: [] };

export function toMeasure(fitness: CompleteFitness, scorerOf: ScorerSource): Measure {
  switch (fitness.kind) {
    case "function":
      return measureByFunction(fitness.fn);
    case "suite":
      return measureBySuite(fitness);
    case "scorer":
      return measureByScorer(fitness, scorerOf);
    case "cascade":
      return measureByStages(
        fitness.stages.map((stage) => ({ stage, measure: toMeasure(stage.fitness, scorerOf) })),
      );
  }
}

function measureByFunction(fn: FitnessFunction): Measure {
  return async (candidate, trial) => {
    try {
      return toMeasurement(await fn(candidate, trial), untraced);
    } catch (error) {
      return { ...untraced, ok: false, error: failureOf(error, "the fitness function threw") };
    }
  };
}

function measureBySuite({ tests, isStrict }: CompleteSuite): Measure {
  return async (candidate) => {
    const results: TestResult[] = [];
    const traces: Traces = { tests: results, stages: [] };
    while (results.length < tests.length) {
      try {
        for (const outcome of await candidate.ask(tests, results.length, isStrict)) {
          const test = at(tests, results.length);
          if (!outcome.ok && (isStrict || unearned.has(outcome.error.kind)))
            return { ...traces, ok: false, error: { ...candidateFailed(outcome.error), test: test.name } };
          results.push(judgeTest(test, outcome));
        }
      } catch (error) {
        const { name } = at(tests, results.length);
        const failure = failureOf(error, `test ${show(name)} could not be judged`);
        return { ...traces, ok: false, error: { ...failure, test: name } };
      }
    }
    return { ...traces, ok: true, score: scoreOf(results), components: {} };
  };
}

function measureByScorer({ questions, scorer }: CompleteScorer, scorerOf: ScorerSource): Measure {
  const cases: readonly AskedCase[] = questions.map(({ call, args }) => ({ target: call, args }));
  return async (candidate, trial) => {
    try {
      const answers: unknown[] = [];
      while (answers.length < cases.length) {
        for (const outcome of await candidate.ask(cases, answers.length, true)) {
          if (!outcome.ok) return { ...untraced, ok: false, error: candidateFailed(outcome.error) };
          answers.push(outcome.value);
        }
      }
      const sandbox = await scorerOf(scorer);
      const verdict = await sandbox.call(scorer.call, {
        args: [answers],
        signal: trial.signal,
        repeatable: true,
      });
      if (verdict.ok) return toMeasurement(verdict.value, untraced);
      const { kind, message } = verdict.error;
      const error: EvaluationFailure = {
        kind: "fitness-failed",
        message: `Cannot score the answers as the scorer must not fail: ${kind}: ${message}`,
        failure: verdict.error,
      };
      return { ...untraced, ok: false, error };
    } catch (error) {
      return { ...untraced, ok: false, error: failureOf(error, "the scorer could not be asked") };
    }
  };
}

function measureByStages(
  stages: readonly { readonly stage: CompleteStage; readonly measure: Measure }[],
): Measure {
  return async (candidate, trial) => {
    let traces = untraced;
    for (const [index, { stage, measure }] of stages.entries()) {
      const { name, atLeast, atMost } = stage;
      const measured = await measure(candidate, trial);
      const tests = [...traces.tests, ...measured.tests];
      if (!measured.ok) return { ...traces, tests, ok: false, error: { ...measured.error, stage: name } };
      const { score } = measured;
      const passed = score >= atLeast && score <= atMost;
      traces = { tests, stages: [...traces.stages, { name, score, passed }] };
      if (!passed) return { ...traces, ok: false, error: stoppedAt(stage, score) };
      if (index === stages.length - 1) return { ...measured, ...traces };
    }
    assert(false, "a cascade has a last stage");
  };
}

function stoppedAt({ name, atLeast, atMost }: CompleteStage, score: number): EvaluationFailure {
  const rule = score < atLeast ? `at least ${atLeast}` : `at most ${atMost}`;
  const message = `Cannot go on after stage ${show(name)} as its score must be ${rule}: it is ${score}`;
  return { kind: "stage", message, stage: name };
}

/** A score as given by a fitness function or a scorer: nothing but finite numbers is one. */
function toMeasurement(given: unknown, traces: Traces): Measurement {
  const { score, components = {} } =
    typeof given === "object" && given !== null
      ? (given as { readonly score?: unknown; readonly components?: unknown })
      : { score: given };
  const isGood =
    isFinite(score) &&
    typeof components === "object" &&
    components !== null &&
    Object.values(components).every(isFinite);
  if (isGood) return { ...traces, ok: true, score, components: { ...components } as Components };
  const message = `Cannot use the score as it must be a finite number, with components that are: got ${shown(given)}`;
  return { ...traces, ok: false, error: { kind: "invalid-score", message } };
}

// The outcome of a run is what is most often given instead of its value.
function shown(given: unknown): string {
  const isOutcome = isRecord(given) && typeof given["ok"] === "boolean" && "usage" in given;
  return isOutcome ? "an outcome, whose value unwrap(outcome) gives" : show(given);
}

function isFinite(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function candidateFailed(failure: GuestFailure): EvaluationFailure {
  return { kind: failure.kind, message: failure.message, failure };
}

// What unwrap() throws is the candidate's failure; anything else is the caller's own.
function failureOf(error: unknown, what: string): EvaluationFailure {
  if (error instanceof GuestFailedError) return candidateFailed(error.failure);
  return { kind: "fitness-failed", message: `Cannot score as ${what}: ${reasonOf(error)}` };
}
