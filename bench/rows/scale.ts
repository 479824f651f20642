// How things grow with the number of programs: what the figures of docs/benchmarks.md are drawn of.
import type { Runtime, RuntimeOptions, Sandbox, SandboxSpec } from "vivarium";
import { startPeer } from "../peers/child.ts";
import { startPiscina } from "../peers/piscina.ts";
import { ours, type Row } from "../row.ts";
import { callTimes, dense, double, populate, startRuntime } from "../subject.ts";
import { inSandboxes, litter, perSecond, startThreads, unsafe } from "./evaluate.ts";

const MB = 1e6;
/** So often memory is read while programs come and go. */
const readMs = 50;
const programs = [100, 1_000, 10_000];
const live = [10, 100, 1_000, 10_000];
/** From here on a row takes much memory. */
const largeFrom = 10_000;
const warmUpCalls = 20_000;
const callsPerRound = 500;

const shown = (count: number): string => count.toLocaleString("en-US");
const roundsFor = (count: number): number => (count >= largeFrom ? 1 : count >= 1_000 ? 3 : 8);

function point(figure: string, count: number): Pick<Row, "scale" | "isLarge" | "targets"> {
  return { scale: { figure, count }, isLarge: count >= largeFrom, targets: [] };
}

function evaluateRate(count: number): Row {
  return {
    name: `scale: evaluate ${shown(count)}`,
    about: `create, evaluate and destroy ${shown(count)} new rules for packing bins, all there at once`,
    unit: "runs/s",
    rounds: roundsFor(count),
    ...point("evaluate-rate", count),
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const inThreads = startThreads(stack);
      const ourWay = (rules: readonly string[]): Promise<void> => inSandboxes(runtime, rules);
      await perSecond(ourWay);
      await perSecond(inThreads);
      return [
        { name: ours, operations: count, sample: () => perSecond(ourWay, count) },
        { name: unsafe, operations: count, sample: () => perSecond(inThreads, count) },
      ];
    },
  };
}

// No warm isolates and no spare cell: what is added is what the programs take.
const alone: RuntimeOptions = { cells: { spare: 0, warm: 0 } };

async function memoryBytes(runtime: Runtime): Promise<number> {
  const { cells } = await runtime.metrics();
  return cells.reduce((sum, { rssBytes }) => sum + rssBytes, process.memoryUsage.rss());
}

/** What programs that are all there at once add, for each. */
async function memoryOf(count: number, like: Partial<SandboxSpec> = {}): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const runtime = await startRuntime(stack, alone);
  const before = await memoryBytes(runtime);
  let after = before;
  await inSandboxes(runtime, litter(count), {
    whileThere: async () => {
      after = await memoryBytes(runtime);
    },
    like,
  });
  return (after - before) / count / MB;
}

/** The most that programs add of which each is made when its turn comes, shared among them. */
async function memoryInTurn(count: number): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const runtime = await startRuntime(stack, alone);
  const before = await memoryBytes(runtime);
  let most = before;
  const read = async (): Promise<void> => {
    most = Math.max(most, await memoryBytes(runtime));
  };
  const reading = setInterval(() => void read(), readMs);
  await inSandboxes(runtime, litter(count));
  clearInterval(reading);
  await read();
  return (most - before) / count / MB;
}

async function bareMemory(count: number): Promise<number> {
  await using peer = startPeer("bare-isolates.ts", ["--no-node-snapshot"]);
  const before = await peer.ask("rssBytes");
  await peer.ask("populate", count, "((n) => n * 2)");
  return ((await peer.ask("rssBytes")) - before) / count / MB;
}

// Ten thousand isolates with such a program take more than 20 GB; those of dense sandboxes a quarter.
function evaluateMemory(count: number): Row {
  return {
    name: `scale: memory of ${shown(count)}`,
    about: `resident memory of cells and host that ${shown(count)} evaluated programs add, for each: all there at once, the same dense, and each made when its turn comes (the most at any time); bare isolates with a function each`,
    unit: "MB",
    rounds: count >= 1_000 ? 1 : 3,
    ...point("evaluate-memory", count),
    async prepare() {
      const separate = [
        { name: ours, sample: () => memoryOf(count) },
        { name: "bare isolate", sample: () => bareMemory(count) },
      ];
      return [
        ...(count >= largeFrom ? [] : separate),
        { name: `${ours}, dense`, sample: () => memoryOf(count, dense) },
        { name: `${ours}, in turn`, sample: () => memoryInTurn(count) },
      ];
    },
  };
}

function callLatency(count: number): Row {
  return {
    name: `scale: call among ${shown(count)}`,
    about: `one tiny call at a time into ${shown(count)} living sandboxes in turn; piscina has one function`,
    unit: "µs",
    rounds: 10,
    ...point("call-latency", count),
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const ids = await populate(runtime, count);
      const sandboxes = await Promise.all(ids.map((id) => runtime.get(id)));
      let next = 0;
      const callNext = (): Promise<void> => double(sandboxes[next++ % count] as Sandbox);
      const piscina = startPiscina(stack, 1);
      const pooled = (): Promise<unknown> => piscina.run(21);
      await callTimes(Math.max(warmUpCalls, 2 * count), callNext);
      await callTimes(warmUpCalls, pooled);
      return [
        { name: ours, sample: () => callTimes(callsPerRound, callNext) },
        { name: "piscina", sample: () => callTimes(callsPerRound, pooled) },
      ];
    },
  };
}

export const scaleRows: readonly Row[] = [
  ...programs.map(evaluateRate),
  ...programs.map(evaluateMemory),
  ...live.map(callLatency),
];
