// lifetimeMs: the age at which the collector destroys a sandbox, on the runtime's own clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { FakeClock } from "../../src/testing/index.ts";
import { errorOf } from "../support/errors.ts";
import { busySource } from "../support/guests.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const clock = new FakeClock({ now: 1_000_000 });
const dayMs = 86_400_000;
const runtime = await startRuntime({ clock, collector: { intervalMs: dayMs }, watchIntervalMs: dayMs });

const statusOf = async (sandbox: Sandbox): Promise<string> => (await sandbox.info()).status;

test("a sandbox runs until just before its lifetime and is collected at it", async () => {
  const sandbox = await createMain(runtime, busySource, { lifetimeMs: 1_000 });
  clock.advance(999);
  assert.equal((await runtime.collect()).expired, 0);
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  clock.advance(1);
  assert.equal((await runtime.collect()).expired, 1);
  assert.equal(await statusOf(sandbox), "stopped");
  assert.equal((await runtime.info(sandbox.id)).reason, "collected: lifetime");
  await errorOf(() => runtime.get(sandbox.id), "SANDBOX_NOT_FOUND");
  assertFailed(await sandbox.call("main.bump"), "not-running");
});

test("a sandbox far past its lifetime is collected once", async () => {
  await createMain(runtime, busySource, { lifetimeMs: 1 });
  clock.advance(10_000_000);
  assert.equal((await runtime.collect()).expired, 1);
  assert.equal((await runtime.collect()).expired, 0);
});

test("a sandbox without a lifetime is never collected for its age", async () => {
  const sandbox = await createMain(runtime, busySource);
  clock.advance(365 * dayMs);
  assert.equal((await runtime.collect()).expired, 0);
  assert.equal(await statusOf(sandbox), "running");
  await sandbox.destroy();
});

test("the collector sweeps by itself at its interval", async () => {
  const sandbox = await createMain(runtime, busySource, { lifetimeMs: 1 });
  clock.advance(dayMs);
  await until("it is collected", async () => (await statusOf(sandbox)) === "stopped");
});

test("using a sandbox does not extend its lifetime, and a run under way ends as cancelled", async () => {
  const sandbox = await createMain(runtime, busySource, { lifetimeMs: 1_000 });
  const running = sandbox.call("main.ticking", { timeoutMs: 60_000 });
  clock.advance(1_000);
  assert.equal((await runtime.collect()).expired, 1);
  const outcome = await running;
  assertFailed(outcome, "cancelled");
  assert.equal(outcome.error.reason, "destroyed");
});

test("lifetimeMs can be set, changed and switched off while the sandbox is running, and counts from its creation", async () => {
  const sandbox = await createMain(runtime, busySource);
  clock.advance(500);
  await sandbox.updateLimits({ lifetimeMs: 1_000 });
  clock.advance(499);
  assert.equal((await runtime.collect()).expired, 0);
  await sandbox.updateLimits({ lifetimeMs: null });
  clock.advance(1_000_000);
  assert.equal((await runtime.collect()).expired, 0);
  await sandbox.updateLimits({ lifetimeMs: 1_000_001 });
  assert.equal((await runtime.collect()).expired, 1);
});

test("a wall clock that jumps does not age sandboxes", async () => {
  const sandbox = await createMain(runtime, busySource, { lifetimeMs: 1_000 });
  clock.jump(365 * dayMs);
  assert.equal((await runtime.collect()).expired, 0);
  clock.jump(-730 * dayMs);
  clock.advance(999);
  assert.equal((await runtime.collect()).expired, 0);
  clock.advance(1);
  assert.equal((await runtime.collect()).expired, 1);
  assert.equal(await statusOf(sandbox), "stopped");
});

test("a collection is shown by the report, the events, the counters and the tombstone", async () => {
  const events: number[] = [];
  const stop = runtime.events.on("gc.collected", ({ expired }) => events.push(expired));
  const before = (await runtime.metrics()).collected;
  const ids = await Promise.all(
    [1, 2, 3].map(async () => (await createMain(runtime, busySource, { lifetimeMs: 10 })).id),
  );
  clock.advance(10);
  const report = await runtime.collect();
  stop();
  assert.deepEqual([report.expired, report.failed], [3, 0]);
  assert.deepEqual(events, [3]);
  assert.equal((await runtime.metrics()).collected, before + 3);
  for (const id of ids) assert.equal((await runtime.info(id)).status, "stopped");
});
