// `vivarium demo`: reads the options of the demo in `examples/demo`, runs it as it was built into `dist/demo`, and turns
// how it ended into an exit code.
import type { Command } from "commander";
import { InvalidOptionsError } from "../model/errors.ts";
import { addOption, file, folder, integer, repeated, text, word } from "./command/options.ts";
import type { CommandContext, CommandFile } from "./command-file.ts";
import { exitCodes } from "./exit-codes.ts";

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
  readonly openPage: ((link: string) => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

const usual = { problem: "bin-packing", population: 800, islands: 4, seed: 1 } as const;
const longProblem = "bin-packing-long";
const seedMax = 2 ** 24;

export const command: CommandFile = {
  description:
    "Evolves a program in sandboxes, hostile mutants among the candidates, and shows the best beside what is known.",
  place: "none",
  declare: (parser) => {
    addOption(
      parser,
      [
        "--problem <NAME>",
        "bin-packing (default), bin-packing-long, square, quick-sum, nguyen-1 … nguyen-12",
      ],
      text(),
    );
    const { population, islands, seed } = usual;
    const ofIslands = `programs per generation, 20–10000 (default ${population}), on ${islands} islands`;
    addOption(parser, ["--population <N>", ofIslands], integer(20, 10_000));
    addOption(
      parser,
      [
        "--evaluations <N>",
        "the budget (default: some for a minute on two cores); the same seed gives the same program",
      ],
      integer(20, 100_000_000),
    );
    addOption(
      parser,
      [
        "--minutes <N>",
        "a budget of time instead; how far that goes depends on the machine, so the program does too",
      ],
      integer(1, 10_000),
    );
    const ofSeed = `the seed of its randomness, 0–${seedMax} (default ${seed})`;
    addOption(parser, ["--seed <N>", ofSeed], integer(0, seedMax));
    addOption(parser, [
      "--open",
      "shows the run in the browser as well; the page stays when it is done, until Ctrl-C (not with --json)",
    ]);
    addFolderOptions(parser);
  },
  examples: [
    "demo --open",
    "demo --seed 3",
    "demo --dataset binpack1.txt --dataset binpack3.txt",
    "demo --long --data run-2",
    "demo --problem nguyen-1",
    "demo --data run-1 --evaluations 20000",
  ],
  notes: `Problem, population and seed of a run that is continued are those it was started with, and may be left out. So may the
budget; a larger one continues a run that is done. Time is counted over all sittings.

Ctrl-C ends it with the best program so far, a second Ctrl-C at once.
Colours are left out when NO_COLOR is set or the output is no terminal.`,
  exits: "0 done, 1 it failed, 2 a wrong option, 130 ended by Ctrl-C",
  run,
};

function addFolderOptions(parser: Command): void {
  addOption(parser, [
    "--long",
    `bin-packing for about ten minutes: rules that use what came before, bred on instances of 120 to 1000 items; the same as --problem ${longProblem}`,
  ]);
  addOption(
    parser,
    [
      "--dataset <FILE>",
      "bin-packing: score the result on a file of the OR-Library as well; may be repeated",
    ],
    repeated(file()),
  );
  addOption(
    parser,
    [
      "--data <DIR>",
      "saves the run in this folder after each generation; started again with the same folder, it continues where it was, whatever ended it, and the result is the same as without the interruption",
    ],
    folder(),
  );
  addOption(parser, ["--fresh", "with --data: begins anew, instead of continuing what the folder has"]);
}

async function run({ given, json, signal }: CommandContext): Promise<number> {
  const { problemNames, runDemo } = await loadDemo();
  const problem = given.text("problem");
  if (problem !== undefined) word(problemNames).read("problem", problem);
  const data = given.text("data");
  if (given.flag("fresh") && data === undefined)
    throw new InvalidOptionsError("Cannot use --fresh as it must come with --data: got no folder", "fresh");
  const end = await runDemo({
    problem: problemOf(problem, given.flag("long")),
    population: given.number("population"),
    seed: given.number("seed"),
    usual,
    evaluations: given.number("evaluations"),
    minutes: given.number("minutes"),
    datasets: given.texts("dataset"),
    data,
    isFresh: given.flag("fresh"),
    isJson: json,
    openPage: given.flag("open")
      ? async (link) => (await import("./open-page.ts")).openPage(link)
      : undefined,
    // npm says so when it runs the script `start`.
    command: process.env["npm_lifecycle_event"] === "start" ? "npm start --" : "npx vivarium demo",
    signal,
  });
  return end === "interrupted" ? exitCodes.interrupted : exitCodes.done;
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
