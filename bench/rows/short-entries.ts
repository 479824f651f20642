// Whether a function that is called often and runs briefly gets as fast as in plain Node: its code must be optimised between
// entries. Compared is what a turn of its loop takes beyond an entry without turns, as entering an isolate has a price of its
// own, which the rows of calls show. Entries are so short that a mean would tell how often one was interrupted by other work
// of the machine: each is measured by itself, and the middle half of them counts.
import type { Runtime } from "vivarium";
import { startPeer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { middleMean } from "../statistics.ts";
import { createAll, startRuntime, unwrap } from "../subject.ts";
import { fasterThan } from "../target.ts";

const sandboxes = 20;
const entriesPerSandbox = 100;
const entries = sandboxes * entriesPerSandbox;
// As many as it takes until the function is optimised in each sandbox, where it is called a twentieth as often as in the peer.
const warmUpRounds = 20;
const peer = "plain Node";
const stepsPerTurn = 32;
const nsPerMs = 1e6;

// Straight code, so that a turn takes long enough to be measured and has no loop of its own.
const turn = Array.from(
  { length: stepsPerTurn },
  (_, index) => `h = (Math.imul(h ^ (i + ${index}), 16777619) + (h >>> 15)) | 0;`,
).join(" ");
const source = `export function kernel(turns) { let h = 7; for (let i = 0; i < turns; i++) { ${turn} } return h; }`;

/** What entries with turns take beyond those without, each after the other, in milliseconds inside the isolates. */
async function insideMs(runtime: Runtime, ids: readonly string[], turns: number): Promise<number> {
  const [without, having]: [number[], number[]] = [[], []];
  const enter = async (args: readonly number[], into: number[]): Promise<void> => {
    for (const outcome of await runtime.batch.call(ids, "main.kernel", { args })) {
      unwrap(outcome);
      into.push(outcome.usage.cpuMs);
    }
  };
  for (let time = 0; time < entriesPerSandbox; time++) {
    await enter([0], without);
    await enter([turns], having);
  }
  return middleMean(having) - middleMean(without);
}

function row(turns: number): Row {
  const shown = turns.toLocaleString("en-US");
  return {
    name: `compute: entries of ${shown} turns`,
    about: `time of a loop's turn in calls of ${shown} turns each, into ${sandboxes} sandboxes in turn, beyond that of calls without turns`,
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
      const own = async (): Promise<number> => ((await insideMs(runtime, ids, turns)) / turns) * nsPerMs;
      const plain = async (): Promise<number> =>
        ((await node.ask("entries", entries, turns)) / turns) * nsPerMs;
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
