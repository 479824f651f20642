// idleMs: how long a sandbox may go without a run until the collector takes it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { FakeClock } from "../../src/testing/index.ts";
import { busySource } from "../support/guests.ts";
import { valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const clock = new FakeClock();
const dayMs = 86_400_000;
const runtime = await startRuntime({ clock, collector: { intervalMs: dayMs }, watchIntervalMs: dayMs });

const create = (idleMs: number | null): Promise<Sandbox> => createMain(runtime, busySource, { idleMs });
const isCollected = async (sandbox: Sandbox): Promise<boolean> => {
  await runtime.collect();
  return (await sandbox.info()).status === "stopped";
};

test("a sandbox that was never called is collected at idleMs after its creation and not before", async () => {
  const sandbox = await create(1_000);
  clock.advance(999);
  assert.equal(await isCollected(sandbox), false);
  clock.advance(1);
  assert.equal(await isCollected(sandbox), true);
  assert.equal((await runtime.info(sandbox.id)).reason, "collected: idle");
});

test("a sandbox far past its idle time is collected", async () => {
  const sandbox = await create(1);
  clock.advance(dayMs - 1);
  assert.equal(await isCollected(sandbox), true);
});

test("each run restarts the idle time", async () => {
  const sandbox = await create(1_000);
  for (let round = 1; round <= 3; round++) {
    clock.advance(999);
    assert.equal(await isCollected(sandbox), false);
    assert.equal(valueOf(await sandbox.call("main.bump")), round);
  }
  clock.advance(1_000);
  assert.equal(await isCollected(sandbox), true);
});

test("a sandbox is not idle while a run is under way, however long it takes", async () => {
  const sandbox = await create(1_000);
  const running = sandbox.call("main.wait", { args: [150], timeoutMs: 60_000 });
  clock.advance(10_000);
  assert.equal(await isCollected(sandbox), false);
  assert.equal(valueOf(await running), 150);
  await sandbox.destroy();
});

test("the idle time begins at the end of a run, not at its start", async () => {
  const sandbox = await create(1_000);
  const running = sandbox.call("main.wait", { args: [150], timeoutMs: 60_000 });
  clock.advance(5_000);
  valueOf(await running);
  assert.equal(await isCollected(sandbox), false);
  clock.advance(999);
  assert.equal(await isCollected(sandbox), false);
  clock.advance(1);
  assert.equal(await isCollected(sandbox), true);
});

test("a run that is refused, and questions about a sandbox, are no use of it", async () => {
  const sandbox = await create(1_000);
  clock.advance(999);
  await assert.rejects(sandbox.call("main.bump", { timeoutMs: -1 }));
  await sandbox.info();
  await sandbox.usage();
  clock.advance(1);
  assert.equal(await isCollected(sandbox), true);
});

test("a sandbox without idleMs is never collected for idleness", async () => {
  const sandbox = await create(null);
  clock.advance(dayMs - 1);
  assert.equal(await isCollected(sandbox), false);
  await sandbox.destroy();
});

test("idleMs can be set and switched off while the sandbox is running", async () => {
  const sandbox = await create(null);
  clock.advance(5_000);
  await sandbox.updateLimits({ idleMs: 10_000 });
  assert.equal(await isCollected(sandbox), false);
  await sandbox.updateLimits({ idleMs: null });
  clock.advance(1e6);
  assert.equal(await isCollected(sandbox), false);
  await sandbox.updateLimits({ idleMs: 5_000 });
  assert.equal(await isCollected(sandbox), true);
});

test("a wall clock that jumps makes no sandbox idle", async () => {
  const sandbox = await create(1_000);
  clock.jump(1e10);
  assert.equal(await isCollected(sandbox), false);
  clock.advance(1_000);
  assert.equal(await isCollected(sandbox), true);
});
