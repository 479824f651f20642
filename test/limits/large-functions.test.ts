// Functions that are too large for the engine's optimising compilers, whose work cannot be interrupted, and small ones that are
// optimised: whatever was hot before, an endless loop ends with its run, and the cell goes on with all that is in it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { runInThisContext } from "node:vm";
import type { Sandbox } from "../../src/index.ts";
import { loopOf, places, statementKinds } from "../support/large-functions.ts";
import { busySource } from "../support/guests.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime({ profiles: { texts: { base: "low", features: { dynamicCode: true } } } });
const exits: string[] = [];
runtime.events.on("cell.exited", ({ cause }) => exits.push(cause));
const limits = { timeoutMs: 10_000, loadMs: 60_000 };
const endless = { args: [Infinity], timeoutMs: 50 };

type Sent = (modules: object, n: number) => number;

/** A neighbour in the same cell, whose state is lost with the cell. */
async function bump(neighbour: Sandbox): Promise<number> {
  return valueOf(await neighbour.call("main.bump")) as number;
}

/** Makes a function hot by short calls, then calls it without end. */
async function heatAndCut(source: string, calls: number): Promise<void> {
  exits.length = 0;
  await using neighbour = await createMain(runtime, busySource);
  await using sandbox = await createMain(runtime, source, limits);
  assert.equal(await bump(neighbour), 1);
  const first = valueOf(await sandbox.call("main.run", { args: [3] }));
  for (let i = 0; i < calls; i++)
    assert.deepEqual(valueOf(await sandbox.call("main.run", { args: [3] })), first);
  for (let i = 0; i < 3; i++) assertFailed(await sandbox.call("main.run", endless), "timeout", "timeoutMs");
  assert.deepEqual(valueOf(await sandbox.call("main.run", { args: [3] })), first);
  assert.equal(await bump(neighbour), 2);
  assert.deepEqual(exits, []);
}

suite("an endless loop ends with its run alone, after many short calls,", () => {
  for (const kind of Object.keys(statementKinds))
    for (const [count, calls] of [
      [100, 150],
      [1_000, 100],
      [4_000, 30],
    ] as const)
      test(`in a function of ${count} ${kind}`, async () => {
        await heatAndCut(`export function run(n) { ${loopOf(kind, count)} return s; }`, calls);
      });

  for (const [place, put] of Object.entries(places))
    test(`in ${place} that is large`, async () => {
      await heatAndCut(put(loopOf("branches", 400)), 60);
    });

  test("in a small function", async () => {
    await heatAndCut(
      "export function run(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i) | 0; return s; }",
      150,
    );
  });

  test("in a large function that is sent along", async () => {
    exits.length = 0;
    await using sandbox = await createMain(runtime, busySource, limits);
    const sent = runInThisContext(`(_, n) => { ${loopOf("closures", 500)} return s; }`) as Sent;
    for (let i = 0; i < 40; i++) valueOf(await sandbox.run(sent, { args: [3] }));
    assertFailed(await sandbox.run(sent, { args: [Infinity], timeoutMs: 50 }), "timeout", "timeoutMs");
    assert.deepEqual(exits, []);
  });
});

test("a large function that a guest makes from text ends with timeout, and its neighbour answers, in a new cell if need be", async () => {
  await using neighbour = await createMain(runtime, busySource);
  const main = `const made = new Function("n", ${JSON.stringify(`${loopOf("closures", 1_000)} return s;`)});
export const run = (n) => made(n);`;
  await using sandbox = await runtime.create({ modules: { main }, profile: "texts", limits });
  const first = valueOf(await sandbox.call("main.run", { args: [3] }));
  assert.equal(typeof first, "number");
  assertFailed(await sandbox.call("main.run", endless), "timeout", "timeoutMs");
  assert.ok((await bump(neighbour)) >= 1);
});
