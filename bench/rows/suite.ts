// A suite of tests for each of many candidates: many short calls whose answers are compared on the host.
import type { Runtime, TestCase } from "vivarium";
import { startPiscina } from "../peers/piscina.ts";
import { ours, type Row } from "../row.ts";
import { createAll, startRuntime } from "../subject.ts";
import { timesAtLeast } from "../target.ts";

const candidates = 100;
const cases = 100;
const tasksPerWorker = 64;
const peer = "piscina, a run per case";
/** The way of a case is optimised code after some ten thousand of them in each process. */
const warmUpRounds = 15;

// Every candidate is another program that gives the same answers.
const candidate = (number: number): string =>
  `export function price(items, discount) { let sum = ${number} - ${number}; for (const { count, cents } of items) sum += count * cents; return Math.round(sum * (1 - discount)); }`;

interface Question {
  readonly items: readonly { readonly count: number; readonly cents: number }[];
  readonly discount: number;
}

const questions: readonly Question[] = Array.from({ length: cases }, (_, index) => ({
  items: Array.from({ length: 1 + (index % 5) }, (__, item) => ({ count: item + 1, cents: 100 + index })),
  discount: (index % 4) / 10,
}));

const expected = ({ items, discount }: Question): number =>
  Math.round(items.reduce((sum, { count, cents }) => sum + count * cents, 0) * (1 - discount));

const tests: readonly TestCase[] = questions.map((question, index) => ({
  name: `case ${index}`,
  call: "main.price",
  args: [question.items, question.discount],
  expected: expected(question),
}));

async function casesPerSecond(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return ((candidates * cases) / (performance.now() - startedMs)) * 1_000;
}

async function evaluate(runtime: Runtime, ids: readonly string[]): Promise<void> {
  for (const result of await runtime.batch.evaluate(ids, { tests }))
    if (!result.ok || result.score !== 1) throw new Error("Cannot measure as all must pass: one does not");
}

export const suiteRows: readonly Row[] = [
  {
    name: "suite of 100 cases, 100 candidates",
    about: `${cases} tests of each of ${candidates} sandboxes by one batch.evaluate; piscina: a run of the same function per case`,
    unit: "cases/s",
    rounds: 10,
    targets: [timesAtLeast("floor", 10, peer), timesAtLeast("aim", 20, peer)],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const ids = await createAll(
        runtime,
        Array.from({ length: candidates }, (_, number) => ({ modules: { main: candidate(number) } })),
      );
      const pool = startPiscina(stack, tasksPerWorker, "price");
      const inThreads = async (): Promise<void> => {
        for (let number = 0; number < candidates; number++) {
          const answers = await Promise.all(questions.map((question) => pool.run(question)));
          if (answers.some((answer, index) => answer !== tests[index]?.expected))
            throw new Error("Cannot measure as all must pass: one does not");
        }
      };
      for (let round = 0; round < warmUpRounds; round++) {
        await evaluate(runtime, ids);
        await inThreads();
      }
      const operations = candidates * cases;
      return [
        { name: ours, operations, sample: () => casesPerSecond(() => evaluate(runtime, ids)) },
        { name: peer, operations, sample: () => casesPerSecond(inThreads) },
      ];
    },
  },
];
