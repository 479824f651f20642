// Online bin packing, the problem of FunSearch (Nature 2023): what is evolved is the priority of a bin for an item.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { unwrap, type Candidate, type FitnessFunction, type Runtime } from "vivarium";
import { bestFitOn, excessOf, generateSet, packer, packerArgs, readSet, type PackingSet } from "./packing.ts";
import {
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

const fuelMax = 200_000_000;
const trainFuel = 5_000_000;

/** The excess that FunSearch's own heuristic reaches on the OR-Library's sets, by their number of items. */
const published: Readonly<Record<string, string>> = {
  u120: "5.30",
  u250: "4.19",
  u500: "3.11",
  u1000: "2.47",
};

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
  const files = datasets.map((path) => {
    const text = readFileSync(path, "utf8");
    return {
      set: readSet(basename(path), text),
      reference: published[/\b(u\d+)_/.exec(text)?.[1] ?? ""] ?? "",
    };
  });
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
      operations: [
        infix("+"),
        infix("-"),
        infix("*"),
        division,
        prefix("min", "Math.min", 2),
        prefix("max", "Math.max", 2),
        prefix("abs", "Math.abs"),
        { op: "?", arity: 4, write: ([a, b, c, d]) => `(${a} < ${b} ? ${c} : ${d})` },
      ],
    },
    toProgram,
    modules: { packer },
    limits: {
      memoryBytes: 16 * 2 ** 20,
      fuel: fuelMax,
      timeoutMs: 60_000,
      loadMs: 60_000,
      compileMs: 60_000,
    },
    trainFuel,
    train: scoreOn(train),
    choose: leastGainOn(choice),
    perfect: undefined,
    evaluations: 7_000,
    report: (runtime, program) =>
      report(runtime, program, [...tests.map((set) => ({ set, reference: "" })), ...files]),
  };
}

async function report(
  runtime: Runtime,
  program: string,
  sets: readonly { readonly set: PackingSet; readonly reference: string }[],
): Promise<Report> {
  const programs = {
    evolved: program,
    ...Object.fromEntries(Object.entries(classics).map(([name, code]) => [name, toProgram(code)])),
  };
  const created = await runtime.batch.create(
    Object.values(programs).map((candidate) => ({
      modules: { candidate, packer },
      labels,
      limits: { memoryBytes: 64 * 2 ** 20, fuel: fuelMax, timeoutMs: 60_000 },
    })),
  );
  const ids = created.map(({ sandboxId }) => sandboxId);
  const columns = await Promise.all(
    sets.map(async ({ set }) => {
      const results = await runtime.batch.evaluate(ids, scoreOn(set));
      return results.map((result) => (result.ok ? `${result.score.toFixed(2)}` : result.error.kind));
    }),
  );
  await runtime.batch.destroy(ids);
  const hasPublished = sets.some(({ reference }) => reference !== "");
  const heading = [
    "excess in %",
    "First Fit",
    "Best Fit",
    "evolved",
    ...(hasPublished ? ["FunSearch, published"] : []),
  ];
  const rows = sets.map(({ set, reference }, index) => {
    const [evolved = "", first = "", best = ""] = columns[index] ?? [];
    return [set.name, first, best, evolved, ...(hasPublished ? [reference] : [])];
  });
  return [heading, ...rows];
}
