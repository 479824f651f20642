// A process with a runtime in the state that its argument names; it prints the pids of its children and waits to be
// killed. Started by orphans.test.ts.
import { createRuntime } from "../../src/index.ts";
import { childrenOf } from "../support/processes.ts";
import { until } from "../support/waiting.ts";

const runtime = await createRuntime({ cells: { count: 2, spare: 1 } });
await until("all cells are up", async () => (await runtime.health()).cells.ready === 3);
const source = `
  export const quick = () => 1;
  export const spin = () => { for (;;); };
  export const stuck = () => { for (;;) JSON.parse("[" + "1,".repeat(3e6) + "1]"); };
  export const slow = () => { const end = Date.now() + 40; while (Date.now() < end); return 1; };`;
const sandboxes = await Promise.all(
  Array.from({ length: 6 }, () =>
    runtime.create({ modules: { main: source }, limits: { timeoutMsMax: 3_600_000 } }),
  ),
);
const timeoutMs = 600_000;

const states: Readonly<Record<string, () => Promise<void>>> = {
  idle: async () => {},
  // Known to be quick, so that the next run holds the cell's main thread.
  main: async () => {
    for (const sandbox of sandboxes) await sandbox.call("main.quick");
    for (const sandbox of sandboxes) void sandbox.call("main.spin", { timeoutMs });
  },
  // Known to be slow, so that the next run gets a thread of its own.
  async: async () => {
    for (const sandbox of sandboxes) await sandbox.call("main.slow");
    for (const sandbox of sandboxes) void sandbox.call("main.spin", { timeoutMs });
  },
  stuck: async () => {
    for (const sandbox of sandboxes) await sandbox.call("main.slow");
    for (const sandbox of sandboxes) void sandbox.call("main.stuck", { timeoutMs });
  },
  compiling: async () => {
    for (let n = 0; n < 20; n++)
      void runtime.compile.check(`export const f = ${"a<".repeat(4_000 + n)}1`).catch(() => {});
  },
};
const state = states[process.argv[2] ?? ""];
if (state === undefined) process.exit(2);
await state();
const isBusy = process.argv[2] === "idle" || process.argv[2] === "compiling";
await until("it is so", async () => isBusy || (await runtime.metrics()).runsUnderway === sandboxes.length);
// A program that has come to its end would close an idle runtime and end by itself.
setInterval(() => {}, timeoutMs);
console.log(JSON.stringify(childrenOf(process.pid)));
