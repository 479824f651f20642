// Whether a function that is called often and runs briefly gets as fast as in plain Node: its code must be optimised between
// entries. Compared is what a turn of its loop takes beyond an entry without turns, as entering an isolate has a price of its
// own, which the rows of calls show.
import type { Runtime } from "vivarium";
import { startPeer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { createAll, startRuntime, unwrap } from "../subject.ts";
import { fasterThan } from "../target.ts";

const sandboxes = 20;
const entriesPerSandbox = 100;
const entries = sandboxes * entriesPerSandbox;
const warmUpRounds = 5;
const peer = "plain Node";
const stepsPerTurn = 32;
const nsPerMs = 1e6;

// Straight code, so that a turn takes long enough to be measured and has no loop of its own.
const turn = Array.from(
  { length: stepsPerTurn },
  (_, index) => `h = (Math.imul(h ^ (i + ${index}), 16777619) + (h >>> 15)) | 0;`,
).join(" ");
const source = `export function kernel(turns) { let h = 7; for (let i = 0; i < turns; i++) { ${turn} } return h; }`;

/** The processor time inside the isolates of as many entries, in milliseconds. */
async function insideMs(runtime: Runtime, ids: readonly string[], turns: number): Promise<number> {
  let sum = 0;
  for (let time = 0; time < entriesPerSandbox; time++) {
    const outcomes = await runtime.batch.call(ids, "main.kernel", { args: [turns] });
    for (const outcome of outcomes) {
      unwrap(outcome);
      sum += outcome.usage.cpuMs;
    }
  }
  return sum;
}

/** What a turn takes, in nanoseconds. */
async function perTurn(turns: number, timeOf: (turns: number) => Promise<number>): Promise<number> {
  const withoutMs = await timeOf(0);
  return (((await timeOf(turns)) - withoutMs) / entries / turns) * nsPerMs;
}

function row(turns: number): Row {
  const shown = turns.toLocaleString("en-US");
  return {
    name: `compute: entries of ${shown} turns`,
    about: `processor time of a loop's turn in calls of ${shown} turns each, into ${sandboxes} sandboxes in turn, beyond that of calls without turns`,
    unit: "ns",
    rounds: 15,
    targets: [fasterThan("floor", 0.95, peer), fasterThan("aim", 1, peer)],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const ids = await createAll(
        runtime,
        Array.from({ length: sandboxes }, () => ({ modules: { main: source } })),
      );
      const node = stack.use(startPeer("plain-node.ts"));
      await node.ask("load", source);
      const own = (): Promise<number> => perTurn(turns, (count) => insideMs(runtime, ids, count));
      const plain = (): Promise<number> => perTurn(turns, (count) => node.ask("entries", entries, count));
      for (let round = 0; round < warmUpRounds; round++) {
        await own();
        await plain();
      }
      return [
        { name: ours, sample: own },
        { name: peer, sample: plain },
      ];
    },
  };
}

export const shortEntryRows: readonly Row[] = [10, 100, 1_000].map(row);
