// The history of the console: a file for its owner alone, and never long.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { History } from "../../../../src/cli/repl/history.ts";
import { historyPathOf } from "../../../../src/cli/repl/history-path.ts";
import { Folder } from "../../../support/folders.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("what is typed in one console is there in the next, in a file for its owner alone", () => {
  using folder = new Folder({});
  const path = join(folder.path, "state", "vivarium", "repl-history");
  const first = new History(path);
  first.add("const a = 1");
  first.add("a + 1");
  assert.deepEqual(new History(path).lines, ["const a = 1", "a + 1"]);
  assert.equal(modeOf(path), 0o600);
});

test("a history file that others could read is for its owner alone after the next line", () => {
  using folder = new Folder({});
  const path = join(folder.path, "h");
  writeFileSync(path, "1\n");
  chmodSync(path, 0o644);
  new History(path).add("2");
  assert.equal(modeOf(path), 0o600);
});

test("lines that are empty, repeated, huge, or begin with a space are not kept", () => {
  using folder = new Folder({});
  const history = new History(join(folder.path, "h"));
  for (const line of ["a", "a", "", "   ", " secret", "x".repeat(10_001), "b", "a"]) history.add(line);
  assert.deepEqual(history.lines, ["a", "b", "a"]);
});

test("the history has a thousand lines at most, and its file twice that", () => {
  using folder = new Folder({});
  const path = join(folder.path, "h");
  const history = new History(path);
  for (let count = 0; count < 3_500; count++) {
    history.add(`line ${count}`);
    if (count % 500 === 0) assert.ok(readFileSync(path, "utf8").split("\n").length <= 2_001);
  }
  assert.equal(history.lines.length, 1_000);
  assert.deepEqual(new History(path).lines.slice(-1), ["line 3499"]);
  assert.equal(modeOf(path), 0o600);
});

test("a history that cannot be written is said, and the lines are there all the same", () => {
  using folder = new Folder({ file: "" });
  const history = new History(join(folder.path, "file", "below"));
  history.add("a");
  assert.deepEqual(history.lines, ["a"]);
  assert.equal(history.problem, "a folder of its path is a file");
  const none = new History(null);
  none.add("a");
  assert.deepEqual([none.lines, none.problem], [["a"], undefined]);
});

test("the history is where programs keep what they remember", () => {
  assert.equal(historyPathOf({ XDG_STATE_HOME: "/state" }), "/state/vivarium/repl-history");
  assert.match(historyPathOf({ XDG_STATE_HOME: "relative" }), /^\/.*\.local\/state\/vivarium\/repl-history$/);
});
