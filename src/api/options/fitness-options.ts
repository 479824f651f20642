// Reads a fitness and the options of an evaluation at the edge, complete and checked.
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { summaries, type Summary } from "../../orchestration/evaluation/summary.ts";
import type { CompleteTest, Judge } from "../../orchestration/evaluation/test-grading.ts";
import type { EvaluateOptions, FitnessFunction, GuestScorer, Stage } from "../types/fitness.ts";
import {
  readBoolean,
  readFields,
  readFunction,
  readInteger,
  readList,
  readWords,
  type Fields,
} from "./options.ts";
import { calleeOf, toWireArgs } from "./run-options.ts";

const argsBytesMax = 2 ** 30;
const timeoutMsMax = 3_600_000;
const repeatsMax = 10_000;
const populationLengthMax = 128;

export interface CompleteSuite {
  readonly kind: "suite";
  readonly tests: readonly CompleteTest[];
  readonly isStrict: boolean;
}

/** A fitness in one of its forms, complete. */
export type CompleteFitness =
  | { readonly kind: "function"; readonly fn: FitnessFunction }
  | CompleteSuite
  | ({ readonly kind: "scorer" } & GuestScorer)
  | { readonly kind: "cascade"; readonly stages: readonly CompleteStage[] };

export interface CompleteStage extends Required<Omit<Stage, "fitness">> {
  readonly fitness: CompleteFitness;
}

export function readFitness(given: unknown, path = "fitness"): CompleteFitness {
  if (typeof given === "function") return { kind: "function", fn: given as FitnessFunction };
  const has = (name: string): boolean => typeof given === "object" && given !== null && name in given;
  if (has("tests")) return readSuite(given, path);
  if (has("scorer")) return readScorer(given, path);
  if (has("stages") && path === "fitness") return readCascade(given, path);
  throw new InvalidOptionsError(
    `Cannot use ${path} as it must be a function, or have tests, a scorer, or stages: got ${show(given)}`,
    path,
  );
}

function readSuite(given: unknown, path: string): CompleteSuite {
  const { tests, failedRun } = readFields(given, path, ["tests", "failedRun"]);
  readWords(failedRun, `${path}.failedRun`, ["fail", "no-points"]);
  const list = readFilledList(tests, `${path}.tests`);
  return {
    kind: "suite",
    tests: list.map((test, index) => readTest(test, `${path}.tests[${index}]`)),
    isStrict: failedRun !== "no-points",
  };
}

function readTest(given: unknown, path: string): CompleteTest {
  const names = ["name", "call", "args", "expected", "tolerance", "check", "points", "hidden", "timeoutMs"];
  const test = readFields(given, path, names);
  const ms = readInteger(test, { path, name: "timeoutMs" }, { min: 1, max: timeoutMsMax, default: 0 });
  return {
    ...readQuestion(test, path),
    name: readText(test["name"], `${path}.name`),
    judge: readJudge(test, path),
    points: readNumber(test["points"] ?? 1, `${path}.points`, { min: Number.MIN_VALUE }),
    isHidden: readBoolean(test, { path, name: "hidden" }, false),
    timeoutMs: ms === 0 ? undefined : ms,
  };
}

function readJudge(test: Fields, path: string): Judge {
  const { check, expected } = test;
  if ("expected" in test === (check !== undefined)) {
    const rule = "it must have either expected or check";
    throw new InvalidOptionsError(
      `Cannot use ${path} as ${rule}: got ${check === undefined ? "neither" : "both"}`,
      path,
    );
  }
  if (check === undefined) {
    const tolerance = readNumber(test["tolerance"] ?? 0, `${path}.tolerance`, { min: 0 });
    return { kind: "expected", expected, tolerance };
  }
  readFunction(check, `${path}.check`);
  return { kind: "check", check: check as (answer: unknown) => boolean | number };
}

function readScorer(given: unknown, path: string): CompleteFitness {
  const { questions, scorer } = readFields(given, path, ["questions", "scorer"]);
  const own = readFields(scorer, `${path}.scorer`, ["modules", "call", "limits"]);
  calleeOf(own["call"]);
  const list = readFilledList(questions, `${path}.questions`).map((question, index) => {
    const at = `${path}.questions[${index}]`;
    const { target, args } = readQuestion(readFields(question, at, ["call", "args"]), at);
    return { call: target, args };
  });
  return { kind: "scorer", questions: list, scorer: own as unknown as GuestScorer["scorer"] };
}

function readCascade(given: unknown, path: string): CompleteFitness {
  const { stages } = readFields(given, path, ["stages"]);
  const list = readFilledList(stages, `${path}.stages`);
  return {
    kind: "cascade",
    stages: list.map((stage, index) => {
      const at = `${path}.stages[${index}]`;
      const fields = readFields(stage, at, ["name", "fitness", "atLeast", "atMost"]);
      return {
        name: readText(fields["name"], `${at}.name`),
        fitness: readFitness(fields["fitness"], `${at}.fitness`),
        atLeast: readNumber(fields["atLeast"] ?? -Infinity, `${at}.atLeast`),
        atMost: readNumber(fields["atMost"] ?? Infinity, `${at}.atMost`),
      };
    }),
  };
}

function readQuestion(fields: Fields, path: string): Pick<CompleteTest, "target" | "args"> {
  calleeOf(fields["call"]);
  const args = readList(fields["args"] ?? [], `${path}.args`);
  toWireArgs(args, argsBytesMax);
  return { target: fields["call"] as `${string}.${string}`, args };
}

/** The options of an evaluation that are not those of every batch. */
export interface CompleteEvaluation {
  readonly itemDeadlineMs: number;
  readonly repeats: number;
  readonly summary: Summary;
  /** What the caller takes a failure for. */
  readonly failureScore: number | undefined;
  readonly population: string;
}

export const evaluateNames: readonly (keyof EvaluateOptions)[] = [
  "itemDeadlineMs",
  "repeats",
  "summary",
  "onFailure",
  "population",
  "timeoutMs",
  "cpuMs",
  "fuel",
];

export function readEvaluation(fields: Fields, deadlineMs: number): CompleteEvaluation {
  const at = (name: string): { path: string; name: string } => ({ path: "options", name });
  const { summary, onFailure } = fields;
  readWords(summary, "options.summary", summaries);
  const mapped =
    onFailure === undefined || onFailure === "record"
      ? undefined
      : readFields(onFailure, "options.onFailure", ["score"]);
  return {
    itemDeadlineMs: readInteger(fields, at("itemDeadlineMs"), {
      min: 1,
      max: 24 * timeoutMsMax,
      default: deadlineMs,
    }),
    repeats: readInteger(fields, at("repeats"), { min: 1, max: repeatsMax, default: 1 }),
    summary: (summary as Summary | undefined) ?? "mean",
    failureScore: mapped === undefined ? undefined : readFinite(mapped["score"], "options.onFailure.score"),
    population: readPopulation(fields["population"]),
  };
}

function readPopulation(value: unknown): string {
  if (value === undefined) return "default";
  if (typeof value === "string" && value !== "" && value.length <= populationLengthMax) return value;
  const path = "options.population";
  const rule = `a text of 1–${populationLengthMax} characters`;
  throw new InvalidOptionsError(`Cannot set ${path} as it must be ${rule}: got ${show(value)}`, path);
}

function readFilledList(value: unknown, path: string): readonly unknown[] {
  const list = readList(value, path);
  if (list.length > 0) return list;
  throw new InvalidOptionsError(`Cannot use ${path} as it must not be empty: it is`, path);
}

function readText(value: unknown, path: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new InvalidOptionsError(`Cannot use ${path} as it must be a text: got ${show(value)}`, path);
}

function readNumber(
  value: unknown,
  path: string,
  { min = -Infinity }: { readonly min?: number } = {},
): number {
  if (typeof value === "number" && value >= min) return value;
  const rule = min === -Infinity ? "a number" : `a number of at least ${min}`;
  throw new InvalidOptionsError(`Cannot set ${path} as it must be ${rule}: got ${show(value)}`, path);
}

function readFinite(value: unknown, path: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new InvalidOptionsError(`Cannot set ${path} as it must be a finite number: got ${show(value)}`, path);
}
