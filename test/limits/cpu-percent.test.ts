// cpuPercent: the share of one core that a sandbox may use over one second, in runs and between them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { busySource } from "../support/guests.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime();

test("a run that stays within its share gives its value, however long it takes", async () => {
  const source = `${busySource}
    export async function gently(rounds: number): Promise<number> {
      for (let i = 0; i < rounds; i++) { spin(20); await wait(180); }
      return rounds;
    }`;
  await using sandbox = await createMain(runtime, source, { cpuPercent: 60 });
  assert.equal(valueOf(await sandbox.call("main.gently", { args: [10] })), 10);
});

test("a run may use a whole core where its share is all of it", async () => {
  await using sandbox = await createMain(runtime, busySource, { cpuPercent: 100 });
  assert.equal(valueOf(await sandbox.call("main.spin", { args: [500] })), 500);
});

for (const [how, target, args] of [
  ["for seconds", "main.spin", [20_000]],
  ["without end", "main.spinForever", []],
] as const) {
  test(`a run that computes ${how} ends with cpu by cpuPercent`, async () => {
    await using sandbox = await createMain(runtime, busySource, { cpuPercent: 10, timeoutMs: 60_000 });
    const outcome = await sandbox.call(target, { args: [...args] });
    assertFailed(outcome, "cpu", "cpuPercent");
    assert.match(outcome.error.message, /cpuPercent, 10/);
    assert.ok(outcome.usage.cpuMs >= 95, `it used ${outcome.usage.cpuMs} ms`);
  });
}

test("what the sandbox used more than a second before a run is not counted", async () => {
  await using sandbox = await createMain(runtime, busySource, { cpuPercent: 40 });
  await using clock = await createMain(runtime, busySource);
  for (let round = 0; round < 2; round++) {
    assert.equal(valueOf(await sandbox.call("main.spin", { args: [250] })), 250);
    valueOf(await clock.call("main.wait", { args: [1_100] }));
  }
});

test("several runs within one second add up", async () => {
  await using sandbox = await createMain(runtime, busySource, { cpuPercent: 20 });
  const kinds: string[] = [];
  await until("one of them is over the share", async () => {
    const outcome = await sandbox.call("main.spin", { args: [90] });
    kinds.push(outcome.ok ? "ok" : `${outcome.error.kind} ${outcome.error.limit ?? ""}`);
    return !outcome.ok;
  });
  assert.equal(kinds.at(-1), "cpu cpuPercent");
  assert.ok(kinds.length > 1, kinds.join());
});

test("timers that compute between runs are cut for cpu, and three cuts end the sandbox", async () => {
  const source = `setInterval(() => { const end = Date.now() + 600; while (Date.now() < end); }, 5);
    export const f = () => 1;`;
  await using sandbox = await createMain(runtime, source, { cpuPercent: 20, stepMs: 20_000 });
  const reasons: string[] = [];
  const stop = runtime.events.on("sandbox.killed", ({ sandboxId, reason }) => {
    if (sandboxId === sandbox.id) reasons.push(reason);
  });
  await until("the sandbox has failed", async () => (await sandbox.info()).status === "failed");
  stop();
  assert.deepEqual(reasons, ["cpu", "cpu", "cpu"]);
  const { failure } = (await sandbox.info()).lastError ?? {};
  assert.deepEqual([failure?.kind, failure?.limit], ["cpu", "cpuPercent"]);
});
