// The way from a seed to the best, and the reports that are kept while somebody reads it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  reportAsOf,
  ReportCache,
  reportsMax,
  stampOf,
} from "../../../dashboard/src/controls/individual/report-cache.ts";
import { Individuals } from "../../../dashboard/src/model/individuals.ts";
import {
  betterSteps,
  numberIn,
  placeOf,
  sparkPoints,
  stepsOf,
} from "../../../dashboard/src/views/best/steps.ts";
import type { IndividualReport } from "../../../src/contract/evolution-bodies.ts";

function individualsOf(scores: readonly (number | null)[]): Individuals {
  const individuals = new Individuals();
  individuals.direction = "minimise";
  for (const [index, score] of scores.entries()) {
    const parentIds = index === 0 ? [] : [`i${index - 1}`];
    const row = individuals.born({ id: `i${index}`, parentIds, generation: index, at: index });
    const result = score === null ? "timeout" : "ok";
    individuals.evaluated(row, {
      score,
      result,
      components: {},
      at: index,
      durationMs: 1,
      population: null,
    });
  }
  return individuals;
}

test("steps go from the seed on, each beside the one before it", () => {
  const individuals = individualsOf([9, 8, 8, null, 7, 9, 6]);
  const steps = stepsOf(individuals, 6);
  assert.deepEqual(
    steps.map(({ number, id, score, verdict }) => [number, id, score, verdict]),
    [
      [1, "i0", 9, "unknown"],
      [2, "i1", 8, "better"],
      [3, "i2", 8, "same"],
      [4, "i3", null, "unknown"],
      [5, "i4", 7, "unknown"],
      [6, "i5", 9, "worse"],
      [7, "i6", 6, "better"],
    ],
  );
  assert.deepEqual(
    betterSteps(steps).map(({ number }) => number),
    [1, 2, 7],
  );
});

test("a step that is not in a list stands for the nearest before it", () => {
  const steps = betterSteps(stepsOf(individualsOf([9, 8, 8, 8, 6]), 4));
  assert.deepEqual(
    [1, 2, 3, 4, 5, 99].map((number) => placeOf(steps, number)),
    [0, 1, 1, 1, 2, 2],
  );
  assert.equal(placeOf([], 1), 0);
});

test("an address that names no step means the last one", () => {
  const steps = stepsOf(individualsOf([3, 2, 1]), 2);
  assert.deepEqual(
    ["2", "1", "0", "4", "1.5", "x", "", undefined].map((text) => numberIn(text, steps)),
    [2, 1, 3, 3, 3, 3, 3, 3],
  );
});

test("the drawing is higher where it is better, bounded, and has no point where there is no score", () => {
  const size = { width: 100, height: 10, direction: "minimise" } as const;
  const points = sparkPoints(stepsOf(individualsOf([9, null, 5]), 2), size);
  assert.deepEqual(points, [
    { x: 0, y: 10, place: 0 },
    { x: 100, y: 0, place: 2 },
  ]);
  const long = stepsOf(individualsOf(Array.from({ length: 5_000 }, (_, index) => 9_000 - index)), 4_999);
  const drawn = sparkPoints(long, size);
  assert.ok(drawn.length <= 402);
  assert.equal(drawn.at(-1)?.place, 4_999);
  assert.deepEqual(sparkPoints(stepsOf(individualsOf([5]), 0), size), [{ x: 50, y: 5, place: 0 }]);
});

const reportOf = (id: string): IndividualReport => ({ id }) as IndividualReport;

test("a report is asked for once until what is known of it changes", async () => {
  const asked: string[] = [];
  const cache = new ReportCache((id) => (asked.push(id), Promise.resolve(reportOf(id))));
  assert.equal((await cache.get("a", "1"))?.id, "a");
  await cache.get("a", "1");
  assert.deepEqual(asked, ["a"]);
  await cache.get("a", "2");
  assert.deepEqual(asked, ["a", "a"]);
});

test("the report that was not asked for the longest time makes room", async () => {
  const asked: string[] = [];
  const cache = new ReportCache((id) => (asked.push(id), Promise.resolve(reportOf(id))));
  for (let index = 0; index < reportsMax; index++) await cache.get(`i${index}`, "");
  await cache.get("i0", "");
  await cache.get("one more", "");
  asked.length = 0;
  await cache.get("i0", "");
  await cache.get("i1", "");
  assert.deepEqual(asked, ["i1"]);
});

test("a report that could not be had is asked for anew", async () => {
  let tries = 0;
  const cache = new ReportCache(() =>
    ++tries === 1 ? Promise.reject(new Error("lost")) : Promise.resolve(reportOf("a")),
  );
  await assert.rejects(cache.get("a", ""), /lost/);
  assert.equal((await cache.get("a", ""))?.id, "a");
});

test("the report of a document says what was known at the time that is shown", () => {
  const individuals = new Individuals();
  const row = individuals.born({ id: "i0", parentIds: [], generation: 0, at: 0 });
  const report = {
    ...reportOf("i0"),
    state: "dead",
    score: 3,
    result: "ok",
    message: "late",
    tests: [{}],
    sources: { a: "" },
  } as unknown as IndividualReport;
  const born = reportAsOf(report, individuals);
  assert.deepEqual(
    [born.state, born.score, born.result, born.message, born.tests, born.sources],
    ["living", null, "none", null, [], { a: "" }],
  );
  const before = stampOf(individuals, "i0");
  individuals.evaluated(row, {
    score: 3,
    result: "ok",
    components: { fit: 1 },
    at: 5,
    durationMs: null,
    population: null,
  });
  assert.notEqual(stampOf(individuals, "i0"), before);
  const evaluated = reportAsOf(report, individuals);
  assert.deepEqual(
    [evaluated.score, evaluated.components, evaluated.evaluationMs, evaluated.message],
    [3, { fit: 1 }, null, "late"],
  );
});
