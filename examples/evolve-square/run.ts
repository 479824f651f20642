// One run in a runtime that is open: from its beginning, or from where an interrupted one was.
import type { Runtime } from "vivarium";
import {
  forgetRun,
  readRun,
  removeLeftovers,
  sameOptions,
  writeRun,
  type RunRow,
} from "../demo/saved-run.ts";
import { labels } from "./evaluation.ts";
import { evolve, type Generation } from "./evolution.ts";
import { usual, type Given, type Settings } from "./options.ts";
import { seededRandom, type Random } from "./random.ts";
import { Screen } from "./screen.ts";
import { Tally, type TallyState, type Totals } from "./tally.ts";

/** The whole state of a run at the end of a generation, as it is stored. */
interface SquareRow extends RunRow {
  readonly options: Settings;
  readonly random: number;
  readonly ranked: Generation["ranked"];
  readonly tally: TallyState;
}

const name = "evolve-square";
const format = "vivarium.evolve-square/1";

export interface Ended {
  readonly totals: Totals;
  readonly settings: Settings;
}

/** Runs to the last generation or until the signal is aborted. With a folder each generation is saved, and continued from. */
export async function run(runtime: Runtime, given: Given, signal: AbortSignal): Promise<Ended> {
  const { data: folder } = given;
  if (folder !== undefined && given.isFresh) await forgetRun(runtime, name);
  const row = folder === undefined ? undefined : await readRun<SquareRow>(runtime, { folder, name, format });
  const settings = settingsOf(given, row);
  const tally = new Tally(row?.tally);
  const screen = new Screen(settings, tally);
  if (folder !== undefined) {
    await removeLeftovers(runtime, labels);
    screen.note(beginning(folder, settings, row));
  }
  const random = seededRandom(row?.random ?? settings.seed);
  const generations = evolve(runtime, {
    ...settings,
    random,
    signal,
    from: row === undefined ? undefined : { number: row.generation, ranked: row.ranked },
    onProgress: (generation, phase, done) => screen.progress(generation, phase, done),
  });
  for await (const generation of generations) {
    // A generation that was interrupted is neither saved nor shown.
    if (signal.aborted) break;
    tally.add(generation);
    if (folder !== undefined) await save(runtime, { settings, generation, random, tally });
    screen.generation(generation);
  }
  screen.clear();
  return { totals: await tally.totals(runtime), settings };
}

function settingsOf(given: Given, row: SquareRow | undefined): Settings {
  const { population, seed, generations, data = "" } = given;
  if (row === undefined)
    return {
      population: population ?? usual.population,
      generations: generations ?? usual.generations,
      seed: seed ?? usual.seed,
    };
  // How many generations there are only decides when it stops: more of them continue what is done.
  const saved = sameOptions({ population, seed }, row.options, data);
  return { ...saved, generations: generations ?? saved.generations };
}

function beginning(folder: string, { generations }: Settings, row: SquareRow | undefined): string {
  if (row === undefined) return `Saves its progress in ${folder} after each generation.`;
  if (row.generation < generations) return `Continues in ${folder} from generation ${row.generation + 1}.`;
  return `The run in ${folder} is done. More --generations than ${row.generation} continue it, --fresh begins anew.`;
}

interface Finished {
  readonly settings: Settings;
  readonly generation: Generation;
  readonly random: Random;
  readonly tally: Tally;
}

async function save(runtime: Runtime, { settings, generation, random, tally }: Finished): Promise<void> {
  const state = await tally.state(runtime);
  const row: SquareRow = {
    format,
    title: `a program that squares, seed ${settings.seed}`,
    seed: settings.seed,
    state: generation.number < settings.generations ? "running" : "done",
    generation: generation.number,
    evaluations: state.evaluations,
    best: state.best?.error ?? null,
    updatedAt: Date.now(),
    options: settings,
    random: random.state,
    ranked: generation.ranked,
    tally: state,
  };
  await writeRun(runtime, name, row);
}
