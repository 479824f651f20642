// The command line of the benchmark.
import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, readArguments, type Arguments } from "../../../bench/arguments.ts";
import { rows } from "../../../bench/rows.ts";

const read = (...args: readonly string[]): Arguments => {
  const found = readArguments(args);
  if (typeof found === "string") throw new Error(found);
  return found;
};
const namesFor = (...args: readonly string[]): readonly string[] =>
  choose(rows, read(...args)).map(({ name }) => name);

test("no two rows have the same name, since a row's process finds it by that", () => {
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
});

test("without words all rows are chosen but the large ones and those of how things grow", () => {
  assert.deepEqual(
    namesFor(),
    rows.filter(({ isLarge, scale }) => isLarge !== true && scale === undefined).map(({ name }) => name),
  );
  assert.deepEqual(namesFor("rollback"), ["rollback"]);
});

test("--scale and --plot choose the rows of how things grow alone, the large ones only with --large", () => {
  const scale = rows.filter((row) => row.scale !== undefined);
  assert.deepEqual(
    namesFor("--plot", "docs"),
    scale.filter(({ isLarge }) => isLarge !== true).map(({ name }) => name),
  );
  assert.equal(namesFor("--scale", "--large").length, scale.length);
});

test("a count that is none, an unknown option, and figures of a comparison are refused with the reason", () => {
  assert.match(String(readArguments(["--repeat", "0"])), /--repeat must be a whole number .*got 0/);
  assert.match(String(readArguments(["--rounds", "x"])), /got x/);
  assert.match(String(readArguments(["--nonsense"])), /Cannot read the options/);
  assert.match(String(readArguments(["--compare", "main", "--plot", "docs"])), /Cannot draw figures/);
  assert.equal(read("--repeat", "7").repeat, 7);
});
