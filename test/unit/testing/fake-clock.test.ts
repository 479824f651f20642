// The clock for tests: it stands still until it is advanced, and its wall clock can jump separately.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../src/testing/index.ts";

test("FakeClock stands still until it is advanced", () => {
  const clock = new FakeClock({ now: 1_000, monotonic: 50 });
  assert.deepEqual([clock.now(), clock.monotonic()], [1_000, 50]);
  clock.advance(25);
  assert.deepEqual([clock.now(), clock.monotonic()], [1_025, 75]);
});

test("FakeClock starts at 0 by default", () => {
  const clock = new FakeClock();
  assert.deepEqual([clock.now(), clock.monotonic(), clock.pending], [0, 0, 0]);
});

test("FakeClock calls each timer at its own moment, in the order in which they are due", () => {
  const clock = new FakeClock();
  const calls: string[] = [];
  clock.after(30, () => calls.push(`c@${clock.monotonic()}`));
  clock.after(10, () => calls.push(`a@${clock.monotonic()}`));
  clock.after(20, () => calls.push(`b@${clock.monotonic()}`));
  clock.after(31, () => calls.push("late"));
  clock.advance(30);
  assert.deepEqual(calls, ["a@10", "b@20", "c@30"]);
  assert.equal(clock.pending, 1);
});

test("FakeClock calls timers that are due together in the order in which they were set", () => {
  const clock = new FakeClock();
  const calls: number[] = [];
  for (const n of [1, 2, 3]) clock.after(10, () => calls.push(n));
  clock.advance(10);
  assert.deepEqual(calls, [1, 2, 3]);
});

test("FakeClock calls a timer that is set by another within the same advance when its time comes", () => {
  const clock = new FakeClock();
  const times: number[] = [];
  clock.after(10, () => clock.after(10, () => times.push(clock.monotonic())));
  clock.advance(19);
  assert.deepEqual(times, []);
  clock.advance(1);
  assert.deepEqual(times, [20]);
});

test("FakeClock does not call a timer that was cancelled, and cancelling twice is harmless", () => {
  const clock = new FakeClock();
  const timer = clock.after(10, () => assert.fail("it was cancelled"));
  timer.cancel();
  timer.cancel();
  clock.advance(100);
  assert.equal(clock.pending, 0);
});

test("FakeClock's jump moves the wall clock alone, forward or back, and fires nothing", () => {
  const clock = new FakeClock({ now: 1_000 });
  clock.after(10, () => assert.fail("no time has passed"));
  clock.jump(3_600_000);
  assert.deepEqual([clock.now(), clock.monotonic()], [3_601_000, 0]);
  clock.jump(-7_200_000);
  assert.deepEqual([clock.now(), clock.monotonic(), clock.pending], [-3_599_000, 0, 1]);
});
