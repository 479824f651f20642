// Finding the nearest point among many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PointGrid } from "../../../../dashboard/src/plots/grid.ts";
import { jitterOf } from "../../../../dashboard/src/plots/scale.ts";

test("the nearest point is the one that looking at all of them finds", () => {
  const count = 2_000;
  const x = Float32Array.from({ length: count }, (_, at) => (jitterOf(at) + 0.5) * 300);
  const y = Float32Array.from({ length: count }, (_, at) => (jitterOf(at + count) + 0.5) * 200);
  const grid = new PointGrid({ x: x, y: y }, { width: 300, height: 200 });
  for (let at = 0; at < 200; at++) {
    const [mx, my] = [(jitterOf(at + 9_000) + 0.5) * 300, (jitterOf(at + 9_500) + 0.5) * 200];
    const distance = (point: number): number => ((x[point] ?? 0) - mx) ** 2 + ((y[point] ?? 0) - my) ** 2;
    let least = Infinity;
    for (let point = 0; point < count; point++) least = Math.min(least, distance(point));
    const found = grid.nearest(mx, my, 20);
    if (least > 400) assert.equal(found, -1);
    else assert.equal(distance(found), least);
  }
});

test("points and places outside of the grid are kept at its edge", () => {
  const grid = new PointGrid(
    { x: Float32Array.of(-50, 900), y: Float32Array.of(-50, 900) },
    { width: 300, height: 200 },
  );
  assert.equal(grid.nearest(-48, -50, 5), 0);
  assert.equal(grid.nearest(901, 900, 5), 1);
});

test("of two at the same place the one that is drawn last is found", () => {
  const grid = new PointGrid(
    { x: Float32Array.of(10, 10), y: Float32Array.of(10, 10) },
    { width: 50, height: 50 },
  );
  assert.equal(grid.nearest(10, 10, 5), 1);
});

test("nothing is found where there is nothing", () => {
  assert.equal(
    new PointGrid({ x: new Float32Array(), y: new Float32Array() }, { width: 0, height: 0 }).nearest(
      3,
      3,
      10,
    ),
    -1,
  );
});
