// What answers wait for before they are passed on.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Barrier } from "../../../../src/orchestration/cells/barrier.ts";
import { FakeClock } from "../../../../src/testing/index.ts";

const never = (): Promise<void> => new Promise(() => {});

class Bench {
  readonly clock = new FakeClock();
  readonly barrier = new Barrier(this.clock);
  readonly passed: string[] = [];

  pass(name: string): () => void {
    return () => void this.passed.push(name);
  }

  async later(ms: number): Promise<readonly string[]> {
    this.clock.advance(ms);
    await nextTurn();
    return this.passed;
  }
}

suite("the answers of an isolate", () => {
  test("are passed on at once where there is nothing to wait for", () => {
    const at = new Bench();
    at.barrier.add(1, { readings: [] }, at.pass("a"));
    assert.deepEqual(at.passed, ["a"]);
  });

  test("wait for a store, for half a minute at most", async () => {
    const at = new Bench();
    at.barrier.add(1, { store: never, readings: [] }, at.pass("a"));
    assert.deepEqual(await at.later(29_999), []);
    assert.deepEqual(await at.later(1), ["a"]);
    assert.ok(at.barrier.isIdle);
  });

  test("wait for values that are being read, however long that takes", async () => {
    const at = new Bench();
    const reading = Promise.withResolvers<void>();
    at.barrier.add(1, { store: never, readings: [reading.promise] }, at.pass("a"));
    assert.deepEqual(await at.later(3_600_000), []);
    reading.resolve();
    assert.deepEqual(await at.later(0), ["a"]);
  });

  test("keep their order, and those of other isolates do not wait for them", async () => {
    const at = new Bench();
    const reading = Promise.withResolvers<void>();
    at.barrier.add(1, { readings: [reading.promise] }, at.pass("a"));
    at.barrier.add(1, { readings: [] }, at.pass("b"));
    at.barrier.add(2, { readings: [] }, at.pass("c"));
    at.barrier.afterAll(at.pass("all"));
    assert.deepEqual(await at.later(0), ["c"]);
    reading.resolve();
    assert.deepEqual(await at.later(0), ["c", "a", "b", "all"]);
  });
});
