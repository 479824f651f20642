// A guest that blocks its cell's main thread delays the report that a neighbour is done. The neighbour is not blamed for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime();
const spin = "const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); };";
const honestSource = `${spin} export const work = (ms) => { spin(ms); return "done"; };`;
// It is known to be quick, so its next run enters on the main lane.
const evilSource = `${spin} let calls = 0; export const go = () => { if (calls++ > 1) spin(3_000); return calls; };`;

test("a run that ended in time on a lane of its own is no timeout, while a neighbour blocks the main lane", async () => {
  const exits: string[] = [];
  runtime.events.on("cell.exited", ({ cause }) => exits.push(cause));
  await using honest = await createMain(runtime, honestSource);
  await using evil = await createMain(runtime, evilSource);
  valueOf(await honest.call("main.work", { args: [60] }));
  for (let call = 0; call < 2; call++) valueOf(await evil.call("main.go"));

  const work = honest.call("main.work", { args: [200], timeoutMs: 1_000 });
  await until("it is underway", async () => (await runtime.metrics()).runsUnderway === 1);
  const held = evil.call("main.go", { timeoutMs: 20_000 });
  assert.equal(valueOf(await work), "done");
  assert.equal(valueOf(await held), 3);
  assert.deepEqual(exits, []);
  const { quarantined: isQuarantined, rebuilds } = await honest.info();
  assert.deepEqual({ isQuarantined, rebuilds }, { isQuarantined: false, rebuilds: 0 });
  await using twin = await createMain(runtime, honestSource);
  assert.equal((await twin.info()).quarantined, false);
});
