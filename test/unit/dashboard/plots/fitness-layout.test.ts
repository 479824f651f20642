// Where points, lanes and axes of the plot of fitness lie.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  lanesMax,
  layoutFitness,
  pointPlaces,
  seriesMax,
  seriesOf,
  type FitnessLayout,
} from "../../../../dashboard/src/plots/fitness-layout.ts";
import { fitnessStatistics } from "../../../../dashboard/src/plots/fitness-statistics.ts";
import type { RangeChoice } from "../../../../dashboard/src/plots/score-range.ts";
import { fitnessRows, type Row } from "./fitness-rows.ts";

function layoutOf(rows: readonly Row[], range: RangeChoice = "near"): FitnessLayout {
  const given = fitnessRows(rows);
  return layoutFitness(given, fitnessStatistics(given), { width: 800, height: 400, range });
}

test("every individual that was evaluated is one point, failures in lanes below the scores", () => {
  const layout = layoutOf([
    [0, 1],
    [0, "timeout"],
    [1, "none"],
    [1, 3],
  ]);
  assert.deepEqual([...layout.rows], [0, 1, 3]);
  assert.deepEqual([...layout.places], [pointPlaces.inside, pointPlaces.failed, pointPlaces.inside]);
  assert.ok((layout.py[1] ?? 0) > layout.bottom, "the failure is below the scores");
  assert.ok((layout.py[2] ?? 0) < (layout.py[0] ?? 0), "a higher score is higher");
  assert.ok((layout.px[0] ?? 0) < (layout.px[2] ?? 0), "a later generation is farther to the right");
  assert.deepEqual(
    layout.lanes.map(({ kind, count }) => [kind, count]),
    [["timeout", 1]],
  );
});

test("points of the same generation lie side by side, always in the same places, and in their generation", () => {
  const rows: Row[] = Array.from({ length: 200 }, (_, at) => [at % 4, 5]);
  const [one, other] = [layoutOf(rows), layoutOf(rows)];
  assert.deepEqual(one.px, other.px);
  assert.ok(new Set(one.px).size > 150);
  for (const [at, x] of one.px.entries())
    assert.ok(Math.abs(x - one.x.at(at % 4)) <= (one.x.at(1) - one.x.at(0)) / 2);
});

test("what lies outside of the range is marked at the edge", () => {
  const rows: Row[] = [...Array.from({ length: 50 }, (_, at): Row => [0, at]), [0, -1e6]];
  const layout = layoutOf(rows);
  assert.equal(layout.places.at(-1), pointPlaces.below);
  const y = layout.py.at(-1) ?? 0;
  assert.ok(y <= layout.bottom && y > layout.bottom - 10);
  assert.equal(layoutOf(rows, "all").places.at(-1), pointPlaces.inside);
});

test("more kinds of failure than lanes share the last one", () => {
  const kinds = Array.from({ length: lanesMax + 3 }, (_, at) => `kind-${at}`);
  const layout = layoutOf(kinds.map((kind): Row => [0, kind]));
  assert.equal(layout.lanes.length, lanesMax);
  assert.deepEqual([layout.lanes.at(-1)?.kind, layout.lanes.at(-1)?.count], ["other", 4]);
  assert.ok(Math.abs((layout.py.at(-1) ?? 0) - (layout.lanes.at(-1)?.y ?? 0)) < 8);
});

test("everything lies within the plot, with no individual at all too", () => {
  assert.deepEqual(layoutOf([]).yTicks, []);
  const layout = layoutOf(Array.from({ length: 500 }, (_, at): Row => [at % 7, at % 9 === 0 ? "cpu" : at]));
  for (const x of layout.px) assert.ok(x >= layout.left && x <= layout.right);
  for (const y of layout.py) assert.ok(y >= 0 && y <= layout.height);
});

test("populations behind the last series share it, and who is in none has a series of their own", () => {
  const seriesAmong = (populations: number) => (number: number) => seriesOf(number, populations);
  assert.deepEqual([-1, 0, 7, 8, 100].map(seriesAmong(101)), [seriesMax, 0, 7, 7, 7]);
  assert.deepEqual([-1].map(seriesAmong(0)), [0]);
  const { series } = layoutOf([
    [0, 1, 0],
    [0, 2],
  ]);
  assert.deepEqual([...series], [0, seriesMax]);
});

test("the grid finds the point at a place", () => {
  const layout = layoutOf([
    [0, 1],
    [5, 9],
  ]);
  assert.equal(layout.grid.nearest(layout.px[1] ?? 0, (layout.py[1] ?? 0) + 3, 10), 1);
  assert.equal(layout.grid.nearest(400, 200, 10), -1);
});
