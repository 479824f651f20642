// What repeated measurements say of each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { noiseOf } from "../../../../src/orchestration/evaluation/summary.ts";

test("noiseOf() gives mean, median, deviation and standard error of a sample", () => {
  assert.deepEqual(noiseOf([2, 4, 4, 4, 5, 5, 7, 9]), {
    samples: [2, 4, 4, 4, 5, 5, 7, 9],
    mean: 5,
    median: 4.5,
    deviation: Math.sqrt(32 / 7),
    standardError: Math.sqrt(32 / 7) / Math.sqrt(8),
    min: 2,
    max: 9,
    constant: false,
  });
});

test("noiseOf() finds no noise in equal samples, however their sum is rounded", () => {
  const { mean, deviation, constant } = noiseOf([0.1, 0.1, 0.1]);
  assert.deepEqual({ mean, deviation, constant }, { mean: 0.1, deviation: 0, constant: true });
});

test("noiseOf() keeps mean and median between the least and the greatest sample, and finite", () => {
  const samples = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e150, max: 1e150 }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(samples, (given) => {
      const { mean, median, min, max, deviation } = noiseOf(given);
      const slack = Math.max(Math.abs(min), Math.abs(max)) * 1e-12;
      assert.ok(min - slack <= mean && mean <= max + slack);
      assert.ok(min <= median && median <= max);
      assert.ok(Number.isFinite(deviation) && deviation >= 0);
    }),
  );
});
