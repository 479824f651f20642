// A fitness and the options of an evaluation, complete and checked.
import { InvalidOptionsError } from "../../model/errors.ts";
import {
  boolean,
  custom,
  fields,
  func,
  integer,
  isRecord,
  list,
  number,
  oneOf,
  required,
  text,
  unread,
  type Read,
  type Schema,
  type Shape,
} from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { summaries } from "../../orchestration/evaluation/summary.ts";
import type { CompleteTest, Judge } from "../../orchestration/evaluation/test-grading.ts";
import type { BatchOptions, EvaluateOptions } from "../types/batch.ts";
import type { FitnessFunction, GuestScorer, Stage, TestCase } from "../types/fitness.ts";
import { boundsTable, calleeOf, toWireArgs } from "./run-options.ts";
import { anyList } from "./options.ts";
import { readModules } from "./spec.ts";

const argsBytesMax = 2 ** 30;
const timeoutMsMax = 3_600_000;
const namesShownMax = 5;

const call: Schema<TestCase["call"]> = custom((value, path) => {
  if (typeof value !== "string")
    throw new InvalidOptionsError(
      `Cannot use ${path} as it must be "module.export", as in "main.f": got ${show(value)}`,
      path,
    );
  const { module, export: exported } = calleeOf(value);
  return `${module}.${exported}` as const;
});

const args: Schema<readonly unknown[]> = custom((value = [], path) => {
  const given = anyList.read(value, path);
  toWireArgs(given, argsBytesMax);
  return given;
});

const testOptions = fields({
  name: required(text()),
  call,
  args,
  expected: unread,
  tolerance: number({ min: 0, default: 0 }),
  check: func<(answer: unknown) => boolean | number>(),
  points: number({ min: Number.MIN_VALUE, default: 1 }),
  hidden: boolean(false),
  timeoutMs: integer({ min: 1, max: timeoutMsMax }),
} satisfies Shape<TestCase>);

const suiteOptions = fields({
  tests: list(custom(readTest), { isFilled: true }),
  failedRun: oneOf(["fail", "no-points"], "fail"),
});

const scorerOptions = fields({
  questions: list(fields({ call, args }), { isFilled: true }),
  scorer: fields({
    modules: custom((value) => Object.fromEntries(readModules(value))),
    call,
    limits: unread,
    profile: unread,
    placement: unread,
  } satisfies Shape<GuestScorer["scorer"]>),
});

const stageOptions = fields({
  name: required(text()),
  fitness: custom((value, path) => readFitness(value, path)) as Schema<CompleteFitness>,
  atLeast: number({ default: -Infinity }),
  atMost: number({ default: Infinity }),
} satisfies Shape<Stage>);

const cascadeOptions = fields({ stages: list(stageOptions, { isFilled: true }) });

export interface CompleteSuite {
  readonly kind: "suite";
  readonly tests: readonly CompleteTest[];
  readonly isStrict: boolean;
}

export type CompleteScorer = Read<typeof scorerOptions>;

export interface CompleteStage extends Required<Omit<Stage, "fitness">> {
  readonly fitness: CompleteFitness;
}

/** A fitness in one of its forms, complete. */
export type CompleteFitness =
  | { readonly kind: "function"; readonly fn: FitnessFunction }
  | CompleteSuite
  | ({ readonly kind: "scorer" } & CompleteScorer)
  | { readonly kind: "cascade"; readonly stages: readonly CompleteStage[] };

export function readFitness(given: unknown, path = "fitness"): CompleteFitness {
  if (typeof given === "function") return { kind: "function", fn: given as FitnessFunction };
  const has = (name: string): boolean => isRecord(given) && name in given;
  if (has("tests")) {
    const { tests, failedRun } = suiteOptions.read(given, path);
    return { kind: "suite", tests, isStrict: failedRun === "fail" };
  }
  if (has("scorer")) return { kind: "scorer", ...scorerOptions.read(given, path) };
  if (has("stages") && path === "fitness") return { kind: "cascade", ...cascadeOptions.read(given, path) };
  // An object is shown by its names: most often one of them is misspelt.
  const got = isRecord(given) ? `{ ${Object.keys(given).slice(0, namesShownMax).join(", ")} }` : show(given);
  const forms = "a function, { tests }, { questions, scorer }, or { stages }";
  throw new InvalidOptionsError(`Cannot use ${path} as it must be ${forms}: got ${got}`, path);
}

function readTest(given: unknown, path: string): CompleteTest {
  const test = testOptions.read(given, path);
  const { name, call: target, args, points, hidden: isHidden, timeoutMs } = test;
  const hasExpected = isRecord(given) && "expected" in given;
  return { name, target, args, points, isHidden, timeoutMs, judge: judgeOf(test, hasExpected, path) };
}

function judgeOf(test: Read<typeof testOptions>, hasExpected: boolean, path: string): Judge {
  const { check, expected, tolerance } = test;
  if (hasExpected === (check !== undefined)) {
    const got = check === undefined ? "neither" : "both";
    const message = `Cannot use ${path} as it must have either expected or check: got ${got}`;
    throw new InvalidOptionsError(message, path);
  }
  return check === undefined ? { kind: "expected", expected, tolerance } : { kind: "check", check };
}

const mappedOptions = fields({ score: required(number({ isFinite: true })) });

/** The options of an evaluation that are not those of every batch. */
export const evaluationTable = {
  itemDeadlineMs: integer({ min: 1, max: 24 * timeoutMsMax }),
  repeats: integer({ min: 1, max: 10_000, default: 1 }),
  summary: oneOf(summaries, "mean"),
  /** The score that the caller takes a failure for. */
  onFailure: custom((value = "record", path) =>
    value === "record" ? undefined : mappedOptions.read(value, path).score,
  ),
  population: text({ max: 128, default: "default" }),
  ...boundsTable,
} satisfies Shape<Omit<EvaluateOptions, keyof BatchOptions>>;
