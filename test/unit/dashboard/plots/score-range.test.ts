// Which range of scores a plot shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  scoreRange,
  type Direction,
  type RangeChoice,
  type RangeTerms,
} from "../../../../dashboard/src/plots/score-range.ts";

const terms = (choice: RangeChoice, direction: Direction, firstBest = Number.NaN): RangeTerms => ({
  choice,
  direction,
  firstBest,
});

test("where half of all are far worse than the rest, the part near the best is shown", () => {
  const scores = Float64Array.from([5.6, 5.7, 6, 6.1, 6.2, 6.2, 20, 90, 149, 149, 149]);
  const near = scoreRange(scores, terms("near", "minimise", 5.9));
  assert.ok(near !== null && near.to < 8, `up to ${near?.to}`);
  assert.deepEqual([near?.outside, near?.differs], [5, true]);
});

test("the way from the first best is shown, though all are better by now", () => {
  const scores = Float64Array.from([1, 1.1, 1.1, 1.2, 1.2, 9]);
  const near = scoreRange(scores, terms("near", "minimise", 9));
  assert.ok(near !== null && near.to >= 9);
});

test("one terrible score does not flatten all others, and is counted as outside", () => {
  const scores = Float64Array.from([...Array.from({ length: 50 }, (_, at) => at / 10), 1e9]);
  const near = scoreRange(scores, terms("near", "minimise"));
  assert.ok(near !== null && near.to < 10, `up to ${near?.to}`);
  assert.deepEqual([near?.outside, near?.differs], [1, true]);
  const all = scoreRange(scores, terms("all", "minimise"));
  assert.ok(all !== null && all.to > 1e9);
  assert.deepEqual([all?.outside, all?.differs], [0, true]);
});

test("the best is always within the range", () => {
  const scores = Float64Array.from([...Array.from({ length: 5_000 }, (_, at) => (at % 100) / 100), 50]);
  const range = scoreRange(scores.sort(), terms("near", "maximise"));
  assert.ok(range !== null && range.to >= 50);
  const low = scoreRange(
    Float64Array.from([-50, ...scores].sort((one, other) => one - other)),
    terms("near", "maximise"),
  );
  assert.ok(low !== null && low.from > -50);
  assert.equal(low?.outside, 1);
});

test("there is no choice where the part near the best is nearly all", () => {
  const range = scoreRange(Float64Array.from([1, 2, 3, 4, 5]), terms("near", "maximise"));
  assert.deepEqual([range?.differs, range?.outside], [false, 0]);
});

test("the range of equal scores has room, and that of none is null", () => {
  const range = scoreRange(Float64Array.from([0, 0, 0]), terms("near", "maximise"));
  assert.deepEqual([range?.from, range?.to], [-1, 1]);
  assert.equal(scoreRange(new Float64Array(), terms("all", "maximise")), null);
});

test("scores as large as numbers can be have a finite range", () => {
  const range = scoreRange(
    Float64Array.from([-Number.MAX_VALUE, Number.MAX_VALUE]),
    terms("all", "maximise"),
  );
  assert.ok(Number.isFinite(range?.from) && Number.isFinite(range?.to));
});
