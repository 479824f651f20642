// `vivarium demo`: reads the options of the demo in `examples/demo`, runs it as it was built into `dist/demo`, and turns
// how it ended into an exit code.
import { InvalidOptionsError } from "../model/errors.ts";
import { readArguments, type OptionRule } from "./arguments.ts";

/** What `examples/demo/demo.ts` exports. It is no source of the package, so its types are repeated here. */
export interface DemoModule {
  readonly problemNames: readonly string[];
  readonly runDemo: (options: DemoOptions) => Promise<"finished" | "interrupted">;
}

/** What is undefined was left out: a run that is continued has it already, a new one takes what is usual. */
export interface DemoOptions {
  readonly problem: string | undefined;
  readonly population: number | undefined;
  readonly seed: number | undefined;
  readonly usual: {
    readonly problem: string;
    readonly population: number;
    readonly islands: number;
    readonly seed: number;
  };
  readonly evaluations: number | undefined;
  readonly minutes: number | undefined;
  readonly datasets: readonly string[];
  readonly data: string | undefined;
  readonly isFresh: boolean;
  readonly isJson: boolean;
  readonly command: string;
  readonly signal: AbortSignal;
}

const usual = { problem: "bin-packing", population: 800, islands: 4, seed: 1 } as const;
const longProblem = "bin-packing-long";
const seedMax = 2 ** 24;
const interruptedCode = 130;

const rules = {
  population: { kind: "integer", min: 20, max: 10_000 },
  evaluations: { kind: "integer", min: 20, max: 100_000_000 },
  minutes: { kind: "integer", min: 1, max: 10_000 },
  seed: { kind: "integer", min: 0, max: seedMax },
  dataset: { kind: "file", isRepeated: true },
  data: { kind: "folder" },
  long: { kind: "flag" },
  fresh: { kind: "flag" },
  json: { kind: "flag" },
} as const satisfies Readonly<Record<string, OptionRule>>;

export const demo = {
  about: "evolves programs, live in the terminal",
  help: `Evolves a program in sandboxes, hostile mutants among the candidates, and shows the best beside what is known.

Usage: vivarium demo [options]

  --problem NAME     bin-packing (default), bin-packing-long, square, quick-sum, nguyen-1 … nguyen-12
  --population N     programs per generation, 20–10000 (default ${usual.population}), on ${usual.islands} islands
  --evaluations N    the budget (default: some for a minute on two cores); the same seed gives the same program
  --minutes N        a budget of time instead; how far that goes depends on the machine, so the program does too
  --seed N           the seed of its randomness, 0–${seedMax} (default ${usual.seed})
  --long             bin-packing for about ten minutes: rules that use what came before, bred on instances of 120 to 1000
                     items; the same as --problem ${longProblem}
  --dataset FILE     bin-packing: score the result on a file of the OR-Library as well; may be repeated
  --data DIR         saves the run in this folder after each generation; started again with the same folder, it continues
                     where it was, whatever ended it, and the result is the same as without the interruption
  --fresh            with --data: begins anew, instead of continuing what the folder has
  --json             the result as JSON on standard output

Problem, population and seed of a run that is continued are those it was started with, and may be left out. So may the
budget; a larger one continues a run that is done. Time is counted over all sittings.

Examples:
  vivarium demo --seed 3
  vivarium demo --dataset binpack1.txt --dataset binpack3.txt
  vivarium demo --long --data run-2
  vivarium demo --problem nguyen-1
  vivarium demo --data run-1 --evaluations 20000

Ctrl-C ends it with the best program so far, a second Ctrl-C at once.
Exit codes: 0 done, 1 it failed, 2 a wrong option, 130 ended by Ctrl-C.
Colours are left out when NO_COLOR is set or the output is no terminal.`,
  run,
} as const;

/** The first Ctrl-C ends the run with what it has, from the first moment on; a second one ends the process at once. */
async function run(args: readonly string[]): Promise<number> {
  const interruption = new AbortController();
  const interrupt = (): void => {
    if (interruption.signal.aborted) process.exit(interruptedCode);
    interruption.abort();
  };
  process.on("SIGINT", interrupt);
  try {
    return await runUntil(interruption.signal, args);
  } finally {
    process.off("SIGINT", interrupt);
  }
}

async function runUntil(signal: AbortSignal, args: readonly string[]): Promise<number> {
  const { problemNames, runDemo } = await loadDemo();
  const { integers, texts, flags } = readArguments(args, {
    problem: { kind: "word", words: problemNames },
    ...rules,
  });
  const data = texts.get("data")?.at(-1);
  if (flags.has("fresh") && data === undefined)
    throw new InvalidOptionsError("Cannot use --fresh as it must come with --data: got no folder", "fresh");
  const end = await runDemo({
    problem: problemOf(texts.get("problem")?.at(-1), flags.has("long")),
    population: integers.get("population"),
    seed: integers.get("seed"),
    usual,
    evaluations: integers.get("evaluations"),
    minutes: integers.get("minutes"),
    datasets: texts.get("dataset") ?? [],
    data,
    isFresh: flags.has("fresh"),
    isJson: flags.has("json"),
    // npm says so when it runs the script `start`.
    command: process.env["npm_lifecycle_event"] === "start" ? "npm start --" : "npx vivarium demo",
    signal,
  });
  return end === "interrupted" ? interruptedCode : 0;
}

function problemOf(problem: string | undefined, isLong: boolean): string | undefined {
  if (!isLong) return problem;
  if (problem === undefined || problem === usual.problem || problem === longProblem) return longProblem;
  const rule = `it must be without --problem, or with ${usual.problem}`;
  throw new InvalidOptionsError(`Cannot use --long as ${rule}: got ${JSON.stringify(problem)}`, "long");
}

/** Only this command needs it, so only this command loads it. */
async function loadDemo(): Promise<DemoModule> {
  // The path holds for the sources as well as for the built package, as both lie two folders below the root.
  const url = new URL("../../dist/demo/demo.js", import.meta.url);
  // The compiler cannot see a file that is built after this one; a test checks that the example has these exports.
  return (await import(url.href)) as DemoModule;
}
