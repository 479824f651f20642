// A table of any length: which rows are drawn, and where keys lead.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowAfterKey, scrollFor, shownRows } from "../../../dashboard/src/controls/virtual.ts";

test("only rows that are seen, and a few beside them, are drawn of 10,000", () => {
  const shown = shownRows(10_000, { scrollTop: 36_000, height: 360, rowHeight: 36 });
  assert.deepEqual(shown, { from: 992, to: 1_018 });
});

test("no rows beyond the ends are drawn, also where the table became shorter below", () => {
  assert.deepEqual(shownRows(0, { scrollTop: 0, height: 360, rowHeight: 36 }), { from: 0, to: 0 });
  assert.deepEqual(shownRows(3, { scrollTop: 0, height: 360, rowHeight: 36 }), { from: 0, to: 3 });
  const { from, to } = shownRows(5, { scrollTop: 36_000, height: 360, rowHeight: 36 });
  assert.ok(from >= 0 && to <= 5 && from <= to);
});

test("keys lead to the next row, a page on, and to the ends, and never beyond", () => {
  const at = { row: 50, count: 100, pageRows: 10 };
  assert.equal(rowAfterKey("ArrowDown", at), 51);
  assert.equal(rowAfterKey("ArrowUp", at), 49);
  assert.equal(rowAfterKey("PageDown", at), 60);
  assert.equal(rowAfterKey("PageUp", at), 40);
  assert.equal(rowAfterKey("Home", at), 0);
  assert.equal(rowAfterKey("End", at), 99);
  assert.equal(rowAfterKey("ArrowDown", { ...at, row: 99 }), 99);
  assert.equal(rowAfterKey("PageUp", { ...at, row: 3 }), 0);
});

test("the first key of a table leads to its first row, or up to its last", () => {
  const at = { row: -1, count: 100, pageRows: 10 };
  assert.equal(rowAfterKey("ArrowDown", at), 0);
  assert.equal(rowAfterKey("ArrowUp", at), 99);
});

test("other keys, and those of an empty table, lead nowhere", () => {
  assert.equal(rowAfterKey("x", { row: 0, count: 3, pageRows: 1 }), undefined);
  assert.equal(rowAfterKey("ArrowDown", { row: -1, count: 0, pageRows: 1 }), undefined);
});

test("a row is scrolled into sight by as little as is needed", () => {
  const at = { scrollTop: 360, height: 360, rowHeight: 36 };
  assert.equal(scrollFor(12, at), undefined);
  assert.equal(scrollFor(9, at), 324);
  assert.equal(scrollFor(20, at), 396);
});
