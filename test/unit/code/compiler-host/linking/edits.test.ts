// Changes keep lines where they are, nest however they are ordered, and are found again by their source map.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Edits } from "../../../../../src/code/compiler-host/linking/edits.ts";
import { SourceMapIndex } from "../../../../../src/code/stacks/source-map.ts";
import { editMarks } from "../../../../../src/model/code/edit-marks.ts";

const { start, end, close } = editMarks;
const unmarked = (text: string): string => text.replaceAll(start, "").replaceAll(end + close, "");

test("texts around nested nodes nest, in whichever order they were given", () => {
  const wraps = [
    [{ start: 0, end: 3 }, "(", ")"],
    [{ start: 0, end: 2 }, "[", "]"],
    [{ start: 1, end: 2 }, "{", "}"],
  ] as const;
  for (const order of [wraps, wraps.toReversed()]) {
    const edits = new Edits("abc");
    for (const [range, before, after] of order) edits.wrap(range, before, after);
    assert.equal(unmarked(edits.apply().text), "([a{b}]c)");
  }
});

test("what is blanked leaves its line breaks, of every kind", () => {
  const edits = new Edits("a\r\nb\u2028c\nd");
  edits.blank({ start: 0, end: 7 }, ";");
  assert.equal(edits.apply().text, ";\r\n\u2028\nd");
});

test("every position in copied text is found again, behind changes and on other lines", () => {
  const source = "let total = 1;\nconst add = () => total;\n\nadd();\r\ntotal += add();";
  const edits = new Edits(source);
  edits.blank({ start: 0, end: 4 }, "");
  edits.insert(source.indexOf("const"), "/* inserted */");
  edits.replace({ start: source.indexOf("add()"), end: source.indexOf("add()") + 3 }, "replacement");
  edits.wrap({ start: source.lastIndexOf("total"), end: source.length }, "before(", ")");
  const { text, map } = edits.apply();
  const index = new SourceMapIndex(map);
  const place = (all: string, offset: number): { line: number; column: number } => {
    const before = all.slice(0, offset).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  };
  for (const word of ["= 1;", "const", "=> total", "();", "+= add"]) {
    const from = text.indexOf(word);
    assert.deepEqual(index.find(place(text, from)), place(source, source.indexOf(word)), word);
  }
  assert.equal(text.split("\n").length, source.split("\n").length);
});
