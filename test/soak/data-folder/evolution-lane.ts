// A lane of evolution: generations by forks, evaluated by tests, with a tracker whose retention lets go of old generations.
import { openTracker, type Tracker } from "../../../src/evolution/index.ts";
import { Dice } from "../../fuzz/dice.ts";
import { Unfinished, type Shared } from "./account.ts";
import { patient } from "./sandbox-lane.ts";

export const evolutionPrefix = "gen";
const population = "soak";
const members = 15;
/** The tracker is closed and opened again after so many generations. */
const generationsEach = 20;
const trackerOptions = { retainGenerations: 2, individualsMax: 800 } as const;

/** The present generation, as it was acknowledged. */
export interface Generation {
  readonly number: number;
  readonly scores: ReadonlyMap<string, number>;
}

export class EvolutionLane {
  readonly #shared: Shared;
  readonly #dice: Dice;
  /** What the tracker had persisted when it was last asked. */
  generation: Generation | undefined;

  constructor(shared: Shared, seed: number) {
    this.#shared = shared;
    this.#dice = new Dice(seed);
  }

  async work(): Promise<void> {
    while (!this.#shared.isOver()) await this.#someGenerations();
  }

  async #someGenerations(): Promise<void> {
    const { runtime, account, isOver } = this.#shared;
    const tracker = await openTracker(runtime, trackerOptions);
    const release = runtime.retention(tracker.retention);
    try {
      this.#compare(tracker);
      for (let count = 0; count < generationsEach && !isOver(); count++)
        await account.attempt("generation", () => this.#nextGeneration(tracker));
    } finally {
      release();
      await tracker.close();
    }
  }

  /** Whether a tracker has the generation that was acknowledged. */
  #compare(tracker: Tracker): void {
    for (const fault of differences(tracker, this.generation)) this.#shared.account.fault(fault);
  }

  async #nextGeneration(tracker: Tracker): Promise<void> {
    const number = this.#shared.account.next();
    const ids = Array.from({ length: members }, (_, at) => `${evolutionPrefix}${number}-${at}`);
    let scores: ReadonlyMap<string, number>;
    try {
      await this.#bear(tracker, ids);
      scores = await this.#evaluate(ids);
    } catch (error) {
      // No population has them, and no retention lets go of them.
      await this.#shared.runtime.batch.destroy(ids);
      throw error;
    }
    const isFirst = !tracker.populations.ids().includes(population);
    if (isFirst) tracker.populations.register(population, ids);
    else tracker.populations.advance(population, ids);
    await tracker.saved();
    this.generation = { number: tracker.populations.get(population).generation, scores };
    this.#shared.account.operations += ids.length * 2;
    const stale = this.#dice.chance(0.3);
    if (stale) await this.#shared.runtime.collect();
  }

  async #bear(tracker: Tracker, ids: readonly string[]): Promise<void> {
    const { runtime } = this.#shared;
    const parents = tracker.fitness
      .rank(this.generation?.scores.keys() ?? [])
      .slice(0, 5)
      .map(({ id }) => id);
    const made = await Promise.allSettled(
      ids.map(async (id) => {
        const modules = { main: `export const value = () => ${this.#dice.below(1_000)};` };
        if (parents.length === 0) return runtime.create(id, { modules, limits: patient });
        return runtime.fork(this.#dice.pick(parents), { id, modules, mutation: { id } });
      }),
    );
    for (const result of made) if (result.status === "rejected") throw result.reason;
  }

  async #evaluate(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const scores = new Map<string, number>();
    const results = await this.#shared.runtime.batch.evaluate(ids, {
      tests: [
        { name: "value", call: "main.value", check: (value) => Number(value) / 1_000 },
        { name: "whole", call: "main.value", check: (value) => Number.isInteger(value) },
      ],
    });
    for (const result of results) {
      if (!result.ok) throw new Unfinished(result.error.kind, result.error.message);
      scores.set(result.sandboxId, result.score);
    }
    return scores;
  }
}

/** What a runtime that was opened again has of the last generation. */
export async function evolutionFaults(
  shared: Pick<Shared, "runtime">,
  generation: Generation | undefined,
): Promise<readonly string[]> {
  await using tracker = await openTracker(shared.runtime, trackerOptions);
  const faults = [...differences(tracker, generation)];
  for (const [id, score] of generation?.scores ?? []) {
    const info = await shared.runtime.info(id).catch(() => undefined);
    const found = info?.fitness?.score ?? null;
    if (info?.status !== "running" || found !== score)
      faults.push(`lost: ${id} is ${info?.status} with ${found}, not running with ${score}`);
  }
  return faults;
}

function* differences(tracker: Tracker, generation: Generation | undefined): Generator<string> {
  if (generation === undefined) return;
  const { number, scores } = generation;
  const found = tracker.populations.get(population);
  if (found.generation !== number) yield `lost: generation ${found.generation}, not ${number}`;
  if (found.sandboxIds.toSorted().join() !== [...scores.keys()].toSorted().join())
    yield `lost: generation ${number} has other members: ${found.sandboxIds.join()}`;
  for (const [id, score] of scores) {
    const record = tracker.fitness.get(id);
    if (record?.score !== score) yield `lost: the tracker has ${record?.score} for ${id}, not ${score}`;
  }
}
