// After a run held the main lane for long, runs that were sent for it before go back, for lanes of their own; sandboxes of which
// more is known still use it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usual, type FakeIsolate } from "../../../support/fake-isolate.ts";
import { HandlerBench } from "../../../support/handler-bench.ts";

const held = (isolate: FakeIsolate): string[] => isolate.inside.map(({ name }) => name);

/** Three sandboxes: two that were quick ten times, and one that was twice as often. The first one holds the lane for 200 ms. */
async function bench(): Promise<{
  readonly at: HandlerBench;
  readonly second: FakeIsolate;
  readonly trusted: FakeIsolate;
}> {
  const at = new HandlerBench();
  const [first, second, trusted] = [at.load(1), at.load(2), at.load(3)];
  await at.settle();
  for (const [key, times] of [
    [1, 10],
    [2, 10],
    [3, 20],
  ] as const)
    for (let n = 0; n < times; n++) at.run(key);
  first.guest = (name) => {
    if (name === "call") at.clock.advance(200);
    return usual[name];
  };
  at.run(1);
  return { at, second, trusted };
}

suite("while the main lane is spared", () => {
  test("runs of a sandbox that was quick no more often than the one that held it go back and have not begun", async () => {
    const { at, second } = await bench();
    const ops = [at.run(2), at.run(2)];
    await at.settle();
    for (const op of ops) assert.deepEqual(at.ends().get(op), ["spared"]);
    assert.deepEqual([held(second), at.begunUpTo], [[], []]);
    const again = at.run(2, { lane: "async" });
    await at.settle();
    assert.deepEqual(held(second), ["call"]);
    second.inside.shift()?.answer(1);
    await at.settle();
    assert.deepEqual(at.ends().get(again), ["answered"]);
  });

  test("one that was quick twice as often, and one that must end soon, use it", async () => {
    const { at, second, trusted } = await bench();
    const ops = [at.run(3), at.run(2, { timeoutMs: 50 })];
    assert.deepEqual([held(second), held(trusted)], [[], []]);
    await at.settle();
    for (const op of ops) assert.deepEqual(at.ends().get(op), ["answered"]);
  });

  test("also by a slice that could not be cut; then others with a slice go back too", async () => {
    const at = new HandlerBench();
    const [first] = [at.load(1), at.load(2), at.load(3)];
    await at.settle();
    first.guest = (name) => {
      if (name === "call") at.clock.advance(200);
      return usual[name];
    };
    at.run(1, { lane: "slice" });
    const ops = [at.run(2), at.run(3, { lane: "slice" })];
    await at.settle();
    assert.deepEqual(
      ops.map((op) => at.ends().get(op)),
      [["spared"], ["spared"]],
    );
  });

  test("loads go back too, unless their code is known to be quick", async () => {
    const at = new HandlerBench();
    const first = at.load(1);
    await at.settle();
    first.guest = (name) => {
      if (name === "call") at.clock.advance(200);
      return usual[name];
    };
    at.run(1);
    const made = at.isolates.length;
    at.load(2, { lane: "slice" });
    const unknown = at.lastOp;
    assert.equal(at.isolates.length, made);
    at.load(3, { lane: "slice", isProven: true });
    const proven = at.lastOp;
    await at.settle();
    assert.deepEqual([at.ends().get(unknown), at.ends().get(proven)], [["spared"], ["answered"]]);
  });

  test("also by a run that is no plain one", async () => {
    const at = new HandlerBench();
    const first = at.load(1);
    at.load(2);
    await at.settle();
    first.guest = (name) => {
      if (name === "call") at.clock.advance(200);
      return usual[name];
    };
    at.run(1, { fuel: 1_000 });
    const op = at.run(2);
    await at.settle();
    assert.deepEqual(at.ends().get(op), ["spared"]);
  });

  test("runs that follow one that went back go back too, until one has begun on a lane of its own", async () => {
    const { at, second } = await bench();
    const ops = [at.run(2), at.run(2, { timeoutMs: 50 })];
    at.clock.advance(5_000);
    ops.push(at.run(2));
    await at.settle();
    for (const op of ops) assert.deepEqual(at.ends().get(op), ["spared"]);
    at.run(2, { lane: "async" });
    await at.settle();
    second.inside.shift()?.answer(1);
    await at.settle();
    const later = at.run(2);
    await at.settle();
    assert.deepEqual(at.ends().get(later), ["answered"]);
  });

  test("and after ten times as long all do", async () => {
    const { at, second } = await bench();
    at.clock.advance(2_000);
    const op = at.run(2);
    await at.settle();
    assert.deepEqual([held(second), at.ends().get(op)], [[], ["answered"]]);
  });
});

suite("a run that had to wait for its sandbox", () => {
  test("begins after runs of others that were sent later, which is told, as the cell may end then", async () => {
    const at = new HandlerBench();
    const [first, second] = [at.load(1), at.load(2)];
    for (const key of [1, 2]) at.run(key);
    await at.settle();
    at.run(1, { lane: "async" });
    at.run(1);
    const later = at.run(2, { lane: "async" });
    await at.settle();
    assert.deepEqual([held(first), held(second), at.begunUpTo], [["call"], ["call"], []]);
    first.inside.shift()?.answer(1);
    await at.settle();
    assert.deepEqual(at.begunUpTo, [later]);
  });
});
