// fuel: loop turns and function entries of one run. The same program and input use the same amount, on every machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const source = `
let count = 0;
export const bump = () => ++count;
export const turns = (n) => { let i = 0; while (i < n) i++; return i; };
export const stubborn = () => { for (;;) { try { for (;;); } catch {} finally { for (;;); } } };`;

test("a run that uses exactly its fuel answers, and one turn more ends with fuel", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 1_000_000 });
  const { usage } = await sandbox.call("main.turns", { args: [100] });
  assert.ok(usage.fuel !== null && usage.fuel >= 100);
  assert.equal(valueOf(await sandbox.call("main.turns", { args: [100], fuel: usage.fuel })), 100);
  assertFailed(await sandbox.call("main.turns", { args: [101], fuel: usage.fuel }), "fuel", "fuel");
  assertFailed(await sandbox.call("main.turns", { args: [1e9], fuel: usage.fuel }), "fuel", "fuel");
});

test("what is used up cannot be caught, and the sandbox goes on with new fuel", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 10_000 });
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  assertFailed(await sandbox.call("main.stubborn"), "fuel", "fuel");
  assert.equal(valueOf(await sandbox.call("main.bump")), 2);
});
