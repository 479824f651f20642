// Reloads of code that was quick before, on the main lane: what they may cost others, and what follows them at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf } from "../support/errors.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { killCellOf } from "../support/reloading.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime({ cells: { count: 1, spare: 1 } });
const main = `import { answer } from "./part"; export const ask = () => answer; export const set = (what) => void (globalThis.trap = what);`;
const partThat = (answer: number): string =>
  `if (globalThis.trap === "loop") for (;;); if (globalThis.trap === "throw") throw new Error("trapped"); export const answer = ${answer};`;

const create = () =>
  runtime.create({ modules: { main, part: partThat(1) }, limits: { loadMs: 300, timeoutMs: 300 } });

test("a rollback to code that was quick and is endless now is cut at loadMs and leaves the present code, as often as it is tried", async () => {
  await using sandbox = await create();
  await using neighbour = await create();
  await sandbox.hotReload({ part: partThat(2) });
  for (const version of [1, 2, 1, 2]) await sandbox.rollback("part", version);
  valueOf(await sandbox.call("main.set", { args: ["loop"] }));
  for (let tries = 0; tries < 3; tries++) {
    const error = await errorOf(() => sandbox.rollback("part", 1), "LOAD_FAILED");
    assert.match(error.message, /loadMs/);
    assert.equal(valueOf(await sandbox.call("main.ask")), 2);
  }
  assert.equal(valueOf(await neighbour.call("main.ask")), 1);
  valueOf(await sandbox.call("main.set", { args: ["none"] }));
  await sandbox.rollback("part", 1);
  assert.equal(valueOf(await sandbox.call("main.ask")), 1);
  assert.equal((await sandbox.info()).rebuilds, 0);
});

test("a rollback to code that was quick and throws now leaves the present code", async () => {
  await using sandbox = await create();
  await sandbox.hotReload({ part: partThat(2) });
  for (const version of [1, 2, 1, 2]) await sandbox.rollback("part", version);
  valueOf(await sandbox.call("main.set", { args: ["throw"] }));
  assert.match((await errorOf(() => sandbox.rollback("part", 1), "LOAD_FAILED")).message, /trapped/);
  assert.equal(valueOf(await sandbox.call("main.ask")), 2);
});

test("what follows a reload at once comes behind its commit: a reload, a suspension, a destruction, the loss of its cell", async () => {
  await using sandbox = await create();
  await sandbox.hotReload({ part: partThat(2) });
  await Promise.all([sandbox.rollback("part", 1), sandbox.rollback("part", 2)]);
  assert.equal(valueOf(await sandbox.call("main.ask")), 2);
  await sandbox.rollback("part", 1);
  await sandbox.suspend();
  await sandbox.resume();
  assert.equal(valueOf(await sandbox.call("main.ask")), 1);
  await sandbox.rollback("part", 2);
  await killCellOf(runtime, sandbox);
  assert.equal(valueOf(await sandbox.call("main.ask")), 2);
  await sandbox.rollback("part", 1);
  const asked = sandbox.call("main.ask");
  await sandbox.destroy();
  const outcome = await asked;
  if (!outcome.ok) assertFailed(outcome, "cancelled");
});
