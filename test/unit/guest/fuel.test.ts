// The fuel counter of a guest: it is counted down in portions that a small integer holds, and to the last.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { fuelCounter, fuelUp, fuelUsed, onExhausted, spend } from "../../../src/guest/fuel.ts";

const portion = 2 ** 30;
let reports = 0;

beforeEach(() => {
  reports = 0;
  onExhausted(() => {
    reports++;
  });
});

/** What inserted code does. */
function count(): void {
  if (((fuelCounter[0] as number) -= 1) < 0) spend();
}

/** As if so much more had been counted, none of which empties the cell. */
function skip(times: number): void {
  assert.ok((fuelCounter[0] as number) >= times);
  (fuelCounter[0] as number) -= times;
}

test("the last count that is granted passes, and every one after it throws", () => {
  fuelUp(3);
  for (let i = 0; i < 3; i++) count();
  assert.deepEqual([fuelUsed(), reports], [3, 0]);
  for (let i = 0; i < 5; i++) assert.throws(count, RangeError);
  assert.deepEqual([fuelUsed(), reports], [3, 1]);
});

test("fuel that needs several portions is counted to the last", () => {
  fuelUp(2 * portion + 5);
  skip(portion);
  count();
  assert.equal(fuelUsed(), portion + 1);
  skip(portion - 1);
  assert.equal(fuelUsed(), 2 * portion);
  for (let i = 0; i < 5; i++) count();
  assert.deepEqual([fuelUsed(), reports], [2 * portion + 5, 0]);
  assert.throws(count, RangeError);
  assert.deepEqual([fuelUsed(), reports], [2 * portion + 5, 1]);
});

test("the largest fuel is counted exactly", () => {
  fuelUp(Number.MAX_SAFE_INTEGER);
  count();
  assert.equal(fuelUsed(), 1);
});

test("new fuel after it was used up lets code go on, and another end is reported again", () => {
  fuelUp(1);
  count();
  assert.throws(count, RangeError);
  fuelUp(2);
  count();
  count();
  assert.deepEqual([fuelUsed(), reports], [2, 1]);
  assert.throws(count, RangeError);
  assert.equal(reports, 2);
});

test("what was used before is used when a run goes on with what is left", () => {
  fuelUp(5, 3);
  assert.equal(fuelUsed(), 3);
  count();
  count();
  assert.deepEqual([fuelUsed(), reports], [5, 0]);
  assert.throws(count, RangeError);
  fuelUp(5, 5);
  assert.equal(fuelUsed(), 5);
  assert.throws(count, RangeError);
  fuelUp(3 * portion, portion);
  skip(portion);
  count();
  assert.equal(fuelUsed(), 2 * portion + 1);
});
