// How late a run is stopped: where its isolate can be interrupted, and where its whole cell must be killed.
import type { Outcome, Runtime } from "vivarium";
import { startPeer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { startRuntime } from "../subject.ts";
import { atMost } from "../target.ts";

const timeoutMs = 100;

/** Milliseconds by which a run outlived its deadline, as its caller sees it. */
async function overshoot(run: () => Promise<Outcome>): Promise<number> {
  const startedMs = performance.now();
  const outcome = await run();
  const ms = performance.now() - startedMs - timeoutMs;
  const how = outcome.ok ? "ok" : outcome.error.kind;
  if (how !== "timeout") throw new Error(`Cannot measure as the run must end by timeout: it ended as ${how}`);
  return ms;
}

let made = 0;

// A builtin that checks no interrupt. Its code is quarantined afterwards, so each sample takes new code; a short
// run before it prevents a trial in a slice.
async function unstoppable(runtime: Runtime): Promise<number> {
  const main = `
    export const nothing = () => {};
    export const spin = () => { const sparse = []; sparse.length = 2 ** 32 - 1; sparse[7] = ${++made}; sparse.sort(); };`;
  await using sandbox = await runtime.create({ modules: { main } });
  await sandbox.call("main.nothing");
  return await overshoot(() => sandbox.call("main.spin", { timeoutMs }));
}

async function ready(runtime: Runtime): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = runtime.events.on("cell.started", () => resolve());
  const { cells } = await runtime.health();
  if (cells.ready < cells.wanted) await promise;
  stop();
}

export const timeoutRows: readonly Row[] = [
  {
    name: "timeout overshoot, isolate",
    about: `how long after its ${timeoutMs} ms an endless loop's caller has the outcome`,
    unit: "ms",
    rounds: 25,
    targets: [atMost("aim", 10 + timeoutMs * 0.05, { text: "p90 ≤ 10 ms + 5 %", at: "p90" })],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const sandbox = await runtime.create({ modules: { main: "export const spin = () => { for (;;); };" } });
      const bare = stack.use(startPeer("bare-isolates.ts", ["--no-node-snapshot"]));
      await sandbox.call("main.spin", { timeoutMs });
      return [
        { name: ours, sample: () => overshoot(() => sandbox.call("main.spin", { timeoutMs })) },
        { name: "bare isolate", sample: () => bare.ask("overshoot", timeoutMs) },
      ];
    },
  },
  {
    name: "timeout overshoot, cell dies",
    about: "the same for a builtin that cannot be interrupted, so that its cell is killed",
    unit: "ms",
    rounds: 8,
    targets: [atMost("aim", 250, { text: "p90 ≤ 250 ms", at: "p90" })],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      return [
        {
          name: ours,
          async sample() {
            await ready(runtime);
            return unstoppable(runtime);
          },
        },
      ];
    },
  },
];
