// Code and differences as plain lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changesOf,
  diffTexts,
  fitsEditor,
  plainText,
  summaryOf,
} from "../../../dashboard/src/controls/code/plain.ts";

const { signal } = new AbortController();

test("a long text or a long line has no editor", () => {
  assert.ok(fitsEditor(""));
  assert.ok(fitsEditor(`${"x".repeat(10_000)}\n`.repeat(19)));
  assert.ok(!fitsEditor("x".repeat(10_001)));
  assert.ok(!fitsEditor(`a\n${"x".repeat(10_001)}\nb`));
  assert.ok(!fitsEditor("x\n".repeat(100_001)));
});

test("a text is shown with nothing hidden, and cut until all of it is asked for", () => {
  assert.deepEqual(plainText("a\r\n\u202eb\n", false), { lines: ["a\\u000d", "\\u202eb"], isCut: false });
  const long = plainText("y".repeat(1_000_000), false);
  assert.deepEqual([long.lines[0]?.length, long.isCut], [1_001, true]);
  assert.equal(plainText("y".repeat(1_000_000), true).lines[0]?.length, 1_000_000);
  const many = plainText("z\n".repeat(5_000), false);
  assert.deepEqual([many.lines.length, many.isCut], [2_000, true]);
  assert.equal(plainText("z\n".repeat(5_000), true).lines.length, 5_000);
});

test("a difference has the numbers of lines on both sides", async () => {
  const diff = await diffTexts("a\nb\nc\n", "a\nx\ny\nc\n", signal);
  assert.deepEqual(diff?.lines, [
    { kind: "same", before: 1, after: 1, text: "a" },
    { kind: "removed", before: 2, after: null, text: "b" },
    { kind: "added", before: null, after: 2, text: "x" },
    { kind: "added", before: null, after: 3, text: "y" },
    { kind: "same", before: 3, after: 4, text: "c" },
  ]);
  assert.equal(summaryOf(diff), "2 lines added, 1 removed");
});

test("changes far from each other have a gap between them that says where it goes on", async () => {
  const before = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`);
  const after = before.with(19, "other\n").with(49, "another\n");
  const diff = await diffTexts(before.join(""), after.join(""), signal);
  assert.deepEqual(
    diff?.lines.filter(({ kind }) => kind === "gap").map(({ text }) => text),
    ["From line 16", "Then from line 46"],
  );
  assert.deepEqual(
    diff?.lines.find(({ text }) => text === "another"),
    { kind: "added", before: null, after: 50, text: "another" },
  );
});

test("lines that look like the marks of a difference are lines", async () => {
  const diff = await diffTexts("", "@@ -1,1 +1,1 @@\n+++ x\n\\ y", signal);
  assert.deepEqual(
    diff?.lines.map(({ kind, text }) => [kind, text]),
    [
      ["added", "@@ -1,1 +1,1 @@"],
      ["added", "+++ x"],
      ["added", "\\ y"],
      ["gap", "No line feed at the end"],
    ],
  );
});

test("a long difference is given up when nobody wants it any more", async () => {
  const end = new AbortController();
  const lines = Array.from({ length: 60_000 }, (_, index) => `${(index * 7_919) % 60_013}\n`);
  const made = diffTexts(lines.join(""), lines.toReversed().join(""), end.signal);
  end.abort();
  assert.equal(await made, null);
});

test("modules that differ are told apart from those that do not", () => {
  const changes = changesOf({ a: "1", b: "2", gone: "3" }, { a: "1", b: "4", new: "", toString: "5" });
  assert.deepEqual(changes.same, ["a"]);
  assert.deepEqual(changes.changed, [
    { name: "b", before: "2", after: "4" },
    { name: "gone", before: "3", after: null },
    { name: "new", before: null, after: "" },
    { name: "toString", before: null, after: "5" },
  ]);
});
