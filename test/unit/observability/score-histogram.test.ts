// Scores of any scale in a bounded number of buckets, and every count is true.
import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as check, double, property } from "fast-check";
import { ScoreHistogram, type Scores } from "../../../src/observability/score-histogram.ts";

function histogramOf(scores: readonly number[]): Scores {
  const histogram = new ScoreHistogram();
  for (const score of scores) histogram.add(score);
  return histogram.toScores();
}

/** Every count, checked against the scores themselves. */
function assertTrue(scores: readonly number[]): void {
  const { bounds, counts, min, max } = histogramOf(scores);
  assert.equal(counts.length, bounds.length + 1);
  let below = 0;
  for (const [index, bound] of bounds.entries()) {
    below += counts[index] ?? 0;
    assert.equal(below, scores.filter((score) => score <= bound).length, `up to ${bound}`);
    if (index > 0) assert.ok(bound > (bounds[index - 1] as number));
  }
  assert.equal(below + (counts.at(-1) ?? 0), scores.length);
  assert.ok(counts.length <= 201, `${counts.length} counts`);
  assert.deepEqual(
    [min, max],
    scores.length === 0 ? [null, null] : [Math.min(...scores), Math.max(...scores)],
  );
}

const score = double({ noNaN: true, noDefaultInfinity: true });

test("ScoreHistogram counts any numbers rightly, in at most 201 counts", () => {
  check(property(array(score, { maxLength: 300 }), assertTrue));
});

test("ScoreHistogram takes numbers of every size and both signs at once", () => {
  const sizes = Array.from({ length: 2_090 }, (_, index) => 2 ** (index - 1_070));
  assertTrue([0, -0, Number.MAX_VALUE, -Number.MAX_VALUE, ...sizes, ...sizes.map((size) => -size)]);
});

test("ScoreHistogram counts a score that is an edge below it", () => {
  const { bounds } = histogramOf(Array.from({ length: 50 }, (_, index) => index / 7));
  assertTrue([...bounds, ...bounds.map((bound) => -bound)]);
});

for (const [what, from, to] of [
  ["shares", 0.2, 1],
  ["thousandths", 0.000_2, 0.001],
  ["errors below zero", -5_000, -1_000],
] as const) {
  test(`ScoreHistogram tells ${what} apart that differ by a tenth`, () => {
    const scores = Array.from({ length: 500 }, (_, index) => from + ((to - from) * index) / 499);
    const { bounds, counts } = histogramOf(scores);
    for (const [index, bound] of bounds.entries())
      if (index > 0 && counts[index] !== 0) {
        const ratio = bound / (bounds[index - 1] as number);
        assert.ok(Math.max(ratio, 1 / ratio) < 1.1, `${bounds[index - 1]} to ${bound}`);
      }
    assert.equal(Math.round(histogramOf(scores).sum), Math.round(((from + to) / 2) * 500));
  });
}
