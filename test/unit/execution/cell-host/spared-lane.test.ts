// After a run held the main lane for long, runs that were sent for it before have lanes of their own; sandboxes of which more is
// known still use it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { HandlerBench, usual, type FakeIsolate } from "../../../support/fake-isolate.ts";

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
  test("a run of a sandbox that was quick no more often than the one that held it has a lane of its own", async () => {
    const { at, second } = await bench();
    const op = at.run(2);
    await at.settle();
    assert.deepEqual([held(second), at.ends().get(op)], [["call"], undefined]);
    // Whatever was sent until now may have begun, if the cell ends here.
    assert.equal(at.begunUpTo.at(-1), op);
    second.inside.shift()?.answer(1);
    await at.settle();
    assert.deepEqual(at.ends().get(op), ["answered"]);
  });

  test("runs of the same sandbox keep their order", async () => {
    const { at, second } = await bench();
    const ops = [at.run(2), at.run(2), at.run(2)];
    await at.settle();
    for (const op of ops) {
      assert.deepEqual([held(second), at.ends().get(op)], [["call"], undefined]);
      second.inside.shift()?.answer(1);
      await at.settle();
      assert.deepEqual(at.ends().get(op), ["answered"]);
    }
  });

  test("one that was quick twice as often, and one that must end soon, use it", async () => {
    const { at, second, trusted } = await bench();
    const ops = [at.run(3), at.run(2, { timeoutMs: 50 })];
    assert.deepEqual([held(second), held(trusted)], [[], []]);
    await at.settle();
    for (const op of ops) assert.deepEqual(at.ends().get(op), ["answered"]);
  });

  test("and after ten times as long all do", async () => {
    const { at, second } = await bench();
    at.clock.advance(2_000);
    const op = at.run(2);
    await at.settle();
    assert.deepEqual([held(second), at.ends().get(op)], [[], ["answered"]]);
  });

  test("a run that waits for such a lane can be cancelled, and its sandbox dropped", async () => {
    const { at } = await bench();
    for (const key of [4, 5, 6]) at.load(key);
    const ops = [4, 5, 6, 2].map((key) => at.run(key));
    await at.settle();
    at.handler.handle({ t: "drop", keys: [2, 4, 5, 6] });
    await at.settle();
    const ends = at.ends();
    for (const op of ops) assert.equal(ends.get(op)?.length, 1, `operation ${op}`);
  });
});
