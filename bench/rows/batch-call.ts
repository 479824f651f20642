// A population evaluated at once: one tiny call into each of 1,000 sandboxes.
import { startBareIsolates } from "../peers/bare-population.ts";
import { startPiscina } from "../peers/piscina.ts";
import { processesPerSecond } from "../peers/processes.ts";
import { ours, type Row } from "../row.ts";
import { callAll, create, populate, startRuntime } from "../subject.ts";
import { atLeast, timesAtLeast } from "../target.ts";

const size = 1_000;
const warmUpRounds = 25;
const tasksPerWorker = 64;
const warmUpSize = 50;
const firstTargets = [
  atLeast("floor", 20_000, "≥ 20,000 calls/s"),
  atLeast("aim", 40_000, "≥ 40,000 calls/s"),
];
const ceiling = "bare synchronous entries";

async function callsPerSecond(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return (size / (performance.now() - startedMs)) * 1_000;
}

export const batchCallRows: readonly Row[] = [
  {
    name: "batch call into 1,000",
    about:
      "one tiny call into each of 1,000 sandboxes by one batch.call; piscina: 1,000 runs of one function",
    unit: "calls/s",
    rounds: 20,
    targets: [
      timesAtLeast("floor", 2, "piscina"),
      timesAtLeast("aim", 3, "piscina"),
      timesAtLeast("floor", 0.5, ceiling),
      timesAtLeast("aim", 0.6, ceiling),
      timesAtLeast("aim", 100, "process per candidate"),
    ],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const ids = await populate(runtime, size);
      const pool = startPiscina(stack, tasksPerWorker);
      const runAll = (): Promise<unknown> => Promise.all(Array.from({ length: size }, () => pool.run(21)));
      const bare = stack.use(startBareIsolates(size, "((n) => n * 2)"));
      await bare.fill();
      for (let round = 0; round < warmUpRounds; round++) {
        await callAll(runtime, ids);
        await runAll();
        await bare.callsPerSecond();
      }
      return [
        { name: ours, operations: size, sample: () => callsPerSecond(() => callAll(runtime, ids)) },
        { name: "piscina", operations: size, sample: () => callsPerSecond(runAll) },
        { name: ceiling, operations: size, sample: () => bare.callsPerSecond() },
        { name: "process per candidate", every: 5, sample: () => processesPerSecond(8) },
      ];
    },
  },
  {
    name: "first call into 1,000",
    about: "one tiny call by one batch.call into each of 1,000 sandboxes just made, with one source for all",
    unit: "calls/s",
    rounds: 5,
    targets: firstTargets,
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      await callAll(runtime, await populate(runtime, warmUpSize));
      return [
        {
          name: ours,
          async sample() {
            const ids = await create(runtime, size);
            const rate = await callsPerSecond(() => callAll(runtime, ids));
            await runtime.batch.destroy(ids);
            return rate;
          },
        },
      ];
    },
  },
];
