// stepMs: one turn of a timer between runs has this long. A turn that takes longer is cut; three cuts end the sandbox.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KilledReason, Sandbox } from "../../src/index.ts";
import { failureOf, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime();

const turning = (ms: number, everyMs: number): string => `
  let turns = 0;
  setInterval(() => { const end = Date.now() + ${ms}; while (Date.now() < end); turns++; }, ${everyMs});
  export const count = () => turns;`;

function kills(sandbox: Sandbox): { readonly reasons: KilledReason[]; readonly stop: () => void } {
  const reasons: KilledReason[] = [];
  const stop = runtime.events.on("sandbox.killed", ({ sandboxId, reason }) => {
    if (sandboxId === sandbox.id) reasons.push(reason);
  });
  return { reasons, stop };
}

const failed = (sandbox: Sandbox): Promise<unknown> =>
  until("the sandbox has failed", async () => (await sandbox.info()).status === "failed");

test("turns of timers that stay within stepMs go on and on", async () => {
  await using sandbox = await createMain(runtime, turning(20, 5), { stepMs: 2_000 });
  await until("five turns are done", async () => valueOf(await sandbox.call<number>("main.count")) >= 5);
  assert.equal((await sandbox.info()).status, "running");
});

for (const [how, ms] of [
  ["a little longer", 400],
  ["without end", 1e9],
] as const) {
  test(`turns that spin ${how} are cut, and the third cut within a minute marks the sandbox failed`, async () => {
    await using sandbox = await createMain(runtime, turning(ms, 5), { stepMs: 60 });
    const { reasons, stop } = kills(sandbox);
    await failed(sandbox);
    stop();
    assert.deepEqual(reasons, ["timeout", "timeout", "timeout"]);
    const { lastError, reason } = await sandbox.info();
    assert.deepEqual([lastError?.failure?.kind, lastError?.failure?.limit], ["timeout", "stepMs"]);
    assert.match(reason ?? "", /timers were cut 3 times/);
    const failure = failureOf(await sandbox.call("main.count"));
    assert.equal(failure.kind, "not-running");
    assert.match(failure.message, /timers were cut/);
  });
}

test("a single turn that is cut leaves the sandbox running and answering", async () => {
  const source = `setTimeout(() => { for (;;); }, 5); let count = 0; export const bump = () => ++count;`;
  await using sandbox = await createMain(runtime, source, { stepMs: 60 });
  const { reasons, stop } = kills(sandbox);
  await until("the turn is cut", () => reasons.length > 0);
  stop();
  assert.equal(valueOf(await sandbox.call<number>("main.bump")), 1);
  assert.equal((await sandbox.info()).status, "running");
});

test("a sandbox that failed by its timers runs again when it is restarted", async () => {
  const source = `${turning(1e9, 5)} export const f = () => 1;`;
  await using sandbox = await createMain(runtime, source, { stepMs: 30 });
  await failed(sandbox);
  await sandbox.restart();
  assert.equal((await sandbox.info()).status, "running");
  assert.equal(valueOf(await sandbox.call("main.f")), 1);
});

test("cuts before a restart are not counted after it", async () => {
  await using sandbox = await createMain(runtime, turning(1e9, 5), { stepMs: 30 });
  const { reasons, stop } = kills(sandbox);
  await failed(sandbox);
  await sandbox.restart();
  await failed(sandbox);
  stop();
  assert.equal(reasons.length, 6);
});

test("a timer's turn within a run has the run's time, not stepMs", async () => {
  const source = `export const late = () => new Promise((resolve) => setTimeout(() => {
    const end = Date.now() + 400;
    while (Date.now() < end);
    resolve("done");
  }, 5));`;
  await using sandbox = await createMain(runtime, source, { stepMs: 50, timeoutMs: 20_000 });
  assert.equal(valueOf(await sandbox.call("main.late")), "done");
});

test("memory that timers take between runs fails the sandbox with memory", async () => {
  const source = `const kept = []; setInterval(() => { for (;;) kept.push(new Array(1e5).fill(kept.length)); }, 5);
    export const f = () => 1;`;
  await using sandbox = await createMain(runtime, source, { memoryBytes: 16 * 2 ** 20, stepMs: 20_000 });
  const { reasons, stop } = kills(sandbox);
  await failed(sandbox);
  stop();
  assert.deepEqual(reasons, ["memory", "memory", "memory"]);
  const { failure } = (await sandbox.info()).lastError ?? {};
  assert.deepEqual([failure?.kind, failure?.limit], ["memory", "memoryBytes"]);
});

test("stepMs can be changed while the sandbox is running", async () => {
  await using sandbox = await createMain(runtime, turning(150, 20), { stepMs: 20_000 });
  await until("a turn is done", async () => valueOf(await sandbox.call<number>("main.count")) >= 1);
  await sandbox.updateLimits({ stepMs: 20 });
  await failed(sandbox);
});
