// timeoutMs: a run that takes longer is ended, whatever it does, and one that does not is left alone.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { busySource } from "../support/guests.ts";
import { assertWithin, stopwatch } from "../support/machine.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const generousMs = 5_000;

// How a run enters depends on what went before; the deadline must not.
const preparations: Readonly<Record<string, (sandbox: Sandbox) => Promise<unknown>>> = {
  "the first run": () => Promise.resolve(),
  "a run after a quick one": (sandbox) => sandbox.call("main.bump"),
  "a run after a slow one": (sandbox) => sandbox.call("main.spin", { args: [30] }),
};

for (const [what, prepare] of Object.entries(preparations)) {
  suite(what, () => {
    test(`${what} gives its value when it ends within timeoutMs`, async () => {
      await using sandbox = await createMain(runtime, busySource, { timeoutMs: 3_000 });
      await prepare(sandbox);
      assert.equal(valueOf(await sandbox.call("main.spin", { args: [150] })), 150);
    });

    for (const [how, call] of [
      ["spins a little longer", { target: "main.spin", args: [600] }],
      ["spins without end", { target: "main.spinForever", args: [] }],
      ["waits a little longer", { target: "main.wait", args: [600] }],
      ["waits for ever on timers", { target: "main.ticking", args: [] }],
    ] as const) {
      test(`${what} ends with timeout when it ${how}`, async () => {
        await using sandbox = await createMain(runtime, busySource, { timeoutMs: 200 });
        await prepare(sandbox);
        const outcome = await sandbox.call(call.target, { args: [...call.args] });
        assertFailed(outcome, "timeout", "timeoutMs");
        const { wallMs } = outcome.usage;
        assert.ok(wallMs >= 190, `it took ${wallMs} ms only`);
        assertWithin(wallMs, 200 + generousMs, "it went on");
        assert.match(outcome.error.message, /200/);
        assert.equal(valueOf(await sandbox.call("main.spin", { args: [1] })), 1);
      });
    }
  });
}

test("a run with a deadline of a few milliseconds ends with timeout", async () => {
  await using sandbox = await createMain(runtime, busySource);
  for (const timeoutMs of [1, 5, 50])
    assertFailed(await sandbox.call("main.spinForever", { timeoutMs }), "timeout", "timeoutMs");
});

test("a run whose promise has nothing left to wait for ends with timeout at once", async () => {
  await using sandbox = await createMain(runtime, busySource, { timeoutMs: 60_000 });
  const took = stopwatch();
  assertFailed(await sandbox.call("main.never"), "timeout", "timeoutMs");
  took.assertWithin(generousMs, "it took too long");
});

test("a call may ask for less time than its sandbox has", async () => {
  await using sandbox = await createMain(runtime, busySource, { timeoutMs: 60_000 });
  assertFailed(await sandbox.call("main.spinForever", { timeoutMs: 100 }), "timeout", "timeoutMs");
});

test("a run that is cut leaves the module's variables as they were when the isolate is quiet", async () => {
  await using sandbox = await createMain(runtime, busySource, { timeoutMs: 100 });
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  assertFailed(await sandbox.call("main.spinForever"), "timeout", "timeoutMs");
  assert.equal(valueOf(await sandbox.call("main.bump")), 2);
  assert.equal((await sandbox.info()).rebuilds, 0);
});

test("what a run that was cut left in the microtask queue does not disturb the next one", async () => {
  const source = `${busySource}
    export const trap = (n) => {
      for (let i = 0; i < n; i++) Promise.resolve().then(() => { for (;;); });
      for (;;);
    };`;
  await using sandbox = await createMain(runtime, source);
  for (const traps of [1, 20]) {
    assertFailed(await sandbox.call("main.trap", { args: [traps], timeoutMs: 100 }), "timeout", "timeoutMs");
    assert.equal(valueOf(await sandbox.call("main.spin", { args: [1] })), 1);
  }
});

test("the time that a run waits for another of its sandbox is not counted", async () => {
  await using sandbox = await createMain(runtime, busySource);
  valueOf(await sandbox.call("main.spin", { args: [30] }));
  const [first, second] = await Promise.all([
    sandbox.call("main.spin", { args: [800] }),
    sandbox.call("main.spin", { args: [50], timeoutMs: 700 }),
  ]);
  assert.deepEqual([valueOf(first), valueOf(second)], [800, 50]);
  assert.ok(second.usage.queuedMs > 500, `it waited ${second.usage.queuedMs} ms`);
});
