// A few measurements of a runtime in a few seconds, for whoever installed the package: what an operation takes, and how many of
// them there are in a second.
import type { BatchSpec, Clock, Runtime, Sandbox } from "../../index.ts";
import { unwrap } from "../../model/errors.ts";

export interface BenchRow {
  readonly name: string;
  /** What was counted, and how. */
  readonly about: string;
  readonly count: number;
  readonly perSecond: number;
  /** Of one operation, or of one batch. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface BenchOptions {
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** For all measurements together; that of the preparations comes on top. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** How many milliseconds of measuring are over. */
  readonly onProgress: (doneMs: number) => void;
}

interface Measurement {
  readonly name: string;
  readonly about: string;
  /** Prepares it; what it returns is done again and again, and answers how much was done. */
  readonly prepare: (bench: Bench) => Promise<() => Promise<number>>;
}

const batchSize = 64;
/** Of more operations than this the durations are not kept. */
const durationsMax = 1_000_000;
const warmUps = 3;

const source = (salt: number): string =>
  `// variant ${salt}\nexport const score = (n: number): number => { let sum = 0; for (let i = 0; i < 100; i++) sum += (i * n) % 7; return sum; };`;
const limits = { timeoutMs: 10_000 };

const measurements: readonly Measurement[] = [
  {
    name: "create",
    about: "a sandbox with new code, one after the other",
    prepare: async (bench) => async () => {
      const sandbox = await bench.create();
      bench.later(() => sandbox.destroy());
      return 1;
    },
  },
  {
    name: "call",
    about: "a short function of one sandbox, one after the other",
    prepare: async (bench) => {
      const sandbox = await bench.create();
      return async () => {
        unwrap(await sandbox.call("main.score", { args: [3] }));
        return 1;
      };
    },
  },
  {
    name: "batch call",
    about: `the same in ${batchSize} sandboxes, in batches of that size`,
    prepare: async (bench) => {
      const ids: string[] = [];
      for (let made = 0; made < batchSize; made++) ids.push((await bench.create()).id);
      return async () => {
        for (const outcome of await bench.runtime.batch.call(ids, "main.score", { args: [3] }))
          unwrap(outcome);
        return ids.length;
      };
    },
  },
  {
    name: "reload",
    about: "new code for a running sandbox, one after the other",
    prepare: async (bench) => {
      const sandbox = await bench.create();
      return async () => {
        await sandbox.hotReload({ main: bench.nextSource() });
        return 1;
      };
    },
  },
  {
    name: "evaluate",
    about: `programs that are created, tested and destroyed, in batches of ${batchSize}`,
    prepare: async (bench) => async () => {
      const specs: BatchSpec[] = Array.from({ length: batchSize }, () => ({
        modules: { main: bench.nextSource() },
        limits,
      }));
      const tests = [{ name: "three", call: "main.score", args: [3], expected: 295 } as const];
      return (await bench.runtime.batch.evaluate(specs, { tests })).length;
    },
  },
];

/** One row for each measurement; fewer where the signal was aborted. */
export async function* measureAll(options: BenchOptions): AsyncGenerator<BenchRow> {
  const shareMs = (options.seconds * 1_000) / measurements.length;
  for (const [at, measurement] of measurements.entries()) {
    if (options.signal.aborted) return;
    const row = await measure(measurement, options, { shareMs, beforeMs: at * shareMs });
    if (row !== undefined) yield row;
  }
}

async function measure(
  { name, about, prepare }: Measurement,
  { runtime, clock, signal, onProgress }: BenchOptions,
  { shareMs, beforeMs }: { readonly shareMs: number; readonly beforeMs: number },
): Promise<BenchRow | undefined> {
  await using bench = new Bench(runtime);
  const act = await prepare(bench);
  for (let turn = 0; turn < warmUps; turn++) await act();
  const durations: number[] = [];
  let [count, spentMs] = [0, 0];
  while (spentMs < shareMs && !signal.aborted) {
    const startMs = clock.monotonic();
    count += await act();
    const tookMs = clock.monotonic() - startMs;
    spentMs += tookMs;
    if (durations.length < durationsMax) durations.push(tookMs);
    onProgress(beforeMs + Math.min(spentMs, shareMs));
    // What a measurement leaves behind is tidied up beside the clock.
    await bench.tidyUp();
  }
  if (count === 0) return undefined;
  durations.sort((a, b) => a - b);
  const perSecond = (count / spentMs) * 1_000;
  return { name, about, count, perSecond, p50Ms: quantile(durations, 0.5), p99Ms: quantile(durations, 0.99) };
}

/** The value below which this share of the sorted numbers is. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The sandboxes of one measurement, all gone at its end. */
class Bench implements AsyncDisposable {
  readonly runtime: Runtime;
  readonly #made = new Set<Sandbox>();
  readonly #later: (() => Promise<void>)[] = [];
  #salt = 0;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  nextSource(): string {
    return source(++this.#salt);
  }

  async create(): Promise<Sandbox> {
    const sandbox = await this.runtime.create({ modules: { main: this.nextSource() }, limits });
    this.#made.add(sandbox);
    return sandbox;
  }

  later(act: () => Promise<void>): void {
    this.#later.push(act);
  }

  async tidyUp(): Promise<void> {
    if (this.#later.length < batchSize) return;
    await Promise.all(this.#later.splice(0).map((act) => act()));
    this.#made.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#later.splice(0).map((act) => act()));
    await this.runtime.batch.destroy([...this.#made].map(({ id }) => id));
  }
}
