// Operations that the engine cannot interrupt: they have the whole time of their run or load, not only a slice of it; when
// that is over, the cell is killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadError } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { busySource, uninterruptible } from "../support/guests.ts";
import { stopwatch } from "../support/machine.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime({ cells: { spare: 1 } });
const generousMs = 10_000;
const roomy = { memoryBytes: 512 * 2 ** 20 };
const bomb = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)";

test("a first run that cannot be interrupted has its whole time, and is not blamed when it ends within it", async () => {
  await using sandbox = await createMain(runtime, `${uninterruptible}\nexport { parse };`, {
    ...roomy,
    timeoutMs: 60_000,
  });
  assert.equal(valueOf(await sandbox.call("main.parse", { args: [4_000_000] })), 2);
  const { quarantined: isQuarantined, status } = await sandbox.info();
  assert.deepEqual({ isQuarantined, status }, { isQuarantined: false, status: "running" });
  assert.equal(valueOf(await sandbox.call("main.parse", { args: [1] })), 2);
});

test("modules that cannot be interrupted while they load have the whole of loadMs", async () => {
  const source = `${uninterruptible}\nconst keys = parse(4_000_000);\nexport const count = () => keys;`;
  await using sandbox = await createMain(runtime, source, { ...roomy, loadMs: 60_000 });
  assert.equal(valueOf(await sandbox.call("main.count")), 2);
  assert.equal((await sandbox.info()).quarantined, false);
});

test("a neighbour whose cell is killed with such a run is rebuilt, and its run that had not begun is not lost", async () => {
  await using neighbour = await createMain(runtime, busySource);
  await using sandbox = await createMain(runtime, `${uninterruptible}\nexport { parse };`, roomy);
  const [parsed, bumped] = await Promise.all([
    sandbox.call("main.parse", { args: [4_000_000] }),
    neighbour.call("main.bump"),
  ]);
  assert.deepEqual([valueOf(parsed), valueOf(bumped)], [2, 1]);
});

test("a reload whose code takes long to compile, which cannot be interrupted, does not hold up a neighbour", async () => {
  await using shared = await startRuntime({ cells: { count: 1, spare: 0 } });
  await using neighbour = await createMain(shared, busySource);
  await using sandbox = await createMain(shared, busySource);
  valueOf(await sandbox.call("main.bump"));
  // The engine builds the class while it compiles.
  const main = `export const bump = () => 0; export const find = () => /[${String.raw`\p{L}`.repeat(3_000)}]/iv;`;
  const reload = { startedMs: performance.now(), ms: Infinity };
  const reloaded = sandbox.hotReload({ main }).then(() => {
    reload.ms = performance.now() - reload.startedMs;
  });
  let longestMs = 0;
  while (reload.ms === Infinity) {
    const beganMs = performance.now();
    valueOf(await neighbour.call("main.bump"));
    longestMs = Math.max(longestMs, performance.now() - beganMs);
  }
  await reloaded;
  assert.ok(longestMs < reload.ms / 2, `it waited ${longestMs} ms of ${reload.ms}`);
});

test("a run that can never be interrupted ends with timeout after its whole time, with its cell", async () => {
  const exits: string[] = [];
  const stop = runtime.events.on("cell.exited", ({ cause }) => exits.push(cause));
  await using sandbox = await createMain(runtime, `export const run = () => ${bomb};`, { timeoutMs: 1_500 });
  const took = stopwatch();
  const outcome = await sandbox.call("main.run");
  assertFailed(outcome, "timeout", "timeoutMs");
  assert.ok(took.ms() >= 1_500, `it took ${took.ms()} ms`);
  const { wallMs, cpuMs, queuedMs } = outcome.usage;
  assert.ok(wallMs >= 1_500 && wallMs <= took.ms(), `it was inside for ${wallMs} ms of ${took.ms()}`);
  assert.ok(cpuMs > 0 && cpuMs <= wallMs, `it used ${cpuMs} ms in ${wallMs}`);
  assert.ok(queuedMs >= 0 && queuedMs <= took.ms() - wallMs, `it waited for ${queuedMs} ms`);
  assert.ok((await sandbox.usage()).wallMs >= wallMs);
  took.assertWithin(1_500 + generousMs, "it took too long");
  assert.equal(exits.at(-1), "deadline");
  assert.equal((await sandbox.info()).quarantined, true);
  stop();
});

test("modules that can never be interrupted fail to load by loadMs after their whole time", async () => {
  const took = stopwatch();
  const error = await errorOf(
    () => createMain(runtime, `export const found = ${bomb};`, { loadMs: 1_500 }),
    "LOAD_FAILED",
  );
  assert.ok(took.ms() >= 1_500, `it took ${took.ms()} ms`);
  took.assertWithin(1_500 + generousMs, "it took too long");
  assert.ok(error instanceof LoadError);
  assert.deepEqual([error.failure?.kind, error.failure?.limit], ["timeout", "loadMs"]);
});
