// processes: how many may be alive in a sandbox at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const source = `
import { spawn, exit } from "vivarium/guest";
const alive = [];
const sleeper = async (self) => { await self.receive(); };
export const grow = (n) => { for (let i = 0; i < n; i++) alive.push(spawn(sleeper)); return alive.length; };
export const shrink = () => { for (const pid of alive.splice(0)) exit(pid, "kill"); return alive.length; };`;

test("as many as allowed are alive, one more ends the run with process-limit, and room can be made again", async () => {
  await using sandbox = await createMain(runtime, source, { processes: 10 });
  assert.equal(valueOf(await sandbox.call("main.grow", { args: [10] })), 10);
  assertFailed(await sandbox.call("main.grow", { args: [1] }), "process-limit", "processes");
  assertFailed(await sandbox.call("main.grow", { args: [100_000] }), "process-limit", "processes");
  assert.equal(valueOf(await sandbox.call("main.shrink")), 0);
  assert.equal(valueOf(await sandbox.call("main.grow", { args: [10] })), 10);
});
