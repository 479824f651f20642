// A position in a source is given by line and column from 1, and shown with a mark under it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeFrame, positionAt } from "../../../../src/code/compiler-host/code-frame.ts";

const source = "one\ntwo\n\nfour\nfive\nsix";

test("positionAt() counts lines and columns from 1", () => {
  const rows: readonly (readonly [number, number, number])[] = [
    [0, 1, 1],
    [2, 1, 3],
    [3, 1, 4],
    [4, 2, 1],
    [8, 3, 1],
    [9, 4, 1],
    [source.length, 6, 4],
  ];
  for (const [offset, line, column] of rows)
    assert.deepEqual(positionAt(source, offset), { line, column }, `offset ${offset}`);
});

test("codeFrame() shows two lines around the place and marks the column", () => {
  assert.equal(
    codeFrame(source, { line: 4, column: 2 }),
    ["  2 | two", "  3 | ", "> 4 | four", "    |  ^", "  5 | five", "  6 | six"].join("\n"),
  );
});

test("codeFrame() shows what there is at the first and the last line", () => {
  assert.equal(
    codeFrame(source, { line: 1, column: 1 }),
    ["> 1 | one", "    | ^", "  2 | two", "  3 | "].join("\n"),
  );
  assert.match(codeFrame(source, { line: 6, column: 4 }), /> 6 \| six\n {4}\| {4}\^$/);
  assert.equal(codeFrame("", { line: 1, column: 1 }), "> 1 | \n    | ^");
});

test("codeFrame() keeps its columns aligned where the line numbers have two digits", () => {
  const long = Array.from({ length: 12 }, (_, n) => `line ${n + 1}`).join("\n");
  assert.equal(
    codeFrame(long, { line: 9, column: 3 }),
    [
      "   7 | line 7",
      "   8 | line 8",
      ">  9 | line 9",
      "     |   ^",
      "  10 | line 10",
      "  11 | line 11",
    ].join("\n"),
  );
});

test("codeFrame() cuts a long line and leaves out a mark that would be beyond it", () => {
  const frame = codeFrame("x".repeat(100_000), { line: 1, column: 50_000 });
  assert.ok(frame.length < 300);
  assert.ok(!frame.includes("^"));
});
