// Waiting that a signal can end.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { suite, test } from "node:test";
import { pause } from "../../../src/std/abort.ts";
import { FakeClock } from "../../../src/testing/index.ts";

suite("pause()", () => {
  test("is over after its time, and leaves nothing behind", async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    let isOver = false;
    const pausing = pause(clock, 10, signal).then(() => (isOver = true));
    clock.advance(9);
    await Promise.resolve();
    assert.deepEqual([isOver, clock.pending, getEventListeners(signal, "abort").length], [false, 1, 1]);
    clock.advance(1);
    await pausing;
    assert.deepEqual([clock.pending, getEventListeners(signal, "abort").length], [0, 0]);
  });

  test("is over as soon as nobody waits for it, and leaves nothing behind", async () => {
    const clock = new FakeClock();
    const end = new AbortController();
    const pausing = pause(clock, 10, end.signal);
    end.abort();
    await pausing;
    assert.deepEqual([clock.pending, getEventListeners(end.signal, "abort").length], [0, 0]);
    await pause(clock, 10, end.signal);
    assert.equal(clock.pending, 0, "nobody waited to begin with");
  });
});
