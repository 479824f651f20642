// How long it takes to create a sandbox, alone and in numbers.
import { timed } from "../measure.ts";
import { startPeer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { doubling, startRuntime } from "../subject.ts";
import { atMost, fasterThan, timesAtMost, type Target } from "../target.ts";

const bareFlags = ["--no-node-snapshot"];
const bareSource = "((n) => n * 2)";

const warm: Row = {
  name: "create, warm",
  about: "one sandbox from a warm isolate, its module known to the cache, until it is running",
  unit: "ms",
  rounds: 60,
  targets: [
    atMost("floor", 50, { text: "≤ 50 ms" }),
    timesAtMost("aim", 1.5, "bare isolate"),
    fasterThan("aim", 20, "worker thread"),
  ],
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const bare = stack.use(startPeer("bare-isolates.ts", bareFlags));
    const threads = stack.use(startPeer("worker-threads.ts"));
    return [
      {
        name: ours,
        async sample() {
          const startedMs = performance.now();
          const sandbox = await runtime.create({ modules: { main: doubling } });
          const ms = performance.now() - startedMs;
          await sandbox.destroy();
          return ms;
        },
      },
      { name: "bare isolate", sample: () => bare.ask("create") },
      { name: "worker thread", sample: () => threads.ask("create") },
    ];
  },
};

interface Size {
  readonly count: number;
  readonly rounds: number;
  readonly targets: readonly Target[];
}

function batch({ count, rounds, targets }: Size): Row {
  return {
    name: `batch create ${count.toLocaleString("en-US")}`,
    about: `${count.toLocaleString("en-US")} sandboxes by one batch.create, with one source for all, and with a source each`,
    unit: "ms",
    rounds,
    targets,
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const bare = stack.use(startPeer("bare-isolates.ts", bareFlags));
      let made = 0;
      const create = async (sourceFor: () => string): Promise<number> => {
        const specs = Array.from({ length: count }, () => ({ modules: { main: sourceFor() } }));
        const startedMs = performance.now();
        const results = await runtime.batch.create(specs);
        const ms = performance.now() - startedMs;
        await runtime.batch.destroy(results.map(({ sandboxId }) => sandboxId));
        return ms;
      };
      return [
        { name: ours, sample: () => create(() => doubling) },
        { name: `${ours}, a source each`, sample: () => create(() => `${doubling} // ${++made}`) },
        {
          name: "bare isolates",
          async sample() {
            const ms = await bare.ask("populate", count, bareSource);
            await bare.ask("dispose");
            return ms;
          },
        },
      ];
    },
  };
}

const start: Row = {
  name: "runtime start",
  about: "createRuntime() until it can be used, with its first cell",
  unit: "ms",
  rounds: 5,
  targets: [],
  async prepare() {
    const { createRuntime } = await import("vivarium");
    return [
      {
        name: ours,
        async sample() {
          const startedMs = performance.now();
          await using _ = await createRuntime();
          return performance.now() - startedMs;
        },
      },
    ];
  },
};

const once: Row = {
  name: "once",
  about: "create, run and destroy by runtime.once, against a process for the same",
  unit: "ms",
  rounds: 20,
  targets: [],
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const { processesPerSecond } = await import("../peers/processes.ts");
    return [
      { name: ours, sample: () => timed(() => runtime.once("export default (n) => n * 2", { args: [21] })) },
      { name: "process", every: 4, sample: async () => 1_000 / (await processesPerSecond(1)) },
    ];
  },
};

export const createRows: readonly Row[] = [
  warm,
  batch({
    count: 100,
    rounds: 8,
    targets: [atMost("floor", 2_000, { text: "≤ 2 s" }), atMost("aim", 150, { text: "≤ 0.15 s" })],
  }),
  batch({ count: 1_000, rounds: 3, targets: [atMost("aim", 1_500, { text: "≤ 1.5 s" })] }),
  once,
  start,
];
