// timeoutMsMax: the most that a call may ask for. A call goes up to it and never beyond.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidLimitsError } from "../../src/index.ts";
import { mistakeOf } from "../support/errors.ts";
import { busySource } from "../support/guests.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const limits = { timeoutMs: 100, timeoutMsMax: 2_000 };

test("a call may ask for exactly timeoutMsMax and then has that time", async () => {
  await using sandbox = await createMain(runtime, busySource, limits);
  assertFailed(await sandbox.call("main.spin", { args: [400] }), "timeout", "timeoutMs");
  assert.equal(valueOf(await sandbox.call("main.spin", { args: [400], timeoutMs: 2_000 })), 400);
});

for (const timeoutMs of [2_001, 300_000, 3_600_000]) {
  test(`a call that asks for ${timeoutMs} ms where 2000 are the most is refused before it runs`, async () => {
    await using sandbox = await createMain(runtime, busySource, limits);
    const error = await mistakeOf(() => sandbox.call("main.bump", { timeoutMs }), "INVALID_LIMITS");
    assert.ok(error instanceof InvalidLimitsError);
    assert.equal(error.limit, "timeoutMs");
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  });
}

test("a function that is shipped is held to the same ceiling", async () => {
  await using sandbox = await createMain(runtime, busySource, limits);
  await mistakeOf(() => sandbox.run(() => 1, { timeoutMs: 2_001 }), "INVALID_LIMITS");
});

test("a sandbox whose timeoutMs is above its timeoutMsMax is refused", async () => {
  const given = { timeoutMs: 101, timeoutMsMax: 100 };
  await mistakeOf(() => createMain(runtime, busySource, given), "INVALID_LIMITS");
});

test("a ceiling that is lowered lowers the inherited timeout, in a new sandbox and in a running one", async () => {
  await using sandbox = await createMain(runtime, busySource, { timeoutMsMax: 150 });
  assert.equal((await sandbox.info()).limits.timeoutMs, 150);
  assertFailed(await sandbox.call("main.spinForever"), "timeout", "timeoutMs");
  await sandbox.updateLimits({ timeoutMsMax: 60 });
  assert.equal((await sandbox.info()).limits.timeoutMs, 60);
  await mistakeOf(() => sandbox.call("main.bump", { timeoutMs: 61 }), "INVALID_LIMITS");
});

test("a sandbox may have a higher ceiling than its runtime, up to the bounds of the limit", async () => {
  await using sandbox = await createMain(runtime, busySource, { timeoutMsMax: 3_600_000 });
  assert.equal(valueOf(await sandbox.call("main.bump", { timeoutMs: 3_600_000 })), 1);
  await mistakeOf(() => createMain(runtime, busySource, { timeoutMsMax: 3_600_001 }), "INVALID_LIMITS");
});
