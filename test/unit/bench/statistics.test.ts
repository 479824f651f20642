// Medians, spread and targets of the benchmark.
import assert from "node:assert/strict";
import { test } from "node:test";
import { median, middleMean, summarise } from "../../../bench/statistics.ts";
import { atLeast, atMost, timesAtLeast, timesAtMost } from "../../../bench/target.ts";

test("summarise sorts by value and interpolates between neighbours", () => {
  const { samples, p10, p50, p90, max } = summarise([100, 9, 20, 30, 11]);
  assert.deepEqual({ samples, p50, max }, { samples: 5, p50: 20, max: 100 });
  assert.equal(p10, 9 + 0.4 * (11 - 9));
  assert.equal(Math.round(p90 * 1_000), 72_000);
});

test("median is the mean of the two in the middle of an even number, and NaN of nothing", () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([]), NaN);
});

test("middleMean leaves out the lowest and the highest quarter, and nothing of up to three values", () => {
  assert.equal(middleMean([1_000, 2, 3, -1_000]), 2.5);
  assert.equal(middleMean([9, 2, 1]), 4);
  assert.equal(middleMean([]), NaN);
});

test("a target compares medians in its own direction, and none is met by what was not measured", () => {
  const summaries = { vivarium: summarise([2]), "vivarium, other": summarise([9]), peer: summarise([4]) };
  const met = (target: ReturnType<typeof atLeast>): boolean => target.isMet(summaries);
  assert.ok(met(timesAtMost("aim", 0.5, "peer")));
  assert.ok(!met(timesAtMost("aim", 0.4, "peer")));
  assert.ok(!met(timesAtMost("aim", 2, { own: "vivarium, other", peer: "peer" })));
  assert.ok(met(timesAtLeast("aim", 0.5, "peer")));
  assert.ok(!met(timesAtLeast("aim", 0.6, "peer")));
  assert.ok(met(atLeast("floor", 2, "≥ 2")) && !met(atLeast("floor", 3, "≥ 3")));
  assert.ok(met(atMost("floor", 2, { text: "≤ 2" })) && !met(atMost("floor", 1, { text: "≤ 1" })));
  assert.ok(!met(timesAtMost("aim", 1_000, "absent")) && !met(timesAtLeast("aim", 0, "absent")));
});
