// The figures that tools/tree.ts prints.
import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf } from "../../../tools/tidy/figures.ts";
import { treeOf } from "../../../tools/tidy/source-tree.ts";

test("figuresOf counts files and lines of the sources by folder and in all", () => {
  const tree = treeOf({
    "src/a/one.ts": "\n".repeat(10),
    "src/a/two.ts": "\n".repeat(30),
    "src/a/three.ts": "\n".repeat(20),
    "src/a/b/four.ts": "\n".repeat(40),
    "test/a.test.ts": "\n".repeat(500),
  });
  assert.deepEqual(figuresOf(tree), {
    files: 4,
    lines: 100,
    median: 20,
    longest: { path: "src/a/b/four.ts", lines: 40 },
    folders: [
      {
        folder: "src/a",
        files: 3,
        lines: 60,
        median: 20,
        longest: { path: "src/a/two.ts", lines: 30 },
      },
      {
        folder: "src/a/b",
        files: 1,
        lines: 40,
        median: 40,
        longest: { path: "src/a/b/four.ts", lines: 40 },
      },
    ],
  });
});
