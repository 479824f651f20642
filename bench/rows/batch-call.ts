// A population evaluated at once: one tiny call into each of 1,000 sandboxes.
import { startPeer } from "../peers/child.ts";
import { startPiscina } from "../peers/piscina.ts";
import { processesPerSecond } from "../peers/processes.ts";
import { ours, type Row } from "../row.ts";
import { callAll, make, populate, startRuntime } from "../subject.ts";
import { atLeast, timesAtLeast } from "../target.ts";
import { availableParallelism } from "node:os";

const size = 1_000;
const warmUpRounds = 25;
const tasksPerWorker = 64;
const ceiling = "bare synchronous entries";

async function callsPerSecond(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return (size / (performance.now() - startedMs)) * 1_000;
}

// As many processes as cores, each with its part of the isolates, all at once: what no runtime can surpass.
async function bareCeiling(stack: AsyncDisposableStack): Promise<() => Promise<number>> {
  const count = Math.max(2, availableParallelism());
  const peers = Array.from({ length: count }, () =>
    stack.use(startPeer("bare-isolates.ts", ["--no-node-snapshot"])),
  );
  const share = Math.floor(size / count);
  await Promise.all(peers.map((peer) => peer.ask("populate", share, "((n) => n * 2)")));
  return async () => {
    const times = await Promise.all(peers.map((peer) => peer.ask("callAll")));
    return ((share * count) / Math.max(...times)) * 1_000;
  };
}

export const batchCallRows: readonly Row[] = [
  {
    name: "batch call into 1,000",
    about:
      "one tiny call into each of 1,000 sandboxes by one batch.call; piscina: 1,000 runs of one function",
    unit: "calls/s",
    rounds: 20,
    targets: [
      timesAtLeast("aim", 2, "piscina"),
      timesAtLeast("stretch", 3, "piscina"),
      timesAtLeast("stretch", 0.6, ceiling),
      timesAtLeast("aim", 100, "process per candidate"),
    ],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const ids = await populate(runtime, size);
      const pool = startPiscina(stack, tasksPerWorker);
      const runAll = (): Promise<unknown> => Promise.all(Array.from({ length: size }, () => pool.run(21)));
      const bare = await bareCeiling(stack);
      for (let round = 0; round < warmUpRounds; round++) {
        await callAll(runtime, ids);
        await runAll();
        await bare();
      }
      return [
        { name: ours, sample: () => callsPerSecond(() => callAll(runtime, ids)) },
        { name: "piscina", sample: () => callsPerSecond(runAll) },
        { name: ceiling, sample: bare },
        { name: "process per candidate", every: 5, sample: () => processesPerSecond(8) },
      ];
    },
  },
  {
    name: "first call into 1,000",
    about: "one tiny call into each of 1,000 sandboxes that were just made, by one batch.call",
    unit: "calls/s",
    rounds: 3,
    targets: [atLeast("aim", 20_000, "≥ 20,000 calls/s")],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const measure = async (): Promise<number> => {
        const ids = await make(runtime, size);
        const perSecond = await callsPerSecond(() => callAll(runtime, ids));
        await runtime.batch.destroy(ids);
        return perSecond;
      };
      await measure();
      return [{ name: ours, sample: measure }];
    },
  },
];
