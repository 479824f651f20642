// One run of the demo in a runtime that is open: from its beginning, or from where an interrupted one was.
import { InvalidOptionsError, type Runtime } from "vivarium";
import { openTracker, Tracker } from "vivarium/evolution";
import { binPacking } from "./bin-packing.ts";
import { breed } from "./breeding.ts";
import { binPackingLong } from "./long/problem.ts";
import { nguyen, nguyenCount, quickSum, square } from "./functions.ts";
import { labels, type Problem, type ProblemTerms } from "./problem.ts";
import {
  forget,
  readRow,
  restore,
  save,
  tell,
  type Budget,
  type DemoRow,
  type RandomStates,
  type RunOptions,
  type Saved,
} from "./progress.ts";
import { seededRandom } from "./random.ts";
import { Run, type RunResult, type RunTerms } from "./run.ts";
import { removeLeftovers, sameOptions } from "./saved-run.ts";
import { Screen } from "./display/screen.ts";
import { counted } from "./display/text.ts";
import { Trials } from "./trials.ts";

const problems: ReadonlyMap<string, (terms: ProblemTerms) => Problem> = new Map([
  ["bin-packing", binPacking],
  ["bin-packing-long", binPackingLong],
  ["square", square],
  ["quick-sum", quickSum],
  ...Array.from(
    { length: nguyenCount },
    (_, index) =>
      [`nguyen-${index + 1}`, (terms: ProblemTerms): Problem => nguyen(index + 1, terms)] as const,
  ),
]);

export const problemNames: readonly string[] = [...problems.keys()];

/** What the user asks for; undefined is what was left out. */
export interface EvolutionOptions {
  /** One of `problemNames`. */
  readonly problem: string | undefined;
  /** Programs per generation, on all islands together. */
  readonly population: number | undefined;
  readonly seed: number | undefined;
  /** For what is left out, in a run that is new. */
  readonly usual: RunOptions;
  /** The budget; the problem's own when undefined. */
  readonly evaluations: number | undefined;
  /** A budget of time instead. */
  readonly minutes: number | undefined;
  /** Files to score the result on as well. */
  readonly datasets: readonly string[];
  /** The folder that the runtime stores in: there the run is saved, and continued when it is started again. */
  readonly data: string | undefined;
  /** Begins anew, whatever the folder has. */
  readonly isFresh: boolean;
}

/** How a run is followed. */
export interface Following {
  /** Follows the runtime. Default: one for this run alone. */
  readonly tracker?: Tracker;
  /** Lines that stay when the run is done. */
  readonly notes?: readonly string[];
  /** A line that is shown while it goes on. */
  readonly hint?: string | undefined;
}

const minuteMs = 60_000;
/** So that a long run does not grow without end. */
const individualsMax = 200_000;

/** Follows the runtime; with a folder it knows what was in the sittings before, and is there for those after it. */
export async function trackerOf(
  runtime: Runtime,
  { data, isFresh }: Pick<EvolutionOptions, "data" | "isFresh">,
): Promise<Tracker> {
  const options = { direction: "minimise", individualsMax } as const;
  if (data !== undefined) {
    if (isFresh) await forget(runtime);
    return openTracker(runtime, options);
  }
  const tracker = new Tracker(options);
  tracker.follow(runtime.events);
  return tracker;
}

/** Runs to the end of the budget or until the signal is aborted. */
export async function evolve(
  runtime: Runtime,
  options: EvolutionOptions & Following,
  signal: AbortSignal,
): Promise<RunResult> {
  if (options.tracker === undefined) {
    await using tracker = await trackerOf(runtime, options);
    return await evolve(runtime, { ...options, tracker }, signal);
  }
  const { data, tracker, notes = [], hint } = options;
  const row = data === undefined ? undefined : await readRow(runtime, data);
  const chosen = optionsOf(options, row);
  const problem = makeProblem(chosen, options.datasets);
  const terms = { ...chosen, problem, ...boundsOf(chosen, problem) };
  const saved = row === undefined ? undefined : await restore(runtime, row, problem.grammar);
  const screen = new Screen(signal);
  try {
    if (hint !== undefined) screen.hint(hint);
    for (const note of notes) screen.note(note);
    if (data !== undefined) {
      const removed = await removeLeftovers(runtime, labels);
      if (removed > 0) screen.note(`Sandboxes of an interrupted generation that were removed: ${removed}`);
    }
    const run = await runGenerations({
      runtime,
      signal,
      terms,
      saved,
      screen,
      options: chosen,
      data,
      tracker,
    });
    return await run.result(runtime);
  } finally {
    screen.close();
  }
}

interface Parts {
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
  readonly terms: RunTerms;
  readonly saved: Saved | undefined;
  readonly screen: Screen;
  readonly options: RunOptions & Budget;
  readonly data: string | undefined;
  readonly tracker: Tracker;
}

async function runGenerations(parts: Parts): Promise<Run> {
  const { runtime, signal, terms, saved, screen, options, data, tracker } = parts;
  const { problem, seed } = terms;
  const breeding = seededRandom(saved?.random.breeding ?? seed);
  const hostility = seededRandom(saved?.random.hostility ?? seed + 1);
  const trials: Trials = new Trials({
    runtime,
    problem,
    tracker,
    signal,
    random: hostility,
    onProgress: () => screen.progress(run),
    earlier: saved?.trials,
  });
  const run: Run = new Run(terms, { trials, tracker, earlier: saved?.run });
  const from = saved?.generation;
  screen.begin(run);
  if (data !== undefined) screen.note(beginning(run, saved, data));
  else await tell(runtime, { run, options, isOver: false });
  const generations = breed({
    ...terms,
    grammar: problem.grammar,
    migrateEvery: problem.migrateEvery,
    random: breeding,
    from,
    tryAll: (individuals) => trials.tryAll(individuals),
  });
  if (from !== undefined) problem.expect?.(from);
  for (let isOver = from !== undefined && run.isOver; !isOver && !signal.aborted;) {
    const { value: generation } = await generations.next();
    if (!signal.aborted) await run.add(generation);
    // A generation that was interrupted is neither saved nor shown.
    if (signal.aborted) break;
    isOver = run.isOver;
    problem.expect?.(generation);
    const random: RandomStates = { breeding: breeding.state, hostility: hostility.state };
    if (data !== undefined) await save(runtime, { generation, run, random, options, isOver });
    else await tell(runtime, { run, options, isOver });
    screen.generation(run);
  }
  return run;
}

function beginning(run: Run, saved: Saved | undefined, data: string): string {
  if (saved === undefined) return `Saves its progress in ${data} after each generation.`;
  const { evaluations } = run.trials;
  const soFar = counted(evaluations, "evaluation");
  const { name } = run.terms.problem;
  if (!run.isOver)
    return `Continues ${name} in ${data} from generation ${saved.generation.number + 1}, after ${soFar}.`;
  const isPerfect = run.champion?.chosen === run.terms.problem.perfect;
  const next = isPerfect ? "Its program cannot be improved" : "A larger budget continues it";
  return `The run of ${name} in ${data} is done, with ${soFar}. ${next}, --fresh begins anew.`;
}

function optionsOf(given: EvolutionOptions, row: DemoRow | undefined): RunOptions & Budget {
  const { problem, population, seed, usual, data = "" } = given;
  const asked = { problem, population, seed };
  const chosen: RunOptions =
    row === undefined
      ? {
          problem: problem ?? usual.problem,
          population: population ?? usual.population,
          islands: usual.islands,
          seed: seed ?? usual.seed,
        }
      : sameOptions(asked, row.options, data);
  const { minutes = null, evaluations = null } = given;
  const isNewBudget = minutes !== null || evaluations !== null;
  const budget: Budget = isNewBudget ? { evaluations, minutes } : (row?.options ?? { evaluations, minutes });
  return { ...chosen, evaluations: budget.evaluations, minutes: budget.minutes };
}

function boundsOf(
  { evaluations, minutes }: Budget,
  problem: Problem,
): Pick<RunTerms, "evaluationsMax" | "durationMsMax"> {
  if (minutes !== null) return { evaluationsMax: Infinity, durationMsMax: minutes * minuteMs };
  return { evaluationsMax: evaluations ?? problem.evaluations, durationMsMax: Infinity };
}

function makeProblem({ problem, seed }: RunOptions, datasets: readonly string[]): Problem {
  const make = problems.get(problem);
  if (make !== undefined) return make({ seed, datasets });
  const rule = `it must be one of ${problemNames.join(", ")}`;
  throw new InvalidOptionsError(`Cannot use problem as ${rule}: got ${JSON.stringify(problem)}`, "problem");
}
