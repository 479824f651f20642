// What a long first run costs more than a later one: the slice on the main lane that it was tried in.
import type { Runtime, Sandbox } from "vivarium";
import { timed } from "../measure.ts";
import { ours, type Row } from "../row.ts";
import { createRuntime, startRuntime, unwrap } from "../subject.ts";

const workMs = 100;
const busy = `export const work = () => { const end = Date.now() + ${workMs}; while (Date.now() < end); };`;

async function excess(sandbox: Sandbox): Promise<number> {
  const ms = await timed(async () => unwrap(await sandbox.call("main.work")));
  return ms - workMs;
}

async function firstRun(runtime: Runtime): Promise<number> {
  await using sandbox = await runtime.create({ modules: { main: busy } });
  return await excess(sandbox);
}

export const sliceRows: readonly Row[] = [
  {
    name: "long first run",
    about: `what a run of ${workMs} ms takes beyond its work: first of its runtime, first of its sandbox, later`,
    unit: "ms",
    rounds: 6,
    targets: [],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const known = await runtime.create({ modules: { main: busy } });
      await excess(known);
      return [
        {
          name: `${ours}, first of its runtime`,
          async sample() {
            await using fresh = await createRuntime();
            return await firstRun(fresh);
          },
        },
        {
          name: `${ours}, first of its sandbox`,
          async sample() {
            const values: number[] = [];
            for (let n = 0; n < 5; n++) values.push(await firstRun(runtime));
            return values;
          },
        },
        { name: `${ours}, later`, sample: () => excess(known) },
      ];
    },
  },
];
