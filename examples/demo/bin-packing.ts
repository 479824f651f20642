// Online bin packing, the problem of FunSearch (Nature 2023): what is evolved is the priority of a bin for an item.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { unwrap, type Candidate, type FitnessFunction, type Runtime } from "vivarium";
import { bestFitOn, excessOf, generateSet, packer, packerArgs, readSet, type PackingSet } from "./packing.ts";
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
import type { Operation } from "./tree.ts";

const trainFuel = 5_000_000;
const reportFuel = 2_000_000_000;

/** The excess in % that is published for the OR-Library's sets: of Best Fit, and of FunSearch's own heuristic. */
export const published: Readonly<Record<number, { readonly bestFit: number; readonly funSearch: number }>> = {
  120: { bestFit: 5.81, funSearch: 5.3 },
  250: { bestFit: 6.06, funSearch: 4.19 },
  500: { bestFit: 5.37, funSearch: 3.11 },
  1000: { bestFit: 4.94, funSearch: 2.47 },
};

export const limits = {
  memoryBytes: 16 * 2 ** 20,
  fuel: 200_000_000,
  timeoutMs: 60_000,
  loadMs: 60_000,
  compileMs: 60_000,
} as const;

export const operations: readonly Operation[] = [
  infix("+"),
  infix("-"),
  infix("*"),
  division,
  prefix("min", "Math.min", 2),
  prefix("max", "Math.max", 2),
  prefix("abs", "Math.abs"),
  { op: "?", arity: 4, write: ([a, b, c, d]) => `(${a} < ${b} ? ${c} : ${d})` },
];

/** A well-known heuristic, in the same form as an evolved one. */
export const classics: Readonly<Record<string, string>> = { "First Fit": "0", "Best Fit": "-room" };

export function toProgram(expression: string): string {
  const usesRest = /\brest\b/.test(expression);
  return `${helpersFor(expression)}/** Of the bins that fit and a new one, the highest priority gets the item. */
export function priority(item: number, room: number): number {
${usesRest ? "  const rest = room - item;\n" : ""}  return ${bare(expression)};
}`;
}

/** Mean bins over the mean lower bound, in percent beyond it. The packings are checked and counted here, on the host. */
export function scoreOn(set: PackingSet): (candidate: Candidate) => Promise<number> {
  const args = packerArgs(set);
  return async (candidate) => {
    const packings = unwrap(await candidate.call("packer.pack", { args }));
    return excessOf(set, packings) ?? Number.NaN;
  };
}

/** The difference from Best Fit on the set with the least gain: the result should be better on all of them. */
function leastGainOn(sets: readonly PackingSet[]): FitnessFunction {
  const known = sets.map(bestFitOn);
  return async (candidate) => {
    let worst = -Infinity;
    for (const [index, set] of sets.entries())
      worst = Math.max(worst, (await scoreOn(set)(candidate)) - (known[index] ?? Number.NaN));
    return worst;
  };
}

function gainInWords(gain: number): string {
  const points = Math.abs(gain).toFixed(2);
  if (Number(points) === 0) return "as good as Best Fit, on other bins";
  return `${points} points of excess ${gain > 0 ? "more" : "less"} than Best Fit, on other bins`;
}

export function binPacking({ seed, datasets }: ProblemTerms): Problem {
  // Every set has a seed of its own: the training, selection and test sets are disjoint.
  const make = (
    name: string,
    at: number,
    shape: { readonly instances: number; readonly items: number },
  ): PackingSet => generateSet(name, { ...shape, seed: seed * 100 + at });
  const train = make("train", 1, { instances: 10, items: 250 });
  const choice = [
    make("choice, 120 items", 2, { instances: 100, items: 120 }),
    make("choice, 250 items", 3, { instances: 40, items: 250 }),
  ];
  const tests = [120, 250, 500].map((items, at) =>
    make(`generated, ${items} items`, 10 + at, { instances: 20, items }),
  );
  const files = readFiles(datasets);
  return {
    name: "bin-packing",
    about: "a rule that packs items, which come one by one, into few bins",
    unit: "% excess",
    meaning: "excess: bins beyond the lower bound, in % of it",
    known: { "Best Fit": bestFitOn(train) },
    choiceInWords: gainInWords,
    grammar: {
      variables: ["item", "room", "rest"],
      numbers: [0, 1, 2, 5, 10, 20, 30, 50, 75, 100, 150],
      operations,
    },
    toProgram,
    modules: { packer },
    limits,
    trainFuel,
    train: scoreOn(train),
    choose: leastGainOn(choice),
    perfect: undefined,
    evaluations: 7_000,
    report: (runtime, program) =>
      report(runtime, { candidate: program, packer }, [...tests.map((set) => ({ set })), ...files]),
  };
}

/** Instances on which a result is scored, with the excess that is published for FunSearch's. */
export interface TestSet {
  readonly set: PackingSet;
  readonly reference?: string | undefined;
}

/** Files of the OR-Library; those of its u-sets have a published figure. */
export function readFiles(paths: readonly string[]): readonly TestSet[] {
  return paths.map((path) => {
    const text = readFileSync(path, "utf8");
    const known = published[Number(/\bu(\d+)_/.exec(text)?.[1])];
    return { set: readSet(basename(path), text), reference: known?.funSearch.toFixed(2) };
  });
}

/** Scores the modules of a result beside First Fit and Best Fit. */
export async function report(
  runtime: Runtime,
  evolved: Readonly<Record<string, string>>,
  sets: readonly TestSet[],
): Promise<Report> {
  const known = Object.values(classics).map((code) => ({ candidate: toProgram(code), packer }));
  const created = await runtime.batch.create(
    [evolved, ...known].map((modules) => ({
      modules,
      labels,
      limits: { ...limits, memoryBytes: 64 * 2 ** 20, fuel: reportFuel },
    })),
  );
  const ids = created.map(({ sandboxId }) => sandboxId);
  const sandboxes = await Promise.all(ids.map((id) => runtime.get(id)));
  const columns = await Promise.all(
    sets.map(async ({ set }) => {
      const scores = await Promise.all(sandboxes.map((sandbox) => measure(sandbox, scoreOn(set))));
      return scores.map((score) => (typeof score === "number" ? score.toFixed(2) : score));
    }),
  );
  await runtime.batch.destroy(ids);
  const hasPublished = sets.some(({ reference }) => reference !== undefined);
  const heading = [
    "excess in %",
    "First Fit",
    "Best Fit",
    "evolved",
    ...(hasPublished ? ["FunSearch, published"] : []),
  ];
  const rows = sets.map(({ set, reference = "" }, index) => {
    const [evolved = "", first = "", best = ""] = columns[index] ?? [];
    return [set.name, first, best, evolved, ...(hasPublished ? [reference] : [])];
  });
  return [heading, ...rows];
}
