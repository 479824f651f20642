// Answers are judged as data, on the host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unusedAfter } from "../../../../src/model/runs/usage.ts";
import type { Outcome } from "../../../../src/index.ts";
import {
  isWithin,
  judgeTest,
  scoreOf,
  type CompleteTest,
} from "../../../../src/orchestration/evaluation/test-grading.ts";

const answered = (value: unknown): Outcome => ({ ok: true, value, usage: unusedAfter(0), logs: [] });
const timedOut: Outcome = {
  ok: false,
  error: { kind: "timeout", message: "too late" },
  usage: unusedAfter(0),
  logs: [],
};
const twoPoints: CompleteTest = {
  name: "sum",
  target: "main.sum",
  args: [],
  judge: { kind: "expected", expected: 5, tolerance: 0 },
  points: 2,
  isHidden: false,
  timeoutMs: undefined,
};

for (const [answer, expected, tolerance, isGood] of [
  [5, 5, 0, true],
  [5.05, 5, 0.1, true],
  [5.2, 5, 0.1, false],
  [Number.NaN, 5, Infinity, false],
  ["5", 5, 1, false],
  [[1.01, { a: 2 }], [1, { a: 2.01 }], 0.02, true],
  [[1, 2, 3], [1, 2], 0.5, false],
  [{ a: 1, b: 2 }, { a: 1 }, 0.5, false],
  [{}, { a: 1 }, 0.5, false],
  [new Map([["a", 1]]), new Map([["a", 1]]), 0.5, true],
  [Infinity, Infinity, 0.5, true],
] as const) {
  test(`isWithin() says ${isGood} of ${JSON.stringify(answer)} for ${JSON.stringify(expected)} ± ${tolerance}`, () => {
    assert.equal(isWithin(answer, expected, tolerance), isGood);
  });
}

test("judgeTest() gives all points for the expected answer and none for another, and says what came", () => {
  assert.equal(judgeTest(twoPoints, answered(5)).points, 2);
  const wrong = judgeTest(twoPoints, answered(6));
  assert.deepEqual([wrong.points, wrong.passed], [0, false]);
  assert.match(wrong.message ?? "", /got 6$/);
});

test("judgeTest() gives the share of the points that a check answers", () => {
  const judge = { kind: "check", check: () => 0.25 } as const;
  assert.deepEqual(
    [judgeTest({ ...twoPoints, judge }, answered(1))].map(({ points, passed }) => [points, passed]),
    [[0.5, false]],
  );
});

test("judgeTest() throws when a check answers neither a truth nor a share", () => {
  const judge = { kind: "check", check: () => 7 } as const;
  assert.throws(() => judgeTest({ ...twoPoints, judge }, answered(1)), /share from 0 to 1: got 7/);
});

test("judgeTest() tells nothing of a hidden test but whether it passed", () => {
  const hidden = { ...twoPoints, isHidden: true };
  for (const outcome of [answered(6), timedOut]) {
    const keys = Object.keys(judgeTest(hidden, outcome)).sort();
    assert.deepEqual(keys, ["hidden", "name", "passed", "points", "pointsMax"]);
  }
});

test("scoreOf() is the share of all points that was reached", () => {
  const results = [judgeTest(twoPoints, answered(5)), judgeTest({ ...twoPoints, points: 6 }, timedOut)];
  assert.equal(scoreOf(results), 0.25);
});
