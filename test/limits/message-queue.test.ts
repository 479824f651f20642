// messageQueue: how many messages may wait for one process. One whose mailbox runs over ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const source = `
import { server, supervisor, cast } from "vivarium/guest";
const Counter = server({
  init: () => 0,
  handleCall: (message, count) => ({ reply: count, state: count }),
  handleCast: (message, count) => ({ state: count + 1 }),
});
export default supervisor({ children: [{ id: "counter", start: Counter, name: "counter" }] });
export const flood = (n) => { for (let i = 0; i < n; i++) cast("counter", i); return n; };`;

test("a mailbox takes as many as allowed; one that runs over costs its process, which is started anew", async () => {
  await using sandbox = await runtime.create({
    modules: { main: source },
    supervisor: "main",
    limits: { messageQueue: 50 },
  });
  assert.equal(valueOf(await sandbox.call("main.flood", { args: [50] })), 50);
  assert.equal(valueOf(await sandbox.ask("counter", "get")), 50);
  await sandbox.call("main.flood", { args: [51] });
  assert.equal(valueOf(await sandbox.ask("counter", "get")), 0);
  assertFailed(await sandbox.ask("nobody", "get"), "not-found");
});
