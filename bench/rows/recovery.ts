// How soon sandboxes answer again when their cell is killed.
import { ours, type Row } from "../row.ts";
import { callAll, populate, startRuntime } from "../subject.ts";

const size = 100;

async function rehome(): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const runtime = await startRuntime(stack, { cells: { count: 1, spare: 1 } });
  const ids = await populate(runtime, size);
  const { cells } = await runtime.metrics();
  const home = cells.find(({ sandboxes }) => sandboxes === size);
  if (home === undefined) throw new Error("Cannot measure as all sandboxes must share a cell: they do not");
  const startedMs = performance.now();
  process.kill(home.pid, "SIGKILL");
  await callAll(runtime, ids);
  return performance.now() - startedMs;
}

export const recoveryRows: readonly Row[] = [
  {
    name: "reassigning 100",
    about: "from SIGKILL of a cell with 100 sandboxes until each of them has answered a call from elsewhere",
    unit: "ms",
    rounds: 6,
    targets: [],
    prepare: () => Promise.resolve([{ name: ours, sample: rehome }]),
  },
];
