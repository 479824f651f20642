// `vivarium demo`: breeds programs in sandboxes, hostile ones among them, and shows what came of it.
import { createRuntime } from "../../index.ts";
import { Tracker } from "../../evolution/index.ts";
import { readArguments, type OptionRule } from "../arguments.ts";
import { binPacking } from "./bin-packing.ts";
import { breed } from "./breeding.ts";
import { chanceFrom } from "./chance.ts";
import { nguyen, nguyenCount, quickSum, square } from "./functions.ts";
import type { Problem, ProblemTerms } from "./problem.ts";
import { Run, type RunTerms } from "./run.ts";
import { Screen } from "./screen.ts";
import { toJson, toText } from "./summary.ts";
import { Trials } from "./trials.ts";

const problems: Readonly<Record<string, (terms: ProblemTerms) => Problem>> = {
  "bin-packing": binPacking,
  square,
  "quick-sum": quickSum,
  ...Object.fromEntries(
    Array.from({ length: nguyenCount }, (_, index) => [
      `nguyen-${index + 1}`,
      (terms: ProblemTerms) => nguyen(index + 1, terms),
    ]),
  ),
};

const rules: Readonly<Record<string, OptionRule>> = {
  problem: { kind: "word", words: Object.keys(problems) },
  population: { kind: "integer", min: 20, max: 10_000 },
  evaluations: { kind: "integer", min: 20, max: 100_000_000 },
  minutes: { kind: "integer", min: 1, max: 10_000 },
  seed: { kind: "integer", min: 0, max: 2 ** 24 },
  dataset: { kind: "text", isRepeated: true },
  json: { kind: "flag" },
};

const populationUsual = 800;
const islands = 4;
const seedUsual = 1;
const interruptedCode = 130;
const minuteMs = 60_000;

export const demo = {
  about: "evolves programs, live in the terminal",
  help: `Evolves a program in sandboxes, hostile mutants among the candidates, and shows the best beside what is known.

Usage: vivarium demo [options]

  --problem NAME     bin-packing (default), square, quick-sum, nguyen-1 … nguyen-${nguyenCount}
  --population N     programs per generation, 20–10000 (default ${populationUsual}), on ${islands} islands
  --evaluations N    the budget (default: some for a minute on two cores); the same seed gives the same program
  --minutes N        a budget of time instead; how far that goes depends on the machine, so the program does too
  --seed N           where chance begins, 0–${2 ** 24} (default ${seedUsual})
  --dataset FILE     bin-packing: score the result on a file of the OR-Library as well; may be repeated
  --json             the result as JSON on standard output

Examples:
  vivarium demo --seed 3
  vivarium demo --dataset binpack1.txt --dataset binpack3.txt
  vivarium demo --problem nguyen-1

Exit codes: 0 done, 1 it failed, 2 a wrong option, 130 ended by Ctrl-C (with the summary so far).
Colours are left out when NO_COLOR is set or the output is no terminal.`,
  run: runDemo,
} as const;

async function runDemo(args: readonly string[]): Promise<number> {
  const { integers, texts, flags } = readArguments(args, rules);
  const seed = integers.get("seed") ?? seedUsual;
  const make = problems[texts.get("problem")?.at(-1) ?? "bin-packing"] as (terms: ProblemTerms) => Problem;
  const problem = make({ seed, datasets: texts.get("dataset") ?? [] });
  const minutes = integers.get("minutes");
  const terms: RunTerms = {
    problem,
    seed,
    population: integers.get("population") ?? populationUsual,
    islands,
    evaluationsMax: minutes === undefined ? (integers.get("evaluations") ?? problem.evaluations) : Infinity,
    durationMsMax: minutes === undefined ? Infinity : minutes * minuteMs,
  };
  const interruption = new AbortController();
  // The first Ctrl-C ends the run in order; a second one ends the process at once, as ever.
  process.once("SIGINT", () => interruption.abort());
  return evolve(terms, interruption.signal, flags.has("json"));
}

async function evolve(terms: RunTerms, signal: AbortSignal, isJson: boolean): Promise<number> {
  const { problem, seed, population } = terms;
  await using runtime = await createRuntime();
  const tracker = new Tracker({ direction: "minimise" });
  tracker.follow(runtime.events);
  const screen = new Screen(terms);
  const trials: Trials = new Trials({
    runtime,
    problem,
    tracker,
    signal,
    chance: chanceFrom(seed + 1),
    onProgress: () => screen.progress(run),
  });
  const run: Run = new Run(terms, trials, tracker);
  const generations = breed({
    grammar: problem.grammar,
    population,
    islands: terms.islands,
    chance: chanceFrom(seed),
    tryAll: (individuals) => trials.tryAll(individuals),
  });
  for await (const generation of generations) {
    // One that was cut short says nothing of its programs.
    if (signal.aborted) break;
    await run.add(generation);
    screen.generation(run);
    if (run.isOver) break;
  }
  screen.clear();
  const result = await run.result(runtime);
  console.log(isJson ? toJson(result) : toText(result));
  if (signal.aborted && !isJson) console.log("\nEnded by Ctrl-C.");
  return signal.aborted ? interruptedCode : 0;
}
