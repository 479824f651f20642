// How long it takes to create a sandbox, alone and in numbers.
import type { SandboxSpec } from "vivarium";
import { timed } from "../measure.ts";
import { startBareIsolates } from "../peers/bare-population.ts";
import { startPeer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { dense, doubling, startRuntime, takesDense } from "../subject.ts";
import { atMost, fasterThan, timesAtMost, type Target } from "../target.ts";

const bareFlags = ["--no-node-snapshot"];
const bareSource = "((n) => n * 2)";
const eachItsOwn = `${ours}, a source each`;

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

const inARow = 60;

const withoutPause: Row = {
  name: "create, without pause",
  about: `${inARow} sandboxes, each awaited before the next and none destroyed between, for each; a bare isolate with its context likewise`,
  unit: "ms",
  rounds: 10,
  targets: [timesAtMost("floor", 1.5, "bare isolate"), timesAtMost("aim", 1.1, "bare isolate")],
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const bare = stack.use(startPeer("bare-isolates.ts", bareFlags));
    const create = async (): Promise<number> => {
      const ids: string[] = [];
      const ms = await timed(async () => {
        for (let made = 0; made < inARow; made++)
          ids.push((await runtime.create({ modules: { main: doubling } })).id);
      });
      await runtime.batch.destroy(ids);
      return ms / inARow;
    };
    await create();
    return [
      { name: ours, operations: inARow, sample: create },
      { name: "bare isolate", operations: inARow, sample: () => bare.ask("createInARow", inARow) },
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
    about: `${count.toLocaleString("en-US")} sandboxes by one batch.create, with one source for all, and with a source each; bare isolates one after the other in one process`,
    unit: "ms",
    rounds,
    targets,
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const bare = stack.use(startPeer("bare-isolates.ts", bareFlags));
      let made = 0;
      const create = async (sourceFor: () => string, like: Partial<SandboxSpec> = {}): Promise<number> => {
        const specs = Array.from({ length: count }, () => ({ modules: { main: sourceFor() }, ...like }));
        const startedMs = performance.now();
        const results = await runtime.batch.create(specs);
        const ms = performance.now() - startedMs;
        await runtime.batch.destroy(results.map(({ sandboxId }) => sandboxId));
        return ms;
      };
      const ourDense = {
        name: `${ours}, dense`,
        operations: count,
        sample: () => create(() => doubling, dense),
      };
      const spread = stack.use(startBareIsolates(count, bareSource));
      return [
        { name: ours, operations: count, sample: () => create(() => doubling) },
        {
          name: eachItsOwn,
          operations: count,
          sample: () => create(() => `${doubling} // ${++made}`),
        },
        ...((await takesDense(runtime)) ? [ourDense] : []),
        { name: "bare isolates, on all cores", sample: () => spread.populate() },
        {
          name: "bare isolates",
          operations: count,
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
  withoutPause,
  batch({
    count: 100,
    rounds: 8,
    targets: [atMost("floor", 2_000, { text: "≤ 2 s" }), atMost("aim", 150, { text: "≤ 0.15 s" })],
  }),
  batch({
    count: 1_000,
    rounds: 3,
    targets: [
      timesAtMost("floor", 1.1, "bare isolates"),
      timesAtMost("aim", 0.7, "bare isolates"),
      timesAtMost("floor", 1.3, { own: eachItsOwn, peer: "bare isolates" }),
      timesAtMost("aim", 0.9, { own: eachItsOwn, peer: "bare isolates" }),
    ],
  }),
  once,
];
