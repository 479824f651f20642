// A population through many generations: sandboxes that are not retained are collected, and memory does not grow.
import type { Runtime } from "vivarium";
import { usedBytes } from "../heap.ts";
import type { Entrant, Row } from "../row.ts";
import { Tracker, startRuntime, unwrap } from "../subject.ts";
import { ratio, type Target } from "../target.ts";

const MB = 1e6;
const retainGenerations = 2;
/** Until the greatest number of sandboxes is running. */
const warmUp = retainGenerations + 1;
const tableLines = 10;
const limits = { memoryBytes: 16 * 2 ** 20 } as const;
// The bounded records of destroyed sandboxes are full by the time that measuring begins.
const bounds = { compileCacheBytesMax: 2 ** 20, collector: { tombstonesMax: 100 } } as const;

/** The state when a generation was collected. */
interface Reading {
  readonly generation: number;
  readonly alive: number;
  readonly cellsMB: number;
  readonly hostMB: number;
  readonly heapMB: number;
  readonly collected: number;
  readonly sweepMs: number;
}

class Evolution {
  readonly #runtime: Runtime;
  readonly #size: number;
  readonly #tracker = new Tracker({ retainGenerations });
  #parents: readonly string[] = [];
  #generation = 0;

  constructor(runtime: Runtime, size: number) {
    this.#runtime = runtime;
    this.#size = size;
    this.#tracker.follow(runtime.events);
    this.#tracker.populations.register("island", []);
    runtime.retention(this.#tracker.retention);
  }

  /** One generation: created and evaluated, and those before it collected. */
  async advance(): Promise<Reading> {
    const generation = ++this.#generation;
    const specs = Array.from({ length: this.#size }, (_, index) => ({
      id: `g${generation}-${index}`,
      modules: { main: `export const f = (x: number): number => x * ${generation} + ${index};` },
      limits,
      ancestry: { parentIds: this.#parents.slice(index, index + 1), generation },
    }));
    const created = await this.#runtime.batch.create(specs);
    const ids = created.map((result) => {
      if (result.ok) return result.sandboxId;
      throw result.error;
    });
    const results = await this.#runtime.batch.evaluate(
      ids,
      async (candidate) => unwrap(await candidate.call<number>("main.f", { args: [3] })),
      { population: "island" },
    );
    const failed = results.find(({ ok }) => !ok);
    if (failed?.ok === false)
      throw new Error(`Cannot measure as all must have a score: ${failed.error.message}`);
    this.#parents = ids;
    this.#tracker.populations.advance("island", ids);
    const { unretained, durationMs } = await this.#runtime.collect();
    return this.#read({ generation, collected: unretained, sweepMs: durationMs });
  }

  async #read(sweep: Pick<Reading, "generation" | "collected" | "sweepMs">): Promise<Reading> {
    const { cells, sandboxes } = await this.#runtime.metrics();
    return {
      ...sweep,
      alive: sandboxes.running ?? 0,
      cellsMB: cells.reduce((sum, { rssBytes }) => sum + rssBytes, 0) / MB,
      heapMB: usedBytes() / MB,
      hostMB: process.memoryUsage.rss() / MB,
    };
  }
}

const halves = ["first half", "second half"] as const;
const parts = { cells: "cellsMB", "this process": "hostMB", "its heap": "heapMB" } as const;

/** The second half takes hardly more than the first: what the generations between them left is next to nothing. */
function steady(part: keyof typeof parts, times: number): Target {
  const [first, second] = halves.map((half) => `${part}, ${half}`) as [string, string];
  return {
    level: "floor",
    text: `${second} ≤ ${times} × ${first}`,
    isMet: (summaries) => ratio(summaries, second, first) <= times,
  };
}

// The halves are measured in this order; all that is read of one is read while it goes on.
function entrants(evolution: Evolution, generations: number): readonly Entrant[] {
  const readings = halves.map((_, half) => once(() => readHalf(evolution, generations, half)));
  return Object.entries(parts).flatMap(([part, field]) =>
    halves.map((half, index) => ({
      name: `${part}, ${half}`,
      sample: async () => ((await readings[index]?.()) ?? []).map((reading) => reading[field]),
    })),
  );
}

async function readHalf(
  evolution: Evolution,
  generations: number,
  half: number,
): Promise<readonly Reading[]> {
  if (half === 0) {
    console.error("generation   alive  cells MB  host MB  heap MB  collected  sweep ms");
    for (let generation = 0; generation < warmUp; generation++) await evolution.advance();
  }
  const readings: Reading[] = [];
  for (let count = 0; count < Math.floor((generations - warmUp) / halves.length); count++) {
    const reading = await evolution.advance();
    readings.push(reading);
    if (reading.generation % Math.ceil(generations / tableLines) === 0) console.error(toLine(reading));
  }
  return readings;
}

function toLine({ generation, alive, cellsMB, hostMB, heapMB, collected, sweepMs }: Reading): string {
  const figures = [cellsMB, hostMB, heapMB].map((value) => value.toFixed(0).padStart(9)).join("");
  return `${String(generation).padStart(10)}${String(alive).padStart(8)} ${figures}${String(collected).padStart(11)}${sweepMs.toFixed(0).padStart(10)}`;
}

function once<T>(act: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= act());
}

function row(size: number, generations: number): Row {
  const many = size.toLocaleString("en-US");
  return {
    name: `generations of ${many}`,
    about: `memory through ${generations} generations of ${many} new programs each, with ${retainGenerations} retained and the others collected; sweeps are reported on stderr`,
    unit: "MB",
    rounds: 1,
    targets: [steady("cells", 1.2), steady("its heap", 1.2)],
    prepare: async (stack) => entrants(new Evolution(await startRuntime(stack, bounds), size), generations),
  };
}

export const generationRows: readonly Row[] = [row(100, 15), { ...row(1_000, 50), isLarge: true }];
