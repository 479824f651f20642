// Where individuals stand in the plot of a lineage, and how the view of it moves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, keepingScores, revealing, zoom } from "../../../dashboard/src/plots/lineage/camera.ts";
import { heightOf, layoutOf, marks, scoreAt } from "../../../dashboard/src/plots/lineage/layout.ts";
import { notEvaluated, notKnown, sceneOf } from "../../../dashboard/src/plots/lineage/scene.ts";
import { individualsOf, type Line } from "./lineage-support.ts";

const family: readonly Line[] = [
  { id: "seed", score: 1, population: "north" },
  { id: "child", parents: ["seed"], generation: 1, score: 3, population: "north" },
  { id: "moved", parents: ["seed", "child"], generation: 2, score: 2, population: "south" },
  { id: "failed", parents: ["child"], generation: 2, score: null, result: "timeout", population: "north" },
  { id: "new", parents: ["moved"], generation: 3 },
];

test("a scene has an edge for each parent, and marks those between populations", () => {
  const scene = sceneOf(individualsOf(family));
  const edges = [...scene.edgeChild].map(
    (child, edge) => `${scene.ids[scene.edgeParent[edge] ?? -1]}>${scene.ids[child]}`,
  );
  assert.deepEqual(edges, ["seed>child", "seed>moved", "child>moved", "child>failed", "moved>new"]);
  assert.deepEqual([...scene.migration], [0, 1, 1, 0, 0]);
  assert.equal(scene.migrations, 2);
  assert.deepEqual(
    scene.path.map((row) => scene.ids[row]),
    ["seed", "child"],
  );
});

test("a scene stays as it is when the model is cleared and filled again", () => {
  const individuals = individualsOf(family);
  const scene = sceneOf(individuals);
  individuals.clear();
  individuals.born({ id: "other", parentIds: [], generation: 7, at: 0 });
  assert.equal(scene.ids[1], "child");
  assert.equal(scene.score[1], 3);
  assert.deepEqual([...scene.generation], [0, 1, 2, 2, 3]);
});

test("a parent that is only named stands before its first child, in a lane of its own", () => {
  const scene = sceneOf(individualsOf([{ id: "child", parents: ["lost"], generation: 5, score: 1 }]));
  const lost = scene.ids.indexOf("lost");
  assert.equal(scene.generation[lost], 4);
  const layout = layoutOf(scene);
  assert.equal(layout.mark[lost], marks.lane);
  assert.deepEqual(
    layout.lanes.map(({ kind }) => kind),
    [notKnown],
  );
});

test("better scores are higher in both directions", () => {
  for (const direction of ["maximise", "minimise"] as const) {
    const scene = sceneOf(individualsOf(family, direction));
    const { y } = layoutOf(scene);
    assert.equal((y[1] ?? 0) > (y[0] ?? 0), direction === "maximise");
    assert.equal(y[scene.best], 1);
  }
});

test("individuals without a score stand in a lane of their kind, below all scores", () => {
  const scene = sceneOf(individualsOf(family));
  const { y, mark, lanes, bounds } = layoutOf(scene);
  assert.deepEqual(
    lanes.map(({ kind, count }) => [kind, count]),
    [
      ["timeout", 1],
      [notEvaluated, 1],
    ],
  );
  assert.equal(mark[3], marks.lane);
  assert.ok((y[3] ?? 0) < 0 && (y[4] ?? 0) < (y[3] ?? 0));
  assert.ok(bounds.bottom < (y[4] ?? 0));
});

test("more kinds than there are lanes share the last one", () => {
  const lines = Array.from({ length: 14 }, (_, index) => ({
    id: `f${index}`,
    score: null,
    result: `kind-${index}`,
  }));
  const { lanes, range } = layoutOf(sceneOf(individualsOf(lines)));
  assert.equal(lanes.length, 10);
  assert.deepEqual([lanes.at(-1)?.kind, lanes.at(-1)?.count], ["other kinds", 5]);
  assert.equal(range, null);
});

test("scores far worse than all others are at the edge with a mark, or in the whole range", () => {
  const lines: Line[] = Array.from({ length: 100 }, (_, index) => ({ id: `i${index}`, score: index }));
  lines.push({ id: "lower", score: -1e6 }, { id: "low", score: -1e9 });
  const scene = sceneOf(individualsOf(lines));
  const layout = layoutOf(scene);
  assert.deepEqual(layout.range, { worst: 0, best: 99 });
  assert.deepEqual([layout.mark[100], layout.mark[101], layout.outside], [marks.below, marks.below, 2]);
  assert.ok((layout.y[100] ?? 0) < 0);
  const whole = layoutOf(scene, true);
  assert.deepEqual([whole.range, whole.outside], [{ worst: -1e9, best: 99 }, 0]);
});

test("equal scores have a range around them", () => {
  const { range, y } = layoutOf(
    sceneOf(
      individualsOf([
        { id: "a", score: 0 },
        { id: "b", score: 0 },
      ]),
    ),
  );
  assert.ok(range !== null && range.best > range.worst);
  assert.deepEqual([...y], [0.5, 0.5]);
});

test("no individuals have a layout too", () => {
  const layout = layoutOf(sceneOf(individualsOf([])));
  assert.equal(layout.range, null);
  assert.ok(Number.isFinite(fit(layout, { width: 800, height: 400 }).scaleX));
});

test("an individual stays at its place when others come", () => {
  const before = layoutOf(sceneOf(individualsOf(family.slice(0, 3))));
  const after = layoutOf(
    sceneOf(individualsOf([...family.slice(0, 3), { id: "later", generation: 1, score: 2 }])),
  );
  const order = (x: Float32Array): readonly number[] =>
    [0, 1, 2].toSorted((one, other) => (x[one] ?? 0) - (x[other] ?? 0));
  assert.deepEqual(order(after.x), order(before.x));
  assert.deepEqual([...after.y.subarray(0, 3)], [...before.y]);
});

test("zoom keeps what is at the pointer, and ends at its bounds", () => {
  const whole = { scaleX: 10, scaleY: 100, left: 50, top: 200 };
  const zoomed = zoom(whole, { factor: 2, x: 150, y: 100, whole });
  assert.equal((150 - zoomed.left) / zoomed.scaleX, (150 - whole.left) / whole.scaleX);
  assert.equal((zoomed.top - 100) / zoomed.scaleY, (whole.top - 100) / whole.scaleY);
  assert.equal(zoom(whole, { factor: 1e9, x: 0, y: 0, whole }).scaleX, 4_000);
  assert.equal(zoom(whole, { factor: 1e-9, x: 0, y: 0, whole }).scaleX, 4);
});

test("the same scores stay at the same pixels when the range grows", () => {
  const camera = { scaleX: 10, scaleY: 300, left: 0, top: 500 };
  const before = { worst: 9, best: 4 };
  const after = { worst: 11, best: 1 };
  const kept = keepingScores(camera, before, after);
  assert.ok(kept !== null);
  for (const score of [4, 6, 9])
    assert.ok(
      Math.abs(
        kept.top -
          heightOf(score, after) * kept.scaleY -
          (camera.top - heightOf(score, before) * camera.scaleY),
      ) < 1e-9,
    );
  assert.equal(keepingScores(camera, before, { worst: 1, best: 11 }), null);
  assert.equal(scoreAt(heightOf(6, after), after), 6);
});

test("the view moves to a place only where that is not seen", () => {
  const size = { width: 800, height: 500 };
  const camera = { scaleX: 10, scaleY: 100, left: 300, top: 300 };
  assert.equal(revealing(camera, { x: 5, y: 0.5 }, size), camera);
  const moved = revealing(camera, { x: 500, y: 0.5 }, size);
  const x = 500 * moved.scaleX + moved.left;
  assert.ok(x > 100 && x < 780);
});
