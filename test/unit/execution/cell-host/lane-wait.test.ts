// Who gets a lane of a cell, and whose time it is that a sandbox waits for one.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usual, type FakeIsolate } from "../../../support/fake-isolate.ts";
import { HandlerBench } from "../../../support/handler-bench.ts";

const longMs = 1_000_000;

/** Takes a lane for a run of this sandbox, which stays inside until the test lets it answer. */
async function hold(at: HandlerBench, key: number): Promise<FakeIsolate> {
  const isolate = at.load(key);
  at.run(key, { lane: "async", timeoutMs: longMs });
  await at.settle();
  isolate.inside.shift()?.answer(undefined);
  await at.settle();
  return isolate;
}

/** A run that is pending, and whose timer is due after 10 ms. */
function waitForTimer(at: HandlerBench, key: number): { readonly op: number; readonly isolate: FakeIsolate } {
  const isolate = at.load(key);
  isolate.guest = (name) => (name === "call" ? "P" : usual[name]);
  const op = at.run(key, { timeoutMs: 300 });
  isolate.host.arm(1, 10);
  return { op, isolate };
}

const names = (isolate: FakeIsolate): readonly string[] => isolate.inside.map(({ name }) => name);

async function pass(at: HandlerBench, ms: number): Promise<void> {
  at.clock.advance(ms);
  await at.settle();
}

suite("a run that waits for its timer", () => {
  test("goes on after its time where its sandbox had to wait for a lane, and the orchestrator is told", async () => {
    const at = new HandlerBench();
    const others = [await hold(at, 1), await hold(at, 2), await hold(at, 3)];
    const { op, isolate } = waitForTimer(at, 4);
    for (const ms of [10, 300, 300, 300]) await pass(at, ms);
    assert.deepEqual([names(isolate), at.ends().get(op)], [[], undefined]);
    others[0]?.inside.shift()?.answer(1);
    await at.settle();
    assert.deepEqual(names(isolate), ["tick"]);
    isolate.inside.shift()?.answer(undefined);
    await at.settle();
    isolate.inside.shift()?.answer(1);
    await at.settle();
    assert.deepEqual(at.ends().get(op), ["answered"]);
    const told = at.reports.filter((report) => report.t === "pending" && report.op === op);
    assert.ok(told.length >= 2, `told ${told.length} times`);
    assert.equal(at.clock.pending > 0, true);
  });

  test("ends all the same when its own time is used up after the wait", async () => {
    const at = new HandlerBench();
    const others = [await hold(at, 1), await hold(at, 2), await hold(at, 3)];
    const { op, isolate } = waitForTimer(at, 4);
    for (const ms of [10, 500]) await pass(at, ms);
    others[0]?.inside.shift()?.answer(1);
    await at.settle();
    isolate.inside.shift()?.answer(undefined);
    await at.settle();
    isolate.inside.shift()?.answer("P");
    await at.settle();
    assert.equal(at.ends().get(op), undefined);
    await pass(at, 300);
    assert.deepEqual(at.ends().get(op), ["timeout"]);
  });

  test("ends when it has waited for lanes for a minute", async () => {
    const at = new HandlerBench();
    for (const key of [1, 2, 3]) await hold(at, key);
    const { op } = waitForTimer(at, 4);
    for (let waitedMs = 0; waitedMs < 60_400; waitedMs += 100) await pass(at, 100);
    assert.deepEqual(at.ends().get(op), ["timeout"]);
  });
});

suite("a lane that becomes free", () => {
  test("is given to the sandbox that used the least, not to the one that asked first", async () => {
    const at = new HandlerBench();
    const holder = await hold(at, 1);
    await hold(at, 2);
    await hold(at, 3);
    const heavy = at.load(4);
    heavy.cpuMs = 240;
    const light = at.load(5);
    for (const key of [4, 5]) at.run(key, { lane: "async", timeoutMs: longMs });
    holder.inside.shift()?.answer(1);
    await at.settle();
    assert.deepEqual([heavy.inside.length, light.inside.length], [0, 1]);
  });

  test("beside those for everyone is not given to one that used much, nor to the background", async () => {
    const at = new HandlerBench();
    for (const key of [1, 2]) await hold(at, key);
    const heavy = at.load(3);
    heavy.cpuMs = 5_000;
    at.run(3, { lane: "async", timeoutMs: longMs });
    const idle = at.load(4);
    idle.host.arm(1, 10);
    await pass(at, 10);
    assert.deepEqual([heavy.inside.length, idle.inside.length], [0, 0]);
    const { isolate } = waitForTimer(at, 5);
    await pass(at, 10);
    assert.deepEqual(names(isolate), ["tick"]);
  });
});

test("a short run that waits for its sandbox is told of, one for a lane of its own is not", async () => {
  const at = new HandlerBench();
  const isolate = await hold(at, 1);
  const op = at.run(1, {});
  const apart = at.run(1, { lane: "async" });
  const told = (): unknown[] => at.reports.filter((report) => report.t === "waiting");
  assert.deepEqual(told(), [{ t: "waiting", op }]);
  isolate.inside.shift()?.answer(1);
  await at.settle();
  assert.deepEqual(at.ends().get(op), ["answered"]);
  assert.equal(at.ends().get(apart), undefined);
  assert.equal(told().length, 1);
});
