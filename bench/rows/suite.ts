// A population graded by a test suite: many short cases for each candidate.
import type { Runtime, TestSuite } from "vivarium";
import { startPiscina } from "../peers/piscina.ts";
import { ours, type Row } from "../row.ts";
import { doubling, populate, startRuntime } from "../subject.ts";
import { timesAtLeast } from "../target.ts";

const candidates = 100;
const cases = 100;
const warmUpRounds = 5;
const tasksPerWorker = 64;

const suite: TestSuite = {
  tests: Array.from({ length: cases }, (_, n) => ({
    name: `twice ${n}`,
    call: "main.double",
    args: [n],
    expected: n * 2,
  })),
};

async function casesPerSecond(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return ((candidates * cases) / (performance.now() - startedMs)) * 1_000;
}

async function gradeAll(runtime: Runtime, ids: readonly string[]): Promise<void> {
  for (const result of await runtime.batch.evaluate(ids, suite))
    if (!result.ok || result.score !== 1) throw new Error("Cannot measure as all must pass: one does not");
}

export const suiteRows: readonly Row[] = [
  {
    name: "suite of 100 cases, 100 candidates",
    about:
      "one batch.evaluate by a suite of 100 short cases over 100 candidates that have been called before; piscina: 10,000 runs of one function",
    unit: "runs/s",
    rounds: 10,
    targets: [timesAtLeast("aim", 10, "piscina"), timesAtLeast("stretch", 20, "piscina")],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const ids = await populate(runtime, candidates, { modules: { main: doubling } });
      const pool = startPiscina(stack, tasksPerWorker);
      const runAll = (): Promise<unknown> =>
        Promise.all(Array.from({ length: candidates * cases }, (_, n) => pool.run(n % cases)));
      for (let round = 0; round < warmUpRounds; round++) {
        await gradeAll(runtime, ids);
        await runAll();
      }
      return [
        { name: ours, sample: () => casesPerSecond(() => gradeAll(runtime, ids)) },
        { name: "piscina", sample: () => casesPerSecond(runAll) },
      ];
    },
  },
];
