// Generations as batches of specs: candidates are made, measured and destroyed as their turns come, so that memory is that of those
// which are there at once, however many a generation has.
import type { Runtime } from "vivarium";
import type { Entrant, Row } from "../row.ts";
import { startRuntime, unwrap } from "../subject.ts";
import { ratio } from "../target.ts";

const MB = 1e6;
const small = 100;
const large = 1_000;
const generations = 50;
const kept = 10;
const limits = { memoryBytes: 16 * 2 ** 20 } as const;
const bounds = { compileCacheBytesMax: 2 ** 20, collector: { tombstonesMax: 100 } } as const;
/** So often memory is read while a generation is evaluated. */
const readMs = 50;

const named = (size: number): string => `cells, generations of ${size.toLocaleString("en-US")}`;

async function cellsMB(runtime: Runtime): Promise<number> {
  return (await runtime.metrics()).cells.reduce((sum, { rssBytes }) => sum + rssBytes, 0) / MB;
}

/** Evaluates one generation; the most memory that the cells had meanwhile. */
async function evaluate(runtime: Runtime, size: number, generation: number): Promise<number> {
  const specs = Array.from({ length: size }, (_, index) => ({
    modules: { main: `export const f = (x: number): number => x * ${generation} + ${index};` },
    limits,
  }));
  let mostMB = 0;
  const read = async (): Promise<void> => {
    mostMB = Math.max(mostMB, await cellsMB(runtime));
  };
  const reading = setInterval(() => void read(), readMs);
  const results = await runtime.batch.evaluate(
    specs,
    async (candidate) => unwrap(await candidate.call<number>("main.f", { args: [3] })),
    { keep: { best: kept } },
  );
  clearInterval(reading);
  await read();
  const failed = results.find(({ ok }) => !ok);
  if (failed?.ok === false)
    throw new Error(`Cannot measure as all must have a score: ${failed.error.message}`);
  const { sandboxes } = await runtime.metrics();
  if ((sandboxes.running ?? 0) !== kept)
    throw new Error(`Cannot measure as ${kept} must be kept: ${sandboxes.running} are`);
  await runtime.batch.destroy((await runtime.list()).map(({ id }) => id));
  return mostMB;
}

async function entrant(stack: AsyncDisposableStack, size: number): Promise<Entrant> {
  const runtime = await startRuntime(stack, bounds);
  let generation = 0;
  return { name: named(size), operations: size, sample: () => evaluate(runtime, size, ++generation) };
}

export const specGenerationRows: readonly Row[] = [
  {
    name: "generations by specs",
    about: `the most memory of the cells through ${generations} generations of ${small} and of ${large} new programs, each one batch.evaluate of specs that keeps the best ${kept}`,
    unit: "MB",
    rounds: generations,
    isLarge: true,
    targets: [
      {
        level: "floor",
        text: `${named(large)} ≤ 2 × ${named(small)}`,
        isMet: (summaries) => ratio(summaries, named(large), named(small)) <= 2,
      },
    ],
    prepare: async (stack) => [await entrant(stack, small), await entrant(stack, large)],
  },
];
