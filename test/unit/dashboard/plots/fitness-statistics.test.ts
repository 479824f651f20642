// What generations come to, and the range of scores that is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitnessStatistics } from "../../../../dashboard/src/plots/fitness-statistics.ts";
import { fitnessRows } from "./fitness-rows.ts";

test("each generation has its best, its median and its quantiles, and the best so far", () => {
  const { generations } = fitnessStatistics(
    fitnessRows([
      [1, 3],
      [0, 1],
      [0, 5],
      [0, 3],
      [1, 4],
    ]),
  );
  assert.deepEqual(
    generations.map(({ generation, best, bestSoFar, median, scored }) => [
      generation,
      best,
      bestSoFar,
      median,
      scored,
    ]),
    [
      [0, 5, 5, 3, 3],
      [1, 4, 5, 3.5, 2],
    ],
  );
});

test("the best is the lowest when lower is better", () => {
  const { generations } = fitnessStatistics(
    fitnessRows(
      [
        [0, 2],
        [0, 7],
        [1, 9],
      ],
      "minimise",
    ),
  );
  assert.deepEqual(
    generations.map(({ best, bestSoFar }) => [best, bestSoFar]),
    [
      [2, 2],
      [9, 2],
    ],
  );
});

test("a failure is counted by its kind and never as a score", () => {
  const statistics = fitnessStatistics(
    fitnessRows([
      [0, "timeout"],
      [0, 4],
      [1, "memory"],
      [1, "memory"],
      [2, "none"],
    ]),
  );
  assert.deepEqual(statistics.failures, [
    { kind: "memory", count: 2 },
    { kind: "timeout", count: 1 },
  ]);
  assert.deepEqual([...statistics.scores], [4]);
  assert.equal(statistics.waiting, 1);
  const [first, second, third] = statistics.generations;
  assert.equal(first?.median, 4);
  assert.equal(second?.failed, 2);
  assert.ok(Number.isNaN(second?.median));
  // What was the best stays it, though a generation has no score.
  assert.equal(second?.bestSoFar, 4);
  assert.equal(third, undefined);
});

test("a first generation of failures alone leaves the best unknown until there is one", () => {
  const { generations } = fitnessStatistics(
    fitnessRows([
      [0, "crashed"],
      [1, -2],
    ]),
  );
  assert.ok(Number.isNaN(generations[0]?.bestSoFar));
  assert.equal(generations[1]?.bestSoFar, -2);
});
