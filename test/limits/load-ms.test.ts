// loadMs: the top level of all modules together has this long, at create and at restart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadError, type LimitName, type FailureKind } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { stopwatch } from "../support/machine.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const generousMs = 5_000;
const spin = (ms: number): string => `{ const end = Date.now() + ${ms}; while (Date.now() < end); }`;

async function loadFailure(
  source: string,
  loadMs: number,
): Promise<{ kind?: FailureKind; limit?: LimitName }> {
  const error = await errorOf(() => createMain(runtime, source, { loadMs }), "LOAD_FAILED");
  assert.ok(error instanceof LoadError);
  assert.equal(error.phase, "evaluate");
  const { kind, limit } = error.failure ?? {};
  return { ...(kind && { kind }), ...(limit && { limit }) };
}

test("modules whose top level ends within loadMs are loaded", async () => {
  await using spinning = await createMain(runtime, `${spin(200)} export const f = () => 1;`, {
    loadMs: 5_000,
  });
  assert.equal(valueOf(await spinning.call("main.f")), 1);
  const waits = `await new Promise((resolve) => setTimeout(resolve, 200)); export const f = () => 2;`;
  await using waiting = await createMain(runtime, waits, { loadMs: 5_000 });
  assert.equal(valueOf(await waiting.call("main.f")), 2);
});

test("a timer that comes due while the top level still computes is waited for, and not for ever", async () => {
  // Too long for a slice, so that it computes on a lane of its own while the cell's main thread runs timers.
  const source = `const due = new Promise((resolve) => setTimeout(resolve, 1, 7)); ${spin(150)}
    export const got = await due; export const f = () => got;`;
  await using sandbox = await createMain(runtime, source, { loadMs: 20_000 });
  assert.equal(valueOf(await sandbox.call("main.f")), 7);
});

const slow: Readonly<Record<string, string>> = {
  "spins a little longer than loadMs": spin(500),
  "spins without end": "for (;;);",
  "waits a little longer than loadMs": "await new Promise((resolve) => setTimeout(resolve, 500));",
  "waits for ever while a timer ticks": "setInterval(() => {}, 5); await new Promise(() => {});",
  "waits, then spins without end": "await new Promise((resolve) => setTimeout(resolve, 5)); for (;;);",
};

for (const [how, source] of Object.entries(slow)) {
  test(`a module that ${how} fails to load by loadMs`, async () => {
    const took = stopwatch();
    assert.deepEqual(await loadFailure(`${source}\nexport const f = () => 1;`, 150), {
      kind: "timeout",
      limit: "loadMs",
    });
    assert.ok(took.ms() >= 145, `it took ${took.ms()} ms`);
    took.assertWithin(150 + generousMs, "it took too long");
  });
}

test("a module that awaits what can never settle fails to load at once", async () => {
  const took = stopwatch();
  assert.deepEqual(await loadFailure("await new Promise(() => {});", 60_000), {
    kind: "timeout",
    limit: "loadMs",
  });
  took.assertWithin(generousMs, "it took too long");
});

test("loadMs is one time for all modules together", async () => {
  const modules = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, `${spin(120)} export {};`]));
  await using fine = await runtime.create({ modules, limits: { loadMs: 5_000 } });
  assert.equal((await fine.info()).status, "running");
  const error = await errorOf(() => runtime.create({ modules, limits: { loadMs: 250 } }), "LOAD_FAILED");
  assert.equal((error as LoadError).failure?.limit, "loadMs");
});

test("a sandbox that did not load in time stays as a failed record and answers no calls", async () => {
  await errorOf(
    () => runtime.create("slow", { modules: { main: "for (;;);" }, limits: { loadMs: 50 } }),
    "LOAD_FAILED",
  );
  const { status, lastError, reason } = await runtime.info("slow");
  assert.equal(status, "failed");
  assert.deepEqual([lastError?.code, lastError?.failure?.limit], ["LOAD_FAILED", "loadMs"]);
  assert.match(reason ?? "", /loadMs, 50/);
  const sandbox = await runtime.get("slow");
  assertFailed(await sandbox.call("main.f"), "not-running");
  await runtime.destroy("slow");
});

test("a restart has the same time, and a sandbox that has become slow to load fails at it", async () => {
  await using sandbox = await createMain(runtime, `${spin(100)} export const f = () => 1;`);
  await sandbox.updateLimits({ loadMs: 30 });
  const error = await errorOf(() => sandbox.restart(), "LOAD_FAILED");
  assert.equal((error as LoadError).failure?.limit, "loadMs");
  assert.equal((await sandbox.info()).status, "failed");
});
