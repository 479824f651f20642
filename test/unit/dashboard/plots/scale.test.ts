// Axes: places of figures, round figures, quantiles, and the jitter of points.
import assert from "node:assert/strict";
import { test } from "node:test";
import { jitterOf, quantileOf, scaleOf, ticksOf } from "../../../../dashboard/src/plots/scale.ts";

test("a scale places figures in proportion, upwards too", () => {
  const scale = scaleOf([10, 20], 100, 0);
  assert.deepEqual([scale.at(10), scale.at(15), scale.at(20)], [100, 50, 0]);
});

test("a scale of a single figure places it in the middle", () => {
  assert.equal(scaleOf([3, 3], 0, 100).at(3), 50);
});

test("ticks are round figures within the range", () => {
  assert.deepEqual(ticksOf([0, 1], 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticksOf([-7, 13], 4), [-5, 0, 5, 10]);
  assert.deepEqual(ticksOf([0, 10], 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticksOf([4, 4], 5), [4]);
  assert.deepEqual(ticksOf([Number.NaN, 1], 4), []);
});

test("ticks of whole figures are whole", () => {
  assert.deepEqual(ticksOf([0, 2], 8, true), [0, 1, 2]);
  assert.deepEqual(ticksOf([1, 3], 4, true), [1, 2, 3]);
});

test("ticks are bounded when figures are so large that a step changes nothing", () => {
  assert.ok(ticksOf([1e300, 1.0000000000000002e300], 5).length <= 100);
  assert.ok(ticksOf([-Number.MAX_VALUE / 4, Number.MAX_VALUE / 4], 5).length <= 100);
});

test("jitter is the same for the same row and spread over both sides", () => {
  const rows = Array.from({ length: 1_000 }, (_, row) => jitterOf(row));
  assert.deepEqual(
    rows,
    rows.map((_, row) => jitterOf(row)),
  );
  assert.ok(rows.every((value) => value >= -0.5 && value < 0.5));
  const left = rows.filter((value) => value < 0).length;
  assert.ok(left > 400 && left < 600, `${left} of 1,000 to the left`);
});

test("a quantile lies between two figures in proportion", () => {
  assert.equal(quantileOf([1, 2, 3, 4], 0.5), 2.5);
  assert.equal(quantileOf([1, 2, 3, 4], 1), 4);
  assert.ok(Number.isNaN(quantileOf([], 0.5)));
});
