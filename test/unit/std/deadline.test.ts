// Waiting with a time limit.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { within } from "../../../src/std/deadline.ts";
import { FakeClock } from "../../../src/testing/index.ts";

const toError = (): Error => new RangeError("too late");

suite("within()", () => {
  test("gives what comes in time, and leaves no timer behind", async () => {
    const clock = new FakeClock();
    assert.equal(await within(clock, { ms: 10, toError }, Promise.resolve(1)), 1);
    await assert.rejects(within(clock, { ms: 10, toError }, Promise.reject(new TypeError("own"))), /own/);
    assert.equal(clock.pending, 0);
  });

  test("rejects at its end, and ignores what comes later", async () => {
    const clock = new FakeClock();
    const late = Promise.withResolvers<number>();
    const waiting = within(clock, { ms: 10, toError }, late.promise);
    clock.advance(9);
    assert.equal(clock.pending, 1);
    clock.advance(1);
    await assert.rejects(waiting, /too late/);
    late.reject(new TypeError("later"));
  });
});
