// The interface of a problem of the demo: what programs are made of, how they are scored, and the final report.
import { GuestFailedError, type FitnessFunction, type Limits, type Runtime, type Sandbox } from "vivarium";
import type { Generation } from "./breeding.ts";
import type { Grammar, Operation } from "./tree.ts";

/** Every sandbox of the demo has these, so that those of an interrupted run are found. */
export const labels = { run: "demo" } as const;

/** A table of the summary: the first row is its heading. */
export type Report = readonly (readonly string[])[];

export interface Problem {
  readonly name: string;
  /** The goal, in one sentence. */
  readonly about: string;
  /** The unit of a score, for instance `% excess`. Less is better. */
  readonly unit: string;
  /** What a score is, in half a sentence. */
  readonly meaning: string;
  /** What known programs score on the training set, to compare with. */
  readonly known?: Readonly<Record<string, number>>;
  /** The score by which the result is chosen, in words, where it is not the one on the training set. */
  readonly choiceInWords?: (score: number) => string;
  readonly grammar: Grammar;
  /** The readable source of a module whose function returns this expression. */
  readonly toProgram: (expression: string) => string;
  /** Other modules of the sandbox, beside `candidate`. */
  readonly modules: Readonly<Record<string, string>>;
  readonly limits: Partial<Limits>;
  /** How much a candidate may use on the training set. */
  readonly trainFuel: number;
  readonly train: FitnessFunction;
  /** Called before each generation with the one before it: what is not as good as those need not be measured as well. */
  readonly expect?: (generation: Generation) => void;
  /** After how many generations the best of an island migrate, where it is not as usual. */
  readonly migrateEvery?: number;
  /** Scores the best of each island on cases outside of the training set; the best one here is the result. */
  readonly choose: FitnessFunction | undefined;
  /** A score that cannot be improved: the run ends there. */
  readonly perfect: number | undefined;
  /** The budget when none is given. */
  readonly evaluations: number;
  /** Scores a program once on cases that were never used before, beside known heuristics. */
  readonly report: (runtime: Runtime, program: string) => Promise<Report>;
}

export interface ProblemTerms {
  readonly seed: number;
  /** Files to score on as well. */
  readonly datasets: readonly string[];
}

/**
 * The score on cases that were never seen, or how the program failed. It is no evaluation of the runtime, whose scores are all of the
 * training set.
 */
export async function measure(sandbox: Sandbox, fitness: FitnessFunction): Promise<number | string> {
  try {
    const { signal } = new AbortController();
    const score = await fitness(sandbox, { index: 0, repeat: 0, signal });
    return typeof score === "number" ? score : score.score;
  } catch (error) {
    if (error instanceof GuestFailedError) return error.failure.kind;
    throw error;
  }
}

export const infix = (op: string): Operation => ({
  op,
  arity: 2,
  write: ([a, b]) => `(${a} ${op} ${b})`,
});

export const prefix = (op: string, name: string, arity = 1): Operation => ({
  op,
  arity,
  write: (args) => `${name}(${args.map(bare).join(", ")})`,
});

/** Division that always gives a number. */
export const division: Operation = prefix("/", "divide", 2);

/** Without the outermost parentheses. */
export function bare(expression: string): string {
  if (!expression.startsWith("(")) return expression;
  let open = 0;
  for (let index = 0; index < expression.length; index++) {
    if (expression[index] === "(") open++;
    else if (expression[index] === ")") open--;
    if (open === 0) return index === expression.length - 1 ? expression.slice(1, -1) : expression;
  }
  return expression;
}

const helpers: Readonly<Record<string, string>> = {
  divide: "const divide = (a: number, b: number): number => (b === 0 ? 1 : a / b);",
  logarithm: "const logarithm = (a: number): number => (a === 0 ? 0 : Math.log(Math.abs(a)));",
  exponential: "const exponential = (a: number): number => Math.exp(Math.min(a, 50));",
  sum: `const sum = (count: number, term: (i: number) => number): number => {
  let total = 0;
  for (let i = 1; i <= count; i++) total += term(i);
  return total;
};`,
};

/** The helpers that an expression calls, each as a line of code with a line feed after it. */
export function helpersFor(expression: string): string {
  const used = Object.keys(helpers).filter((name) => expression.includes(`${name}(`));
  return used.map((name) => `${helpers[name]}\n`).join("");
}
