// Counts by kind over time as stacked columns.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stackSlices } from "../../../../dashboard/src/plots/series.ts";

const kinds = ["timeout", "ok"];

test("times in which nothing happened are columns of nothing", () => {
  const slices = [
    { at: 1_000, counts: [1, 4] },
    { at: 4_000, counts: [0, 2] },
  ];
  const stacked = stackSlices(slices, { kinds, sliceMs: 1_000, binsMax: 50 });
  assert.deepEqual(stacked.times, [1, 2, 3, 4]);
  assert.deepEqual(stacked.counts, [
    [1, 0, 0, 0],
    [4, 0, 0, 2],
  ]);
});

test("kinds stand on each other in the order that is asked for", () => {
  const stacked = stackSlices([{ at: 0, counts: [1, 4] }], { kinds, sliceMs: 1_000, binsMax: 50 }, [
    "ok",
    "timeout",
  ]);
  assert.deepEqual(stacked.tops, [[4], [5]]);
});

test("a long time has no more columns than asked for, and loses nothing", () => {
  const slices = [0, 250_000, 86_400_000 * 3].map((at) => ({ at, counts: [1, 1] }));
  const { times, counts, binMs } = stackSlices(slices, { kinds, sliceMs: 1_000, binsMax: 120 });
  assert.ok(times.length <= 121, `${times.length} columns`);
  assert.equal(
    counts.flat().reduce((sum, count) => sum + count, 0),
    6,
  );
  assert.equal(binMs % 1_000, 0);
});

test("nothing at all has no columns", () => {
  assert.deepEqual(stackSlices([], { kinds, sliceMs: 1_000, binsMax: 10 }).times, []);
});
