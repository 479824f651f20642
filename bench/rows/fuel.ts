// What it costs to count fuel: the same work in a sandbox that counts, and in one that does not.
import type { SandboxSpec } from "vivarium";
import { kernels } from "../kernels.ts";
import { timed } from "../measure.ts";
import { ours, type Row } from "../row.ts";
import { startRuntime, unwrap } from "../subject.ts";
import { timesAtMost } from "../target.ts";

const warmUpRuns = 15;
const uncounted = `${ours}, not counting`;

export const fuelRows: readonly Row[] = Object.entries(kernels).map(([name, source]) => ({
  name: `fuel: ${name}`,
  about: "the same kernel, warm, with every loop turn and function entry counted, and without",
  unit: "ms",
  rounds: 30,
  targets: [timesAtMost("aim", 2, uncounted)],
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const start = async (limits: NonNullable<SandboxSpec["limits"]>): Promise<() => Promise<unknown>> => {
      const sandbox = await runtime.create({ modules: { main: source }, limits });
      const call = async (): Promise<unknown> => unwrap(await sandbox.call("main.kernel"));
      for (let run = 0; run < warmUpRuns; run++) await call();
      return call;
    };
    const counting = await start({ fuel: Number.MAX_SAFE_INTEGER });
    const free = await start({});
    return [
      { name: ours, sample: () => timed(counting) },
      { name: uncounted, sample: () => timed(free) },
    ];
  },
}));
