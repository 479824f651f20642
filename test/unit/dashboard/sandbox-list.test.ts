// The list of sandboxes: rows, search, order and counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countByStatus,
  goneRows,
  readLabel,
  readSorting,
  readStatus,
  rowOf,
  searchRows,
  sortRows,
  type SandboxRow,
} from "../../../dashboard/src/views/sandboxes/list.ts";
import type { AnyEvent, SandboxInfo } from "../../../src/index.ts";
import { infoOf } from "./sandbox-info.ts";

const row = (given: Partial<SandboxInfo> & { readonly id: string }): SandboxRow => rowOf(infoOf(given));
const ids = (rows: readonly SandboxRow[]): string => rows.map(({ id }) => id).join(" ");
const destroyed = (id: string): AnyEvent =>
  ({
    name: "sandbox.destroy.stop",
    at: 1,
    event: { sandboxId: id, durationMs: 1, result: "ok" },
  }) as AnyEvent;

test("a row says that memory is unknown before the first sample of an isolate", () => {
  const info = infoOf({ id: "a" });
  assert.equal(rowOf({ ...info, usage: { ...info.usage, isolate: 0 } }).heapBytes, null);
  assert.equal(rowOf(info).heapBytes, info.usage.heapBytes + info.usage.externalBytes);
});

test("a row says that the score is unknown where there was no evaluation, and where that failed", () => {
  assert.equal(row({ id: "a" }).score, null);
  const fitness = { revision: 1, evaluatedAt: 1, components: {}, tests: [], message: null, evaluationMs: 1 };
  assert.equal(row({ id: "a", fitness: { ...fitness, score: null, result: "timeout" } }).score, null);
  assert.equal(row({ id: "a", fitness: { ...fitness, score: -2, result: "ok" } }).score, -2);
});

test("a search finds all of its words in id, status, profile and labels, whatever their case", () => {
  const rows = [
    row({ id: "Alpha", labels: { team: "Red" } }),
    row({ id: "beta", status: "failed", labels: { team: "red" } }),
  ];
  assert.equal(ids(searchRows(rows, " team=RED ")), "Alpha beta");
  assert.equal(ids(searchRows(rows, "alpha red")), "Alpha");
  assert.equal(ids(searchRows(rows, "FAILED")), "beta");
  assert.equal(ids(searchRows(rows, "alpha failed")), "");
  assert.equal(searchRows(rows, "  "), rows);
});

test("rows are sorted by a column in both directions, with the unknown last in both", () => {
  const rows = [
    { ...row({ id: "a2" }), score: 2 },
    { ...row({ id: "a10" }), score: null },
    { ...row({ id: "a1" }), score: 7 },
  ];
  assert.equal(ids(sortRows(rows, { key: "score", descending: false })), "a2 a1 a10");
  assert.equal(ids(sortRows(rows, { key: "score", descending: true })), "a1 a2 a10");
  assert.equal(ids(sortRows(rows, { key: "id", descending: false })), "a1 a2 a10");
  assert.equal(ids(sortRows(rows, null)), "a2 a10 a1");
});

test("rows that are equal keep their order, and the list that is sorted is not changed", () => {
  const rows = ["c", "a", "b"].map((id) => row({ id }));
  assert.equal(ids(sortRows(rows, { key: "restarts", descending: true })), "c a b");
  sortRows(rows, { key: "id", descending: false });
  assert.equal(ids(rows), "c a b");
});

test("the order of the address is taken only where there is such a column", () => {
  assert.deepEqual(readSorting({ sort: "memory", dir: "down" }), { key: "memory", descending: true });
  assert.deepEqual(readSorting({ sort: "id" }), { key: "id", descending: false });
  assert.equal(readSorting({ sort: "constructor" }), null);
  assert.equal(readSorting({}), null);
});

test("a label of the address is a name and a value, which may have another equals sign in it", () => {
  assert.deepEqual(readLabel("a=b=c"), { a: "b=c" });
  assert.deepEqual(readLabel("a="), { a: "" });
  assert.equal(readLabel("=b"), undefined);
  assert.equal(readLabel("a"), undefined);
  assert.equal(readLabel(undefined), undefined);
});

test("a status of the address is one that there is", () => {
  assert.equal(readStatus("failed"), "failed");
  assert.equal(readStatus("toString"), undefined);
});

test("those that went are told once, newest first, and not where their id lives again", () => {
  const events = [destroyed("b"), destroyed("a"), destroyed("b"), destroyed("again")];
  const rows = goneRows(events, new Set(["again"]));
  assert.equal(ids(rows), "b a");
  assert.equal(rows[0]?.status, "stopped");
  assert.equal(rows[0]?.runs, null);
  assert.equal(goneRows(events, new Set(), 1).length, 1);
});

test("counts are those of each status that occurs", () => {
  const counts = countByStatus([row({ id: "a" }), row({ id: "b" }), row({ id: "c", status: "failed" })]);
  assert.deepEqual(
    [...counts],
    [
      ["running", 2],
      ["failed", 1],
    ],
  );
});
