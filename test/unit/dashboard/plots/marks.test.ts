// The marks of populations: shapes and colours that tell them apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import { markOf, shapePath, shapes } from "../../../../dashboard/src/plots/marks.ts";

test("each shape has a path of its own", () => {
  const paths = shapes.map((shape) => shapePath(shape, 4));
  assert.equal(new Set(paths).size, shapes.length);
  for (const path of paths) assert.match(path, /^M[-\d.,LA ]+Z$/);
});

test("sixty-four populations have marks of their own", () => {
  const found = new Set(
    Array.from({ length: 64 }, (_, population) => {
      const { colour, shape } = markOf(population);
      return `${colour} ${shape}`;
    }),
  );
  assert.equal(found.size, 64);
});
