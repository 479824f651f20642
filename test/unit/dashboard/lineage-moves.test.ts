// Who is found in the plot of a lineage: by a pointer, by the keyboard, as a relative, and in the Pareto front.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Camera } from "../../../dashboard/src/plots/lineage/camera.ts";
import { edgeStyle, edgeStyles, type Picture } from "../../../dashboard/src/plots/lineage/picture.ts";
import { gridOf, nearest } from "../../../dashboard/src/plots/lineage/grid.ts";
import { layoutOf, type Layout } from "../../../dashboard/src/plots/lineage/layout.ts";
import {
  bestChild,
  firstParent,
  kinOf,
  nearestEdge,
  nearestInDirection,
} from "../../../dashboard/src/plots/lineage/moves.ts";
import { objectivesOf, paretoFront } from "../../../dashboard/src/plots/lineage/pareto.ts";
import { sceneOf, type Scene } from "../../../dashboard/src/plots/lineage/scene.ts";
import { individualsOf } from "./lineage-support.ts";

const camera: Camera = { scaleX: 40, scaleY: 300, left: 100, top: 400 };
const scene = sceneOf(
  individualsOf([
    { id: "seed", score: 1 },
    { id: "other-seed", score: 2 },
    { id: "a", parents: ["seed"], generation: 1, score: 2 },
    { id: "b", parents: ["seed", "other-seed"], generation: 1, score: 4 },
    { id: "c", parents: ["b"], generation: 2, score: null, result: "timeout" },
    { id: "d", parents: ["b"], generation: 2, score: 5 },
  ]),
);
const all = new Uint8Array(scene.size).fill(1);
const names = (rows: Iterable<number>): readonly string[] => [...rows].map((row) => scene.ids[row] ?? "");
const row = (id: string): number => scene.ids.indexOf(id);

/** Some places without a meaning, always the same ones. */
function placed(count: number): Layout {
  const layout = layoutOf(scene);
  const at = (index: number, by: number): number => (index * by) % 1;
  return {
    ...layout,
    x: Float32Array.from({ length: count }, (_, index) => at(index, 0.754_877_666) * 20),
    y: Float32Array.from({ length: count }, (_, index) => at(index, 0.569_840_296)),
    bounds: { left: -0.6, right: 20.6, bottom: -0.1, top: 1.1 },
  };
}

test("the grid finds the same as looking at everybody", () => {
  const layout = placed(3_000);
  const grid = gridOf(layout);
  const shown = Uint8Array.from({ length: 3_000 }, (_, index) => Number(index % 3 !== 0));
  for (let probe = 0; probe < 200; probe++) {
    const [x, y] = [(probe * 37) % 1_000, (probe * 53) % 450];
    let expected = -1;
    let least = 15 ** 2;
    for (let other = 0; other < 3_000; other++) {
      const overX = (layout.x[other] ?? 0) * camera.scaleX + camera.left - x;
      const overY = camera.top - (layout.y[other] ?? 0) * camera.scaleY - y;
      const distance = overX ** 2 + overY ** 2;
      if (shown[other] === 1 && distance < least) [least, expected] = [distance, other];
    }
    assert.equal(nearest({ layout, grid, camera }, { x, y, within: 15, shown }), expected);
  }
});

test("arrows lead to the nearest on that side, never back and never to one that is not shown", () => {
  const layout: Layout = {
    ...layoutOf(scene),
    x: Float32Array.from([0, 1, 1, 3, 0, 0]),
    y: Float32Array.from([0.5, 0.5, 0.9, 0.5, 0.8, 0.2]),
  };
  const at = (shown: Uint8Array, direction: Parameters<typeof nearestInDirection>[2]): number =>
    nearestInDirection({ layout, camera, shown }, 0, direction);
  assert.equal(at(all, "ArrowRight"), 1);
  assert.equal(at(all, "ArrowUp"), 4);
  assert.equal(at(all, "ArrowDown"), 5);
  assert.equal(at(all, "ArrowLeft"), -1);
  assert.equal(at(Uint8Array.from([1, 0, 1, 1, 1, 1]), "ArrowRight"), 3);
});

test("from one to its first parent and to its best child", () => {
  assert.deepEqual(
    names([firstParent(scene, row("b")), bestChild(scene, row("seed")), bestChild(scene, row("b"))]),
    ["seed", "b", "d"],
  );
  assert.equal(firstParent(scene, row("seed")), -1);
  assert.equal(bestChild(scene, row("d")), -1);
});

test("ancestors and descendants are told apart", () => {
  const { kin, ancestors, descendants } = kinOf(scene, row("b"));
  assert.deepEqual([...kin], [2, 2, 0, 1, 3, 3]);
  assert.deepEqual([ancestors, descendants], [2, 2]);
});

test("a circle in a document of others ends", () => {
  const circle: Scene = {
    ...scene,
    edgeStart: Int32Array.from([0, 1, 2, 2, 2, 2, 2]),
    edgeParent: Int32Array.from([1, 0]),
    childStart: new Int32Array(7),
  };
  assert.equal(kinOf(circle, 0).ancestors, 1);
});

test("edges are styled by who is picked and what is switched on", () => {
  const picture = (more: Partial<Picture>): Picture => ({
    scene,
    layout: layoutOf(scene),
    shown: all,
    edges: "all",
    picked: -1,
    from: -1,
    kin: null,
    ...more,
  });
  const styles = (of: Picture): readonly number[] =>
    Array.from(scene.edgeChild, (_, edge) => edgeStyle(of, edge));
  const { plain, faded, ancestor, descendant } = edgeStyles;
  assert.deepEqual(styles(picture({})), [plain, plain, plain, plain, plain]);
  const picked = { picked: row("b"), kin: kinOf(scene, row("b")).kin };
  assert.deepEqual(styles(picture(picked)), [faded, ancestor, ancestor, descendant, descendant]);
  assert.deepEqual(styles(picture({ ...picked, edges: "selected" })), [
    -1,
    ancestor,
    ancestor,
    descendant,
    descendant,
  ]);
  assert.deepEqual(styles(picture({ edges: "migrations" })), [-1, -1, -1, -1, -1]);
  assert.deepEqual(styles(picture({ shown: Uint8Array.from([1, 1, 1, 0, 1, 1]) })), [plain, -1, -1, -1, -1]);
});

test("an edge is found near its line, and not beyond its ends", () => {
  const layout: Layout = {
    ...layoutOf(scene),
    x: Float32Array.from([0, 0, 4, 9, 9, 9]),
    y: Float32Array.from([0, 1, 0, 1, 1, 1]),
  };
  const find = (x: number, y: number): number =>
    nearestEdge({ scene, layout, camera }, { x, y, within: 5 }, (edge) => edge === 0);
  assert.equal(find(180, 403), 0);
  assert.equal(find(180, 410), -1);
  assert.equal(find(90, 400), -1);
});

test("the Pareto front is the one that comparing all with all finds", () => {
  const count = 400;
  const x = Float64Array.from({ length: count }, (_, index) => (index * 7_919) % 101);
  const y = Float64Array.from({ length: count }, (_, index) => (index * 104_729) % 97);
  x[5] = Number.NaN;
  for (const betterX of ["more", "less"] as const)
    for (const betterY of ["more", "less"] as const) {
      const better = (sign: string, one: number, other: number): boolean =>
        sign === "more" ? one > other : one < other;
      const isBeaten = (one: number): boolean =>
        x.some((otherX, other) => {
          const [ownX = 0, ownY = 0, otherY = 0] = [x[one], y[one], y[other]];
          const isWorse = better(betterX, ownX, otherX) || better(betterY, ownY, otherY);
          return (
            !Number.isNaN(otherX) &&
            !isWorse &&
            (better(betterX, otherX, ownX) || better(betterY, otherY, ownY))
          );
        });
      const expected = Array.from(x.keys()).filter((one) => !Number.isNaN(x[one]) && !isBeaten(one));
      const front = paretoFront({ x, y, betterX, betterY });
      assert.deepEqual(
        front.toSorted((one, other) => one - other),
        expected,
      );
    }
});

test("components that are not known are counted and not taken as 0", () => {
  const components = [{ fit: 1, size: 2 }, { fit: 3 }, {}];
  const { x, unknown } = objectivesOf(
    3,
    (at, name) => (components[at] as Readonly<Record<string, number>>)[name],
    ["fit", "size"],
  );
  assert.deepEqual([...x], [1, Number.NaN, Number.NaN]);
  assert.equal(unknown, 2);
});
