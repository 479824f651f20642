// How long it takes to destroy a thousand sandboxes.
import { timed } from "../measure.ts";
import { startPeer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { populate, startRuntime } from "../subject.ts";
import { atMost, type Target } from "../target.ts";

const size = 1_000;
const warmUpRounds = 3;
const within = (floorMs: number, aimMs: number): readonly Target[] => [
  atMost("floor", floorMs, { text: `≤ ${floorMs} ms` }),
  atMost("aim", aimMs, { text: `≤ ${aimMs} ms` }),
];

export const destroyRows: readonly Row[] = [
  {
    name: "destroy 1,000",
    about: "batch.destroy of 1,000 living sandboxes, until it is done",
    unit: "ms",
    rounds: 7,
    targets: within(60, 40),
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      for (let round = 0; round < warmUpRounds; round++)
        await runtime.batch.destroy(await populate(runtime, size));
      const bare = stack.use(startPeer("bare-isolates.ts", ["--no-node-snapshot"]));
      return [
        {
          name: ours,
          async sample() {
            const ids = await populate(runtime, size);
            return timed(() => runtime.batch.destroy(ids));
          },
        },
        {
          name: "bare isolates",
          async sample() {
            await bare.ask("populate", size, "((n) => n * 2)");
            return bare.ask("dispose");
          },
        },
      ];
    },
  },
  {
    name: "collect 1,000",
    about: "collect() when 1,000 sandboxes are past their lifetime",
    unit: "ms",
    rounds: 7,
    targets: within(80, 50),
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const collect = async (): Promise<number> => {
        await populate(runtime, size, { limits: { lifetimeMs: 1 } });
        return timed(() => runtime.collect());
      };
      for (let round = 0; round < warmUpRounds; round++) await collect();
      return [{ name: ours, sample: collect }];
    },
  },
];
