// One call at a time, there and back.
import { startPiscina } from "../peers/piscina.ts";
import { ours, type Row } from "../row.ts";
import { callTimes, double, doubling, startRuntime } from "../subject.ts";
import { timesAtMost } from "../target.ts";

// Both sides are compiled by the JIT only after some ten thousand calls.
const warmUpCalls = 25_000;
const callsPerRound = 500;

export const callRows: readonly Row[] = [
  {
    name: "call round trip",
    about: `one tiny call awaited before the next, after ${warmUpCalls.toLocaleString("en-US")} to warm up`,
    unit: "µs",
    rounds: 30,
    targets: [timesAtMost("aim", 1.3, "piscina"), timesAtMost("stretch", 1, "piscina")],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const sandbox = await runtime.create({ modules: { main: doubling } });
      const piscina = startPiscina(stack, 1);
      const pooled = (): Promise<unknown> => piscina.run(21);
      await callTimes(warmUpCalls, () => double(sandbox));
      await callTimes(warmUpCalls, pooled);
      return [
        { name: ours, sample: () => callTimes(callsPerRound, () => double(sandbox)) },
        { name: "piscina", sample: () => callTimes(callsPerRound, pooled) },
      ];
    },
  },
];
