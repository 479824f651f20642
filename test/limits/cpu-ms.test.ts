// cpuMs: processor time of one run. What a run waits for is not counted; what it computes is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidLimitsError } from "../../src/index.ts";
import { mistakeOf } from "../support/errors.ts";
import { busySource } from "../support/guests.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const generousMs = 10_000;

// A guest that counts its work, not its time, so that a busy machine makes no difference.
const source = `${busySource}
export function work(steps: number): number {
  let x = 1;
  for (let i = 0; i < steps; i++) x = (x * 16_807) % 2_147_483_647;
  return x;
}
export async function workLater(ms: number): Promise<never> {
  await wait(ms);
  for (;;);
}`;

test("a run that uses less processor time than cpuMs gives its value and reports what it used", async () => {
  await using sandbox = await createMain(runtime, source, { cpuMs: 5_000 });
  const outcome = await sandbox.call<number>("main.work", { args: [3_000_000] });
  assert.ok(valueOf(outcome) > 0);
  assert.ok(outcome.usage.cpuMs > 1 && outcome.usage.cpuMs < 5_000, `it used ${outcome.usage.cpuMs} ms`);
});

test("a run that waits longer than cpuMs is fine, as waiting uses no processor", async () => {
  await using sandbox = await createMain(runtime, source, { cpuMs: 100 });
  const outcome = await sandbox.call("main.wait", { args: [400] });
  assert.equal(valueOf(outcome), 400);
  assert.ok(outcome.usage.wallMs >= 390, `it took ${outcome.usage.wallMs} ms`);
  assert.ok(outcome.usage.cpuMs < 100, `it used ${outcome.usage.cpuMs} ms`);
});

for (const [how, target, args] of [
  ["a little longer", "main.work", [100_000_000]],
  ["without end", "main.spinForever", []],
] as const) {
  test(`a run that computes ${how} ends with cpu`, async () => {
    await using sandbox = await createMain(runtime, source, { cpuMs: 100, timeoutMs: 60_000 });
    const outcome = await sandbox.call(target, { args: [...args] });
    assertFailed(outcome, "cpu", "cpuMs");
    const { cpuMs } = outcome.usage;
    assert.ok(cpuMs >= 95 && cpuMs < 100 + generousMs, `it used ${cpuMs} ms`);
    assert.match(outcome.error.message, /cpuMs, 100/);
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  });
}

test("a run that waits first and computes then ends with cpu", async () => {
  await using sandbox = await createMain(runtime, source, { cpuMs: 100, timeoutMs: 60_000 });
  assertFailed(await sandbox.call("main.workLater", { args: [50] }), "cpu", "cpuMs");
});

test("a run that computes in a timer's turn ends with cpu though another run waits in the same sandbox", async () => {
  await using sandbox = await createMain(runtime, source, { cpuMs: 100, timeoutMs: 60_000 });
  const waiting = sandbox.call("main.wait", { args: [60_000] });
  const outcome = await sandbox.call("main.workLater", { args: [20] });
  assertFailed(outcome, "cpu", "cpuMs");
  assert.ok(outcome.usage.cpuMs < 4_000, `it used ${outcome.usage.cpuMs} ms`);
  await sandbox.destroy();
  assert.equal((await waiting).ok, false);
});

test("a run that is cut costs the sandbox its isolate, once", async () => {
  await using sandbox = await createMain(runtime, source, { cpuMs: 50 });
  valueOf(await sandbox.call("main.bump"));
  assertFailed(await sandbox.call("main.spinForever"), "cpu", "cpuMs");
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  assert.equal((await sandbox.info()).rebuilds, 1);
});

test("a call may lower cpuMs, and set it where the sandbox has none", async () => {
  await using bounded = await createMain(runtime, source, { cpuMs: 60_000 });
  assertFailed(await bounded.call("main.spinForever", { cpuMs: 60 }), "cpu", "cpuMs");
  await using free = await createMain(runtime, source);
  assertFailed(await free.call("main.spinForever", { cpuMs: 60 }), "cpu", "cpuMs");
});

for (const cpuMs of [101, 3_600_000]) {
  test(`a call that asks for cpuMs ${cpuMs} where the sandbox has 100 is refused`, async () => {
    await using sandbox = await createMain(runtime, source, { cpuMs: 100 });
    const error = await mistakeOf(() => sandbox.call("main.bump", { cpuMs }), "INVALID_LIMITS");
    assert.ok(error instanceof InvalidLimitsError);
    assert.equal(error.limit, "cpuMs");
    assert.equal(valueOf(await sandbox.call("main.bump", { cpuMs: 100 })), 1);
  });
}

test("each run has its own processor time: many short ones add up to nothing", async () => {
  await using sandbox = await createMain(runtime, source, { cpuMs: 1_000 });
  let usedMs = 0;
  for (let i = 0; i < 200 && usedMs < 1_500; i++) {
    const outcome = await sandbox.call("main.work", { args: [3_000_000] });
    valueOf(outcome);
    usedMs += outcome.usage.cpuMs;
  }
  assert.ok(usedMs >= 1_500, `they used ${usedMs} ms in all`);
});
