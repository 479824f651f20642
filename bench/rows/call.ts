// One call at a time, there and back, on a quiet machine and on a busy one.
import { startBusyLoops } from "../peers/busy-loops.ts";
import { startPiscina } from "../peers/piscina.ts";
import { ours, type Entrant, type Row } from "../row.ts";
import { callTimes, double, doubling, startRuntime } from "../subject.ts";
import { timesAtMost } from "../target.ts";

// Both sides are compiled by the JIT only after some ten thousand calls.
const warmUpCalls = 25_000;
const callsPerRound = 500;
const loops = 2;

async function entrants(stack: AsyncDisposableStack): Promise<readonly Entrant[]> {
  const runtime = await startRuntime(stack);
  const sandbox = await runtime.create({ modules: { main: doubling } });
  const piscina = startPiscina(stack, 1);
  const pooled = (): Promise<unknown> => piscina.run(21);
  await callTimes(warmUpCalls, () => double(sandbox));
  await callTimes(warmUpCalls, pooled);
  const operations = callsPerRound;
  return [
    { name: ours, operations, sample: () => callTimes(callsPerRound, () => double(sandbox)) },
    { name: "piscina", operations, sample: () => callTimes(callsPerRound, pooled) },
  ];
}

export const callRows: readonly Row[] = [
  {
    name: "call round trip",
    about: `one tiny call awaited before the next, after ${warmUpCalls.toLocaleString("en-US")} to warm up`,
    unit: "µs",
    rounds: 30,
    targets: [timesAtMost("floor", 1.3, "piscina"), timesAtMost("aim", 1, "piscina")],
    prepare: entrants,
  },
  {
    name: "call round trip, busy",
    about: `the same beside ${loops} processes that never wait`,
    unit: "µs",
    rounds: 20,
    targets: [timesAtMost("floor", 2, "piscina"), timesAtMost("aim", 1.3, "piscina")],
    async prepare(stack) {
      const ready = await entrants(stack);
      stack.use(startBusyLoops(loops));
      // Processor times would be those of the loops.
      return ready.map(({ name, sample }) => ({ name, sample }));
    },
  },
];
