// Modules that import each other are of one group, others are not, and a long chain costs nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsOf } from "../../../../src/guest/linking/groups.ts";

function grouped(edges: readonly (readonly number[])[]): number[][] {
  const groups = groupsOf(edges.length, (index) => edges[index] ?? []);
  const byGroup = Map.groupBy(groups.keys(), (index) => groups[index]);
  return [...byGroup.values()].toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

test("groupsOf() finds cycles, cycles within cycles, and modules in none", () => {
  assert.deepEqual(grouped([[1], [2], []]), [[0], [1], [2]]);
  assert.deepEqual(grouped([[1], [0], [0]]), [[0, 1], [2]]);
  assert.deepEqual(grouped([[0], [2], [1, 3], [4], [2]]), [[0], [1, 2, 3, 4]]);
  assert.deepEqual(grouped([[1, 2], [0], [3], [2]]), [
    [0, 1],
    [2, 3],
  ]);
});

test("groupsOf() goes through a chain and a cycle of ten thousand modules", () => {
  const count = 10_000;
  const chain = Array.from({ length: count }, (_, index) => (index + 1 < count ? [index + 1] : []));
  assert.equal(grouped(chain).length, count);
  chain[count - 1] = [0];
  assert.equal(grouped(chain).length, 1);
});
