// Fitness as it is remembered, and the order that it gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Tracker } from "../../../src/evolution/index.ts";
import { mistakeOf } from "../../support/errors.ts";

function scored(scores: Readonly<Record<string, number | null>>, options = {}): Tracker {
  const tracker = new Tracker(options);
  for (const [id, score] of Object.entries(scores)) {
    tracker.lineage.born({ id });
    tracker.fitness.record({ id, score, result: score === null ? "timeout" : "ok" });
  }
  return tracker;
}

test("rank() and top() leave failures out and put the best first, in either direction", () => {
  const scores = { a: 2, b: null, c: 3, d: 1 };
  const { fitness } = scored(scores);
  assert.deepEqual(
    fitness.rank(["a", "b", "c", "d", "nobody"]).map(({ id }) => id),
    ["c", "a", "d"],
  );
  assert.deepEqual(fitness.top(2), [
    { id: "c", score: 3 },
    { id: "a", score: 2 },
  ]);
  assert.deepEqual(
    scored(scores, { direction: "minimise" })
      .fitness.top(2)
      .map(({ id }) => id),
    ["d", "a"],
  );
  assert.deepEqual(fitness.top(0), []);
});

test("top() finds the same as ranking all, in the order of birth where scores are equal", () => {
  const scores = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`i${index}`, (index * 7_919) % 50]),
  );
  const { fitness } = scored(scores);
  assert.deepEqual(fitness.top(40), fitness.rank(Object.keys(scores)).slice(0, 40));
});

test("record() takes the place of what was known, and refuses a score that is none", async () => {
  const { fitness } = scored({ a: 2 });
  fitness.record({ id: "a", score: null, result: "crashed", revision: 2 });
  const { score, result, revision } = fitness.get("a") ?? {};
  assert.deepEqual([score, result, revision], [null, "crashed", 2]);
  assert.deepEqual(fitness.top(1), []);
  await mistakeOf(() => fitness.record({ id: "a", score: Number.NaN, result: "ok" }), "INVALID_OPTIONS");
  await mistakeOf(() => fitness.record({ id: "a", score: null, result: "ok" }), "INVALID_OPTIONS");
  await mistakeOf(() => fitness.record({ id: "a", score: 1, result: "timeout" }), "INVALID_OPTIONS");
  assert.equal(fitness.get("nobody"), undefined);
});

test("adjust() adds to a score, remembers why, and refuses where there is none", async () => {
  const { fitness } = scored({ a: 2, b: null });
  assert.equal(fitness.adjust("a", -0.5, "three anomalies"), 1.5);
  assert.deepEqual(fitness.get("a")?.adjustments, [{ delta: -0.5, reason: "three anomalies" }]);
  await mistakeOf(() => fitness.adjust("b", 1, "it has none"), "INVALID_OPTIONS");
  await mistakeOf(() => fitness.adjust("nobody", 1, "it is not known"), "INVALID_OPTIONS");
  for (const reason of ["", "x".repeat(1_001), 5 as never])
    await mistakeOf(() => fitness.adjust("a", 1, reason), "INVALID_OPTIONS");
});

test("adjust() remembers the latest hundred adjustments, and all of them are in the score", () => {
  const { fitness } = scored({ a: 0 });
  for (let time = 1; time <= 250; time++) fitness.adjust("a", 1, `time ${time}`);
  const { score, adjustments = [] } = fitness.get("a") ?? {};
  assert.deepEqual([score, adjustments.length], [250, 100]);
  assert.equal(adjustments.at(-1)?.reason, "time 250");
});

test("statistics() count failures apart from scores", () => {
  const { fitness } = scored({ a: 1, b: 2, c: 3, d: 10, e: null });
  assert.deepEqual(fitness.statistics(), {
    scored: 4,
    failed: 1,
    min: 1,
    max: 10,
    mean: 4,
    median: 2.5,
    quartiles: [1.75, 4.75],
    deviation: Math.sqrt(50 / 4),
  });
  assert.equal(fitness.statistics(["a", "a", "nobody"]).scored, 1);
  assert.equal(fitness.statistics({ generation: 7 }).mean, null);
});

test("composite() weighs components, and fronts() compares them, of the living that have them all", () => {
  const tracker = new Tracker();
  const components: Readonly<Record<string, Record<string, number>>> = {
    exact: { right: 1, ms: 90 },
    quick: { right: 0.5, ms: 10 },
    both: { right: 0.9, ms: 20 },
    poor: { right: 0.4, ms: 95 },
    bare: { right: 1 },
  };
  for (const [id, own] of Object.entries(components)) {
    tracker.lineage.born({ id });
    tracker.fitness.record({ id, score: own["right"] ?? 0, result: "ok", components: own });
  }
  const ids = Object.keys(components);
  assert.deepEqual(
    tracker.fitness.composite(ids, { right: 1, ms: -0.01 }).map(({ id }) => id),
    ["both", "quick", "exact", "poor"],
  );
  const fronts = tracker.fitness.fronts(ids, { right: "maximise", ms: "minimise" });
  assert.deepEqual(
    fronts.map((front) => front.map(({ id }) => id)),
    [["exact", "quick", "both"], ["poor"]],
  );
});

test("the score of a dead individual stays, and so do its components", () => {
  const { fitness, lineage } = scored({ a: 2 });
  fitness.record({ id: "a", score: 2, result: "ok", components: { x: 1 } });
  lineage.died("a");
  assert.deepEqual([fitness.get("a")?.score, fitness.get("a")?.components], [2, { x: 1 }]);
  assert.deepEqual(fitness.top(1), [{ id: "a", score: 2 }]);
});
