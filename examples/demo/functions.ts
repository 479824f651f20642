// Problems whose answer is a function of numbers: the square, the Nguyen set, and a sum that should be quick.
import { unwrap, type Candidate, type FitnessFunction, type Outcome, type Runtime } from "vivarium";
import { seededRandom } from "./random.ts";
import {
  measure,
  bare,
  division,
  helpersFor,
  infix,
  labels,
  prefix,
  type Problem,
  type ProblemTerms,
  type Report,
} from "./problem.ts";
import type { Grammar } from "./tree.ts";

type Point = readonly number[];

const limits = {
  memoryBytes: 16 * 2 ** 20,
  fuel: 10_000_000,
  timeoutMs: 60_000,
  loadMs: 60_000,
  compileMs: 60_000,
} as const;
const trainFuel = 100_000;
/** The weight of an error of one, where fuel is part of the fitness. A loop costs more than a small error. */
const errorFuel = 20;
/** Errors below this are rounding. */
const roundingError = 1e-9;

/** Computes all points at once; the expected values stay on the host. */
const asker = `
import { f } from "./candidate.ts";
export const answers = (points: number[][]) => points.map((point) => f(...point));`;

async function ask(candidate: Candidate, points: readonly Point[]): Promise<Outcome<readonly unknown[]>> {
  return candidate.call<readonly unknown[]>("asker.answers", { args: [points] });
}

function meanError(answers: unknown, expected: readonly number[]): number {
  if (!Array.isArray(answers) || answers.length !== expected.length) return Number.NaN;
  const sum = expected.reduce((total, right, index) => {
    const answer: unknown = answers[index];
    return total + (typeof answer === "number" ? Math.abs(answer - right) : Number.NaN);
  }, 0);
  const mean = sum / expected.length;
  return mean < roundingError ? 0 : mean;
}

function errorOn(points: readonly Point[], target: (...point: readonly number[]) => number): FitnessFunction {
  const expected = points.map((point) => target(...point));
  return async (candidate) => meanError(unwrap(await ask(candidate, points)), expected);
}

const toProgramOf =
  (parameters: readonly string[]) =>
  (expression: string): string => {
    const signature = parameters.map((name) => `${name}: number`).join(", ");
    return `${helpersFor(expression)}export function f(${signature}): number {\n  return ${bare(expression)};\n}`;
  };

async function reportOn(
  runtime: Runtime,
  program: string,
  tests: Readonly<Record<string, FitnessFunction>>,
): Promise<Report> {
  await using sandbox = await runtime.create({ modules: { candidate: program, asker }, limits, labels });
  const rows = await Promise.all(
    Object.entries(tests).map(async ([name, fitness]) => {
      const score = await measure(sandbox, fitness);
      return [name, typeof score === "number" ? String(Number(score.toPrecision(4))) : score];
    }),
  );
  return [["on points that were never seen", "mean"], ...rows];
}

/** Finds x · x from sums, differences and products. */
export function square(): Problem {
  const target = (x = 0): number => x * x;
  const points = [-5, -3, -2, -1, 0, 1, 2, 4, 7, 10].map((x) => [x]);
  const test = [-40, -11, 3, 6, 25, 100].map((x) => [x]);
  return {
    name: "square",
    about: "the square of a number",
    unit: "mean error",
    meaning: "the mean distance from the right values",
    grammar: { variables: ["x"], numbers: [0, 1, 2, 3], operations: [infix("+"), infix("-"), infix("*")] },
    toProgram: toProgramOf(["x"]),
    modules: { asker },
    limits,
    trainFuel,
    train: errorOn(points, target),
    choose: undefined,
    perfect: 0,
    evaluations: 4_000,
    report: (runtime, program) => reportOn(runtime, program, { "mean error": errorOn(test, target) }),
  };
}

interface Nguyen {
  readonly parameters: readonly string[];
  readonly range: readonly [number, number];
  readonly f: (x: number, y: number) => number;
}

/** The Nguyen problems of symbolic regression: 20 points drawn evenly from a range. */
const nguyenSet: readonly Nguyen[] = [
  { parameters: ["x"], range: [-1, 1], f: (x) => x ** 3 + x ** 2 + x },
  { parameters: ["x"], range: [-1, 1], f: (x) => x ** 4 + x ** 3 + x ** 2 + x },
  { parameters: ["x"], range: [-1, 1], f: (x) => x ** 5 + x ** 4 + x ** 3 + x ** 2 + x },
  { parameters: ["x"], range: [-1, 1], f: (x) => x ** 6 + x ** 5 + x ** 4 + x ** 3 + x ** 2 + x },
  { parameters: ["x"], range: [-1, 1], f: (x) => Math.sin(x ** 2) * Math.cos(x) - 1 },
  { parameters: ["x"], range: [-1, 1], f: (x) => Math.sin(x) + Math.sin(x + x ** 2) },
  { parameters: ["x"], range: [0, 2], f: (x) => Math.log(x + 1) + Math.log(x ** 2 + 1) },
  { parameters: ["x"], range: [0, 4], f: (x) => Math.sqrt(x) },
  { parameters: ["x", "y"], range: [0, 1], f: (x, y) => Math.sin(x) + Math.sin(y ** 2) },
  { parameters: ["x", "y"], range: [0, 1], f: (x, y) => 2 * Math.sin(x) * Math.cos(y) },
  { parameters: ["x", "y"], range: [0, 1], f: (x, y) => x ** y },
  { parameters: ["x", "y"], range: [0, 1], f: (x, y) => x ** 4 - x ** 3 + y ** 2 / 2 - y },
];

export const nguyenCount: number = nguyenSet.length;

/** Finds the function behind 20 points. */
export function nguyen(number: number, { seed }: ProblemTerms): Problem {
  const { parameters, range, f } = nguyenSet[number - 1] as Nguyen; // From 1 to nguyenCount, as checked with the options.
  const [low, high] = range;
  const draw = (at: number, count: number): readonly Point[] => {
    const random = seededRandom(seed * 100 + at);
    return Array.from({ length: count }, () => parameters.map(() => low + (high - low) * random.next()));
  };
  const target = (x = 0, y = 0): number => f(x, y);
  const grammar: Grammar = {
    variables: parameters,
    numbers: [1],
    operations: [
      infix("+"),
      infix("-"),
      infix("*"),
      division,
      prefix("sin", "Math.sin"),
      prefix("cos", "Math.cos"),
      prefix("exp", "exponential"),
      prefix("log", "logarithm"),
    ],
  };
  return {
    name: `nguyen-${number}`,
    about: `the function behind 20 points: Nguyen-${number}`,
    unit: "mean error",
    meaning: "the mean distance from the right values",
    grammar,
    toProgram: toProgramOf(parameters),
    modules: { asker },
    limits,
    trainFuel,
    train: errorOn(draw(1, 20), target),
    choose: undefined,
    perfect: 0,
    evaluations: 20_000,
    report: (runtime, program) => reportOn(runtime, program, { "mean error": errorOn(draw(2, 100), target) }),
  };
}

/** Finds the sum of 1 … n, where every turn of a loop costs: fuel is part of the fitness. */
export function quickSum(): Problem {
  const target = (n = 0): number => (n * (n + 1)) / 2;
  const points = [1, 2, 3, 5, 8, 13, 50].map((n) => [n]);
  const fuelOf: FitnessFunction = async (candidate) => {
    const outcome = await ask(candidate, [[100]]);
    unwrap(outcome);
    return outcome.usage.fuel ?? Number.NaN;
  };
  const expected = points.map(([n]) => target(n));
  const train: FitnessFunction = async (candidate) => {
    const outcome = await ask(candidate, points);
    const error = meanError(unwrap(outcome), expected);
    const fuel = outcome.usage.fuel ?? Number.NaN;
    return { score: error * errorFuel + fuel, components: { error, fuel } };
  };
  return {
    name: "quick-sum",
    about: "the sum of 1 … n in as few loop turns and calls as possible",
    unit: "fuel + error",
    meaning: "loop turns and calls, and twenty times the mean error",
    grammar: {
      variables: ["n", "n", "sum(n, (i) => i)"],
      numbers: [1, 2],
      operations: [infix("+"), infix("-"), infix("*"), infix("/")],
    },
    toProgram: toProgramOf(["n"]),
    modules: { asker },
    limits,
    trainFuel,
    train,
    choose: undefined,
    // One entry for the caller and two for each point: the minimum.
    perfect: 1 + 2 * points.length,
    evaluations: 6_000,
    report: (runtime, program) =>
      reportOn(runtime, program, {
        "mean error": errorOn(
          [4, 20, 100, 999].map((n) => [n]),
          target,
        ),
        "fuel for n = 100": fuelOf,
      }),
  };
}
