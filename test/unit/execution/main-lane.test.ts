// When the main lane of a cell is spared, and who may use it all the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MainLaneGuard } from "../../../src/execution/main-lane.ts";

test("the main lane is spared for ten times as long as a run held it for more than 100 ms", () => {
  const guard = new MainLaneGuard();
  guard.note(100, 50, 1_000);
  assert.equal(guard.isOpenTo(0, 1_000), true);
  guard.note(300, 50, 1_000);
  guard.note(101, 50, 1_000);
  assert.deepEqual([guard.isOpenTo(0, 3_999), guard.isOpenTo(0, 4_000)], [false, true]);
});

test("meanwhile it is open to those that were quick twice as often in a row as any that held it", () => {
  const guard = new MainLaneGuard();
  guard.note(1_000, 50, 0);
  assert.deepEqual([guard.isOpenTo(99, 500), guard.isOpenTo(100, 500)], [false, true]);
  guard.note(1_000, 100, 1_000);
  guard.note(1_000, 10, 2_000);
  assert.deepEqual([guard.isOpenTo(199, 3_000), guard.isOpenTo(200, 3_000)], [false, true]);
});

test("what was needed before does not count once it is open to all again", () => {
  const guard = new MainLaneGuard();
  guard.note(200, 1_000, 0);
  guard.note(200, 10, 2_000);
  assert.deepEqual([guard.isOpenTo(19, 2_001), guard.isOpenTo(20, 2_001)], [false, true]);
});
