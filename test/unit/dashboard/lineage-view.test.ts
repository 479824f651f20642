// The view of a lineage as far as it needs no browser: its address, its table and its words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf } from "../../../dashboard/src/plots/lineage/layout.ts";
import { sceneOf } from "../../../dashboard/src/plots/lineage/scene.ts";
import { readAxes, readShown, shownRows, writeOff } from "../../../dashboard/src/views/lineage/address.ts";
import {
  childrenCount,
  idsLike,
  orderedRows,
  parentRows,
  readOrder,
  windowOf,
} from "../../../dashboard/src/views/lineage/rows.ts";
import { inWords, kinInWords, pathInWords } from "../../../dashboard/src/views/lineage/words.ts";
import { individualsOf } from "./lineage-support.ts";

const scene = sceneOf(
  individualsOf(
    [
      { id: "i1", score: 5, population: "north" },
      { id: "i10", parents: ["i1"], generation: 1, score: 3, population: "south" },
      {
        id: "i2",
        parents: ["i1", "i10"],
        generation: 2,
        score: null,
        result: "timeout",
        population: "north",
      },
      { id: "j1", generation: 2 },
    ],
    "minimise",
  ),
);
const all = new Uint8Array(scene.size).fill(1);
const ids = (rows: readonly number[]): readonly string[] => rows.map((row) => scene.ids[row] ?? "");

test("populations and failures that are switched off are not shown", () => {
  const rows = (query: Readonly<Record<string, string>>): readonly number[] => [
    ...shownRows(scene, layoutOf(scene), readShown(query)),
  ];
  assert.deepEqual(rows({}), [1, 1, 1, 1]);
  assert.deepEqual(rows({ failures: "off" }), [1, 1, 0, 1]);
  assert.deepEqual(rows({ off: writeOff(new Set(["north"])) ?? "" }), [0, 1, 0, 1]);
  assert.deepEqual(rows({ off: writeOff(new Set([""])) ?? "" }), [1, 1, 1, 0]);
});

test("names of populations stand in the address whatever they contain", () => {
  const off = new Set(["a,b", "", "%", "<script>"]);
  assert.deepEqual(readShown({ off: writeOff(off) ?? "" }).off, off);
  assert.equal(writeOff(new Set()), null);
  assert.deepEqual(readShown({}).off, new Set());
  assert.deepEqual(readShown({ off: ",%E0%A4%A" }).off, new Set(["%E0%A4%A"]));
});

test("components are compared as the score is until the address says otherwise", () => {
  assert.deepEqual(readAxes({}, ["fit", "size"], "minimise"), {
    x: "fit",
    y: "size",
    betterX: "less",
    betterY: "less",
  });
  assert.deepEqual(readAxes({ x: "size", betterY: "more", y: "gone" }, ["fit", "size"], "minimise"), {
    x: "size",
    y: "fit",
    betterX: "less",
    betterY: "more",
  });
});

test("rows of the table are in the order of a column, the unknown last in both directions", () => {
  const order = (key: Parameters<typeof orderedRows>[2]["key"], isDown: boolean): readonly string[] =>
    ids(orderedRows(scene, all, { key, isDown }));
  assert.deepEqual(order("score", false), ["i10", "i1", "i2", "j1"]);
  assert.deepEqual(order("score", true), ["i1", "i10", "i2", "j1"]);
  assert.deepEqual(order("id", false), ["i1", "i2", "i10", "j1"]);
  assert.deepEqual(order("population", true), ["i10", "i1", "i2", "j1"]);
  assert.deepEqual(order("children", true), ["i1", "i10", "i2", "j1"]);
  assert.deepEqual(readOrder({}, "minimise"), { key: "score", isDown: false });
  assert.deepEqual(readOrder({ sort: "id", order: "down" }, "minimise"), { key: "id", isDown: true });
});

test("the table has the rows that are seen and some more", () => {
  const more = { height: 370, rowHeight: 37 };
  assert.deepEqual(windowOf(10_000, { top: 0, ...more }), { from: 0, to: 18 });
  assert.deepEqual(windowOf(10_000, { top: 3_700, ...more }), { from: 92, to: 118 });
  const { from, to } = windowOf(3, { top: 99_999, ...more });
  assert.ok(from <= 3 && to === 3);
});

test("ids are found by their beginning first, and not too many", () => {
  assert.deepEqual(idsLike(scene, "1"), ["i1", "i10", "j1"]);
  assert.deepEqual(idsLike(scene, "J"), ["j1"]);
  assert.deepEqual(idsLike(scene, "i", 2), ["i1", "i10"]);
  assert.deepEqual(idsLike(scene, ""), []);
});

test("an individual and the path to the best are told in words", () => {
  assert.equal(inWords(scene, 1), "i10, generation 1, score 3, ok, south");
  assert.equal(inWords(scene, 2), "i2, generation 2, score unknown, timeout, north");
  assert.equal(kinInWords({ ancestors: 1, descendants: 1_200 }), "1 ancestor, 1,200 descendants");
  assert.equal(pathInWords(scene), "From the seed i1 to the best, i10: 1 step.");
  assert.match(pathInWords(sceneOf(individualsOf([]))), /^Nobody has a score yet/);
  assert.deepEqual([childrenCount(scene, 0), parentRows(scene, 2)], [2, [0, 1]]);
});
