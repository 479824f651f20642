// How deep a source nests is known before a parser sees it, in one pass.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bracketDepthOf } from "../../../../src/code/compiler-host/bracket-depth.ts";
import { stopwatch } from "../../../support/machine.ts";

const rows: readonly (readonly [string, number, number])[] = [
  ["", 0, 0],
  ["abc", 0, 0],
  ["()", 1, 0],
  ["a([{}])", 3, 3],
  ["()()()", 1, 0],
  ["(()())", 2, 1],
  ["))))((", 2, 5],
  ["]})(", 1, 3],
  ["(".repeat(5) + ")".repeat(5), 5, 4],
  ["f(a[b], {c: (d)})", 3, 12],
];

for (const [source, deepest, at] of rows) {
  test(`bracketDepthOf(${JSON.stringify(source)}) is ${deepest}, first reached at ${at}`, () => {
    assert.deepEqual(bracketDepthOf(source), { deepest, at });
  });
}

test("bracketDepthOf() takes a source of megabytes in a moment", () => {
  const took = stopwatch();
  assert.equal(bracketDepthOf("(".repeat(4_000_000)).deepest, 4_000_000);
  took.assertWithin(5_000, "it took too long");
});
