// A small program as a user would write it: fifty sandboxes, a call into each, and the kind of end that its argument
// names. Started by leftovers.test.ts.
import { createRuntime } from "../../src/index.ts";
import { childrenOf, descriptorsOf } from "../support/processes.ts";

const runtime = await createRuntime({ cells: { count: 2, spare: 1 } });
const made = await runtime.batch.create(
  Array.from({ length: 50 }, (_, n) => ({ modules: { main: `export const f = () => ${n};` } })),
);
const outcomes = await runtime.batch.call<number>(
  made.map(({ sandboxId }) => sandboxId),
  "main.f",
);
const sum = outcomes.reduce((total, outcome) => total + (outcome.ok ? outcome.value : Number.NaN), 0);
const pids = childrenOf(process.pid);
const end = process.argv[2];
if (end === "close") await runtime.close();
const slates = descriptorsOf(process.pid).filter((path) => path.includes("vivarium-"));
console.log(JSON.stringify({ sum, pids, children: childrenOf(process.pid), slates }));
if (end === "exit") process.exit(0);
if (end === "throw") throw new TypeError("as a user's program may");
if (end === "reject") void Promise.reject(new TypeError("as a user's program may"));
if (end === "signal") process.kill(process.pid, "SIGTERM");
