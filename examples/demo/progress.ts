// What of a run is saved after each generation, and how the run is made from it again. Programs and their scores only ever
// become more, so they are rows of a collection of their own, one for each generation, and everything else is one row.
import type { Runtime } from "vivarium";
import type { Generation, Scored } from "./breeding.ts";
import type { Champion, Run, RunState } from "./run.ts";
import { forgetRun, readRun, writeRun, type RunRow } from "./saved-run.ts";
import { toCode, type Grammar, type Tree } from "./tree.ts";
import type { Learned, TrialsCounts } from "./trials.ts";

/** What decides how a run goes. The budget only decides when it stops: it may be another one when the run is continued. */
export type RunOptions = {
  readonly problem: string;
  readonly population: number;
  readonly islands: number;
  readonly seed: number;
};

/** Both are null where the problem's own budget is used. */
export type Budget = { readonly evaluations: number | null; readonly minutes: number | null };

/** The states of the two random generators. */
export interface RandomStates {
  readonly breeding: number;
  readonly hostility: number;
}

export interface DemoRow extends RunRow {
  readonly options: RunOptions & Budget;
  readonly random: RandomStates;
  readonly islands: readonly (readonly PackedScored[])[];
  readonly champion: { readonly individual: PackedScored; readonly chosen: number } | null;
  readonly counts: TrialsCounts;
  readonly latest: Pick<RunState, "statistics" | "durationMs" | "cells">;
}

/** Everything that a run continues from. */
export interface Saved {
  readonly generation: Generation;
  readonly random: RandomStates;
  readonly trials: TrialsCounts & Learned;
  readonly run: RunState;
}

const rowName = "demo";
const format = "vivarium.demo/2";
const learnedCollection = "demo.generations";
/** Where `openTracker` keeps what it remembers. */
const trackerCollections = ["individuals", "counters", "texts", "codes", "populations", "outdated"].map(
  (name) => `tracker.${name}`,
);
/** So that keys are in the order of generations. */
const keyDigits = 9;

/** What was learned in one generation, and its best score. */
interface LearnedRow extends Learned {
  readonly best: number | null;
}

export function readRow(runtime: Runtime, folder: string): Promise<DemoRow | undefined> {
  return readRun<DemoRow>(runtime, { folder, name: rowName, format });
}

export async function restore(runtime: Runtime, row: DemoRow, grammar: Grammar): Promise<Saved> {
  const { generation: number, random, counts, latest, champion } = row;
  const unpack = (packed: PackedScored): Scored => {
    const tree = unpackTree(packed.tree);
    return { ...packed, tree, code: toCode(tree, grammar) };
  };
  const programs: Learned["programs"][number][] = [];
  const chosen: Learned["chosen"][number][] = [];
  const history: number[] = [];
  for (const learned of await readLearned(runtime, number)) {
    for (const entry of learned.programs) programs.push(entry);
    for (const entry of learned.chosen) chosen.push(entry);
    if (learned.best !== null) history.push(learned.best);
  }
  return {
    generation: { number, islands: row.islands.map((island) => island.map(unpack)) },
    random,
    trials: { ...counts, programs, chosen },
    run: {
      ...latest,
      generation: number,
      history,
      champion: champion === null ? undefined : { ...champion, individual: unpack(champion.individual) },
    },
  };
}

export interface Finished {
  readonly generation: Generation;
  readonly run: Run;
  readonly random: RandomStates;
  readonly options: RunOptions & Budget;
  readonly isOver: boolean;
}

/** Resolves when the generation is persisted. */
export async function save(runtime: Runtime, finished: Finished): Promise<void> {
  const { generation, run, random, options } = finished;
  const { number, islands } = generation;
  const { statistics, durationMs, champion, cells } = run.state(await runtime.metrics());
  const told = toldOf(finished);
  const learned: LearnedRow = { ...run.trials.takeLearned(), best: run.bestOf(generation) };
  // First this one: what is there of a generation that the row does not have yet is ignored, and later written again.
  await runtime.documents.write(learnedCollection, new Map([[keyOf(number), learned]]));
  const row: DemoRow = {
    ...told,
    format,
    options,
    random,
    islands: islands.map((island) => island.map(pack)),
    champion: champion === undefined ? null : packChampion(champion),
    counts: run.trials.counts,
    latest: { statistics, durationMs, cells },
  };
  await writeRun(runtime, rowName, row);
}

/** Says how far a run is that is saved nowhere: for whoever looks at the runtime meanwhile. */
export async function tell(runtime: Runtime, standing: Standing): Promise<void> {
  await writeRun(runtime, rowName, { ...toldOf(standing), format, options: standing.options });
}

/** Where a run is. */
export type Standing = Pick<Finished, "run" | "options" | "isOver">;

function toldOf({ run, options, isOver }: Standing): Omit<RunRow, "format" | "options"> {
  const { problem, evaluationsMax, durationMsMax } = run.terms;
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    title: `${options.problem}, seed ${options.seed}`,
    about: problem.about,
    unit: problem.unit,
    direction: "minimise",
    seed: options.seed,
    state: isOver ? "done" : "running",
    generation: run.generation,
    evaluations: run.trials.evaluations,
    evaluationsMax: finite(evaluationsMax),
    durationMs: run.durationMs,
    durationMsMax: finite(durationMsMax),
    // By what the result is chosen may be another figure than a score.
    best:
      problem.choiceInWords === undefined ? (run.champion?.chosen ?? null) : finite(Math.min(...run.history)),
    updatedAt: Date.now(),
  };
}

/** Removes everything of the run from the folder, the row first: without it nothing else counts. */
export async function forget(runtime: Runtime): Promise<void> {
  await forgetRun(runtime, rowName);
  for (const collection of [learnedCollection, ...trackerCollections])
    for (;;) {
      const page = await runtime.documents.read(collection);
      if (page.length === 0) break;
      await runtime.documents.write(collection, new Map(page.map(([key]) => [key, undefined])));
    }
}

async function readLearned(runtime: Runtime, last: number): Promise<readonly LearnedRow[]> {
  const rows: LearnedRow[] = [];
  for (let after: string | undefined; ;) {
    const page = await runtime.documents.read(learnedCollection, after);
    for (const [key, value] of page) if (key <= keyOf(last)) rows.push(value as LearnedRow);
    after = page.at(-1)?.[0];
    if (after === undefined || after >= keyOf(last)) return rows;
  }
}

function keyOf(generation: number): string {
  return String(generation).padStart(keyDigits, "0");
}

/** A leaf is a text, an operation a list of itself and its operands. */
type PackedTree = string | readonly PackedTree[];

/** Without its code, which is made from the tree. */
interface PackedScored extends Omit<Scored, "tree" | "code"> {
  readonly tree: PackedTree;
}

function pack({ id, tree, parentIds, generation, mutation, steps, score }: Scored): PackedScored {
  return { id, tree: packTree(tree), parentIds, generation, mutation, steps, score };
}

function packChampion({ individual, chosen }: Champion): NonNullable<DemoRow["champion"]> {
  return { individual: pack(individual), chosen };
}

function packTree({ op, args }: Tree): PackedTree {
  return args.length === 0 ? op : [op, ...args.map(packTree)];
}

function unpackTree(packed: PackedTree): Tree {
  if (typeof packed === "string") return { op: packed, args: [] };
  const [op, ...args] = packed;
  return { op: op as string, args: args.map(unpackTree) };
}
