// The memory of a running sandbox.
import type { Runtime, SandboxSpec } from "vivarium";
import { startPeer, type Peer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { createRuntime, dense, populate, takesDense } from "../subject.ts";
import { atMost } from "../target.ts";

const MB = 1e6;
const size = 500;
const threads = 20;
const denseOnes = `${ours}, dense`;

async function cellBytes(runtime: Runtime): Promise<number> {
  return (await runtime.metrics()).cells.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
}

// No warm isolates and no spare cell: what is added is what the sandboxes take.
async function ourShare(count: number, spec?: Partial<SandboxSpec>): Promise<number> {
  await using runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 0, sandboxesMax: 4_000 } });
  const before = await cellBytes(runtime);
  await populate(runtime, count, spec);
  return ((await cellBytes(runtime)) - before) / count / MB;
}

async function peerShare(peer: Peer, count: number, ...args: readonly unknown[]): Promise<number> {
  await using _ = peer;
  const before = await peer.ask("rssBytes");
  await peer.ask("populate", count, ...args);
  return ((await peer.ask("rssBytes")) - before) / count / MB;
}

export const memoryRows: readonly Row[] = [
  {
    name: "memory per live sandbox",
    about: `resident memory added by ${size} sandboxes (threads: ${threads}), each called once, divided by their number`,
    unit: "MB",
    rounds: 3,
    targets: [
      atMost("floor", 1.25, { text: "≤ 1.25 MB" }),
      atMost("aim", 1.1, { text: "≤ 1.1 MB" }),
      atMost("floor", 0.5, { text: "dense ≤ 0.5 MB", own: denseOnes }),
      atMost("aim", 0.35, { text: "dense ≤ 0.35 MB", own: denseOnes }),
    ],
    async prepare(stack) {
      const hasDense = await takesDense(stack.use(await createRuntime()));
      const ourDense = { name: denseOnes, sample: () => ourShare(size, dense) };
      return [
        { name: ours, sample: () => ourShare(size) },
        ...(hasDense ? [ourDense] : []),
        {
          name: "bare isolate",
          sample: () =>
            peerShare(startPeer("bare-isolates.ts", ["--no-node-snapshot"]), size, "((n) => n * 2)"),
        },
        { name: "worker thread", sample: () => peerShare(startPeer("worker-threads.ts"), threads) },
      ];
    },
  },
];
