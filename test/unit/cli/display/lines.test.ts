// Lines in styles, tables and values: none is wider than its room, and nothing of a guest is obeyed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import {
  bold,
  cutLine,
  folded,
  lineWidth,
  paint,
  red,
  wrapped,
  type Line,
} from "../../../../src/cli/display/lines.ts";
import { outputOf } from "../../../../src/cli/display/output.ts";
import { tableLines } from "../../../../src/cli/display/table.ts";
import { valueText } from "../../../../src/cli/display/value.ts";
import { FakeTerminal } from "../../../support/terminal.ts";

const plain = (line: Line): string =>
  line.map((part) => (typeof part === "string" ? part : part.text)).join("");

test("a line is cut to its width, whatever its parts and styles", () => {
  const line: Line = ["ab", bold("日本"), "", red("cdef"), ""];
  for (let width = 1; width < 14; width++) {
    const cut = cutLine(line, width);
    assert.ok(lineWidth(cut) <= width, `${width}: ${plain(cut)}`);
    assert.equal(plain(cut).endsWith("…"), width < 10, plain(cut));
  }
  assert.equal(plain(cutLine(line, 10)), "ab日本cdef");
});

test("what is painted has no controls but those of its styles", () => {
  const { output } = new FakeTerminal();
  const painted = paint([bold("a\u001b[2Jb"), "\u202e\n"], output);
  assert.equal(stripVTControlCharacters(painted), "a\\u001b[2Jb\\u202e\\n");
});

test("sentences are wrapped at spaces, and longer words are cut", () => {
  assert.deepEqual(wrapped("one two three", 7, "  "), ["one two", "  three"]);
  assert.deepEqual(wrapped("x".repeat(9), 5), ["xxxx…"]);
});

test("a line is folded at spaces in its styles, and a longer word stays whole", () => {
  const fold = (line: Line, width: number): readonly string[] => folded(line, width).map(plain);
  const sentence: Line = [red("timeout"), " ", "Cannot finish it"];
  assert.deepEqual(fold(sentence, 14), ["timeout Cannot", "finish it"]);
  assert.deepEqual(folded(sentence, 80), [sentence]);
  assert.deepEqual(fold(["  at a/very/long/path here"], 10), ["  at", "a/very/long/path", "here"]);
  assert.deepEqual(fold(["日本 日本"], 5), ["日本", "日本"]);
  assert.deepEqual(folded(sentence, 14)[0]?.[0], red("timeout"));
  assert.deepEqual(fold(["one two three"], 7), ["one two", "three"]);
  assert.deepEqual(fold([bold("one"), ", two"], 4), ["one,", "two"]);
  for (const width of [1, 2, 3]) assert.equal(fold(sentence, width).join(" "), "timeout Cannot finish it");
});

test("a note on a terminal is folded to its width, and elsewhere it is one line", () => {
  const narrow = new FakeTerminal({ columns: 20 });
  outputOf(narrow.output, narrow.output).note("Cannot use --seed as it must be a number\u001b[2J:\n  frame");
  assert.deepEqual(narrow.text.split("\n"), [
    "Cannot use --seed as",
    "it must be a",
    "number\\u001b[2J:",
    "  frame",
    "",
  ]);
  const piped = new FakeTerminal({ columns: 20, isTTY: false });
  outputOf(piped.output, piped.output).note("Cannot use --seed as it must be a number");
  assert.equal(piped.text, "Cannot use --seed as it must be a number\n");
});

test("a table aligns its columns and shrinks those that may", () => {
  const columns = [
    { title: "NAME", widthMin: 4 },
    { title: "SIZE", side: "right" },
    { title: "WHAT", widthMin: 4 },
  ] as const;
  const rows = [
    ["variant-1", "5", "日本語日本語"],
    ["b\nc\u001b[2J", "1,000", "d"],
  ];
  assert.deepEqual(tableLines(columns, rows, 80).map(plain), [
    "NAME            SIZE  WHAT",
    "variant-1          5  日本語日本語",
    "b\\nc\\u001b[2J  1,000  d",
  ]);
  for (const width of [20, 25, 30])
    for (const line of tableLines(columns, rows, width)) assert.ok(lineWidth(line) <= width);
});

test("a value is on one line where it fits, and indented where not", () => {
  const value = { a: 1, list: [1, "x"], map: new Map<unknown, unknown>([[{ k: 1 }, new Set([2])]]) };
  assert.equal(
    valueText(value, { width: 80 }),
    '{ a: 1, list: [1, "x"], map: Map(1) { { k: 1 } => Set(1) { 2 } } }',
  );
  assert.equal(
    valueText(value, { width: 40 }),
    '{\n  a: 1,\n  list: [1, "x"],\n  map: Map(1) { { k: 1 } => Set(1) { 2 } },\n}',
  );
});

test("a value tells what it is, and nothing of it is obeyed", () => {
  const cyclic: Record<string, unknown> = { "\u001b[2J": "\u202e" };
  cyclic["self"] = cyclic;
  assert.equal(valueText(cyclic, { width: 80 }), '{ "\\u001b[2J": "\\u202e", self: [circular] }');
  assert.equal(valueText(new Error("\u001b]0;x\u0007"), { width: 80 }), "[Error: \\u001b]0;x\\u0007]");
  for (const [value, text] of [
    [-0, "-0"],
    [12n, "12n"],
    [undefined, "undefined"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new Uint8Array(2), "Uint8Array(2) [0, 0]"],
    [/a\n/g, "/a\\n/g"],
    [[], "[]"],
    [{}, "{}"],
  ] as const)
    assert.equal(valueText(value, { width: 80 }), text);
});

test("a small value that refers to itself over and over is told in part", () => {
  let value: unknown = [1];
  for (let depth = 0; depth < 40; depth++) value = Array.from({ length: 100 }, () => value);
  assert.ok(valueText(value, { width: 80 }).length < 200_000);
  assert.ok(valueText("x".repeat(1e6), { width: 80 }).length < 3_000);
});
