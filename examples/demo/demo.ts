// What `vivarium demo` runs: breeds programs in sandboxes, hostile ones among them, shows the progress and prints the
// result.
import { createRuntime, InvalidOptionsError } from "vivarium";
import { Tracker } from "vivarium/evolution";
import { binPacking } from "./bin-packing.ts";
import { breed } from "./breeding.ts";
import { seededRandom } from "./random.ts";
import { nguyen, nguyenCount, quickSum, square } from "./functions.ts";
import type { Problem, ProblemTerms } from "./problem.ts";
import { Run, type RunTerms } from "./run.ts";
import { Screen } from "./screen.ts";
import { toJson, toText } from "./summary.ts";
import { Trials } from "./trials.ts";

const problems: ReadonlyMap<string, (terms: ProblemTerms) => Problem> = new Map([
  ["bin-packing", binPacking],
  ["square", square],
  ["quick-sum", quickSum],
  ...Array.from(
    { length: nguyenCount },
    (_, index) =>
      [`nguyen-${index + 1}`, (terms: ProblemTerms): Problem => nguyen(index + 1, terms)] as const,
  ),
]);

export const problemNames: readonly string[] = [...problems.keys()];

export interface DemoOptions {
  /** One of `problemNames`. */
  readonly problem: string;
  /** Programs per generation, on all islands together. */
  readonly population: number;
  readonly islands: number;
  /** The budget; the problem's own when undefined. */
  readonly evaluations: number | undefined;
  /** A budget of time instead. */
  readonly minutes: number | undefined;
  readonly seed: number;
  /** Files to score the result on as well. */
  readonly datasets: readonly string[];
  /** Prints the result as JSON. */
  readonly isJson: boolean;
}

export type DemoEnd = "finished" | "interrupted";

const minuteMs = 60_000;

/** Runs to the end of the budget or to Ctrl-C, and prints the result in either case. */
export async function runDemo(options: DemoOptions): Promise<DemoEnd> {
  const { population, islands, evaluations, minutes, seed } = options;
  const problem = makeProblem(options);
  const terms: RunTerms = {
    problem,
    seed,
    population,
    islands,
    evaluationsMax: minutes === undefined ? (evaluations ?? problem.evaluations) : Infinity,
    durationMsMax: minutes === undefined ? Infinity : minutes * minuteMs,
  };
  const interruption = new AbortController();
  // The first Ctrl-C ends the run cleanly; a second one ends the process at once.
  process.once("SIGINT", () => interruption.abort());
  return evolve(terms, interruption.signal, options.isJson);
}

function makeProblem({ problem, seed, datasets }: DemoOptions): Problem {
  const make = problems.get(problem);
  if (make !== undefined) return make({ seed, datasets });
  const rule = `it must be one of ${problemNames.join(", ")}`;
  throw new InvalidOptionsError(`Cannot use problem as ${rule}: got ${JSON.stringify(problem)}`, "problem");
}

async function evolve(terms: RunTerms, signal: AbortSignal, isJson: boolean): Promise<DemoEnd> {
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
    random: seededRandom(seed + 1),
    onProgress: () => screen.progress(run),
  });
  const run: Run = new Run(terms, trials, tracker);
  const generations = breed({
    grammar: problem.grammar,
    population,
    islands: terms.islands,
    random: seededRandom(seed),
    tryAll: (individuals) => trials.tryAll(individuals),
  });
  for await (const generation of generations) {
    // A generation that was interrupted is not shown.
    if (signal.aborted) break;
    await run.add(generation);
    screen.generation(run);
    if (run.isOver) break;
  }
  screen.clear();
  const result = await run.result(runtime);
  console.log(isJson ? toJson(result) : toText(result));
  if (signal.aborted && !isJson) console.log("\nEnded by Ctrl-C.");
  return signal.aborted ? "interrupted" : "finished";
}
