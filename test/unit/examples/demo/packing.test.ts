// Bin packing: the sets, the files, and a count that believes no candidate.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hostileNames } from "../../../../examples/demo/hostile.ts";
import {
  bestFitOn,
  countBins,
  excessOf,
  generateSet,
  readSet,
  type PackingSet,
} from "../../../../examples/demo/packing.ts";
import { packAmongHostiles } from "../../../hostile/packing.ts";
import { messageForm } from "../../../support/errors.ts";
import { startBuiltRuntime } from "./runtime.ts";

const shape = { seed: 5, instances: 10, items: 120 };

test("generateSet() draws sizes from 20 to 100 for bins of 150, the same for the same seed", () => {
  const set = generateSet("a", shape);
  const sizes = set.instances.flat();
  assert.equal(sizes.length, 1_200);
  assert.ok(sizes.every((size) => Number.isInteger(size) && size >= 20 && size <= 100));
  assert.deepEqual(generateSet("a", shape), set);
  assert.notDeepEqual(generateSet("a", { ...shape, seed: 6 }).instances, set.instances);
});

test("readSet() reads the OR-Library's form and refuses anything else", () => {
  const set = readSet("two", "2\n u2_00 \n 150 2 1\n42\n69\n u2_01\n 150 3 2\n100\n100 20\n");
  assert.deepEqual(
    [set.capacity, set.instances],
    [
      150,
      [
        [42, 69],
        [100, 100, 20],
      ],
    ],
  );
  for (const text of ["", "x", "1 u 150 2 1 42", "1 u 150 1 1 42 7", "2 u 150 1 1 42 v 100 1 1 42"])
    assert.throws(() => readSet("bad", text), { code: "INVALID_OPTIONS", message: messageForm });
});

test("countBins() counts what is a packing and nothing else", () => {
  assert.equal(countBins([60, 60, 60], [0, 0, 1], 150), 2);
  for (const places of [[0, 0, 0], [0, 0], [0, 2, 1], [0, -1, 1], [0, 0.5, 1], "001", null, [0, 0, "1"]])
    assert.equal(countBins([60, 60, 60], places, 150), undefined);
});

/** First Fit and Best Fit in their usual form. */
function binsBy(items: readonly number[], isBest: boolean): number {
  const rooms: number[] = [];
  for (const item of items) {
    const fitting = rooms.flatMap((room, bin) => (room >= item ? [bin] : []));
    const roomOf = (bin: number): number => rooms[bin] as number;
    const chosen = isBest ? fitting.toSorted((a, b) => roomOf(a) - roomOf(b) || a - b)[0] : fitting[0];
    if (chosen === undefined) rooms.push(150 - item);
    else rooms[chosen] = roomOf(chosen) - item;
  }
  return rooms.length;
}

function excessBy(set: PackingSet, isBest: boolean): number {
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const bins = sum(set.instances.map((items) => binsBy(items, isBest)));
  return (bins / sum(set.instances.map((items) => Math.ceil(sum(items) / 150))) - 1) * 100;
}

test("First Fit and Best Fit in sandboxes score as computed by hand, and hostile neighbours move nothing", async () => {
  const runtime = await startBuiltRuntime(1);
  const set = generateSet("a", shape);
  const expected = [excessBy(set, false), excessBy(set, true)];
  const { scores, fates } = await packAmongHostiles(runtime, set);
  assert.equal(bestFitOn(set), expected[1]);
  assert.deepEqual(scores, { "First Fit": [expected[0]], "Best Fit": [expected[1]] });
  assert.deepEqual(Object.keys(fates).toSorted(), hostileNames.toSorted());
  assert.ok(!Object.values(fates).flat().includes("ok"), JSON.stringify(fates));
  assert.notEqual(expected[0], expected[1]);
});

test("excessOf() has no figure for packings that are none", () => {
  const set: PackingSet = { name: "a", capacity: 150, instances: [[100, 100]] };
  assert.equal(excessOf(set, [[0, 1]]), 0);
  for (const packings of [[], [[0, 0]], [[0, 1], [0]], "x", undefined])
    assert.equal(excessOf(set, packings), undefined);
});
