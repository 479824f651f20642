// The comparison of two builds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, comparisonText } from "../../../bench/compare/comparison.ts";
import { resultOf } from "./results.ts";

const pairs = [
  {
    before: resultOf({ vivarium: [4] }, { vivarium: 2 }),
    after: resultOf({ vivarium: [2] }, { vivarium: 1 }),
  },
  {
    before: resultOf({ vivarium: [40] }, { vivarium: 2 }),
    after: resultOf({ vivarium: [30] }, { vivarium: 1 }),
  },
  {
    before: resultOf({ vivarium: [5] }, { vivarium: 2 }),
    after: resultOf({ vivarium: [2] }, { vivarium: 1 }),
  },
];

test("compare takes the median of the ratios within pairs, so that a pair under load does not decide", () => {
  const [figures] = compare(pairs);
  assert.deepEqual(figures, {
    what: "vivarium",
    before: { median: 5, least: 4, most: 40 },
    after: { median: 2, least: 2, most: 30 },
    ratio: 0.5,
  });
});

test("compare adds up the processor time of all kinds of processes", () => {
  const [, processor] = compare(pairs);
  assert.deepEqual(processor, {
    what: "vivarium, processor ms per operation",
    before: { median: 2.25, least: 2.25, most: 2.25 },
    after: { median: 1.25, least: 1.25, most: 1.25 },
    ratio: 1.25 / 2.25,
  });
});

test("compare says by what processor time was used, but for kinds of processes that used none", () => {
  const [, , ...kinds] = compare(pairs);
  assert.deepEqual(
    kinds.map(({ what, before, after }) => [what, before.median, after.median]),
    [
      ["· this process", 0.25, 0.25],
      ["· cells", 2, 1],
    ],
  );
});

test("compare leaves out pairs of which one could not be measured, and entrants that one build does not have", () => {
  const [first] = pairs;
  const found = compare([
    { before: undefined, after: resultOf({ vivarium: [1] }) },
    { before: resultOf({ vivarium: [8] }), after: resultOf({ vivarium: [4], "only here": [1] }) },
  ]);
  assert.deepEqual(
    found.map(({ what, ratio }) => [what, ratio]),
    [["vivarium", 0.5]],
  );
  assert.deepEqual(compare([{ before: first?.before, after: undefined }]), []);
});

test("comparisonText names the row, both sides with their spread, and the ratio", () => {
  const [head, line] = comparisonText("call", "ms", compare(pairs).slice(0, 1)).split("\n");
  assert.match(head ?? "", /^call \[ms\] +before +after +after\/before$/);
  assert.match(line ?? "", /^ {2}vivarium +5\.00 \(4\.00–40\.0\) +2\.00 \(2\.00–30\.0\) +0\.500 ×$/);
});
