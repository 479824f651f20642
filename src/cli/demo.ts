// `vivarium demo`: reads the options of the demo in `examples/demo`, runs it as it was built into `dist/demo`, and turns
// how it ended into an exit code.
import { readArguments, type OptionRule } from "./arguments.ts";

/** What `examples/demo/demo.ts` exports. It is no source of the package, so its types are repeated here. */
export interface DemoModule {
  readonly problemNames: readonly string[];
  readonly runDemo: (options: DemoOptions) => Promise<"finished" | "interrupted">;
}

export interface DemoOptions {
  readonly problem: string;
  readonly population: number;
  readonly islands: number;
  readonly evaluations: number | undefined;
  readonly minutes: number | undefined;
  readonly seed: number;
  readonly datasets: readonly string[];
  readonly isJson: boolean;
}

const populationUsual = 800;
const islands = 4;
const seedUsual = 1;
const seedMax = 2 ** 24;
const interruptedCode = 130;

const rules = {
  population: { kind: "integer", min: 20, max: 10_000 },
  evaluations: { kind: "integer", min: 20, max: 100_000_000 },
  minutes: { kind: "integer", min: 1, max: 10_000 },
  seed: { kind: "integer", min: 0, max: seedMax },
  dataset: { kind: "text", isRepeated: true },
  json: { kind: "flag" },
} as const satisfies Readonly<Record<string, OptionRule>>;

export const demo = {
  about: "evolves programs, live in the terminal",
  help: `Evolves a program in sandboxes, hostile mutants among the candidates, and shows the best beside what is known.

Usage: vivarium demo [options]

  --problem NAME     bin-packing (default), square, quick-sum, nguyen-1 … nguyen-12
  --population N     programs per generation, 20–10000 (default ${populationUsual}), on ${islands} islands
  --evaluations N    the budget (default: some for a minute on two cores); the same seed gives the same program
  --minutes N        a budget of time instead; how far that goes depends on the machine, so the program does too
  --seed N           the seed of its randomness, 0–${seedMax} (default ${seedUsual})
  --dataset FILE     bin-packing: score the result on a file of the OR-Library as well; may be repeated
  --json             the result as JSON on standard output

Examples:
  vivarium demo --seed 3
  vivarium demo --dataset binpack1.txt --dataset binpack3.txt
  vivarium demo --problem nguyen-1

Exit codes: 0 done, 1 it failed, 2 a wrong option, 130 ended by Ctrl-C (with the summary so far).
Colours are left out when NO_COLOR is set or the output is no terminal.`,
  run,
} as const;

async function run(args: readonly string[]): Promise<number> {
  const { problemNames, runDemo } = await loadDemo();
  const { integers, texts, flags } = readArguments(args, {
    problem: { kind: "word", words: problemNames },
    ...rules,
  });
  const end = await runDemo({
    problem: texts.get("problem")?.at(-1) ?? "bin-packing",
    population: integers.get("population") ?? populationUsual,
    islands,
    evaluations: integers.get("evaluations"),
    minutes: integers.get("minutes"),
    seed: integers.get("seed") ?? seedUsual,
    datasets: texts.get("dataset") ?? [],
    isJson: flags.has("json"),
  });
  return end === "interrupted" ? interruptedCode : 0;
}

/** Only this command needs it, so only this command loads it. */
async function loadDemo(): Promise<DemoModule> {
  // The path holds for the sources as well as for the built package, as both lie two folders below the root.
  const url = new URL("../../dist/demo/demo.js", import.meta.url);
  // The compiler cannot see a file that is built after this one; a test checks that the example has these exports.
  return (await import(url.href)) as DemoModule;
}
