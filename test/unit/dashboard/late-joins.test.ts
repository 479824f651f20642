// Who was in no population when a page told of it is asked for again, ever later.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LateJoins, type RowRange } from "../../../dashboard/src/source/late-joins.ts";
import type { IndividualEntry } from "../../../src/contract/evolution-bodies.ts";
import { entry } from "./entries.ts";

const lonely = (id: string): IndividualEntry => entry(id, { population: null });
const member = (id: string): IndividualEntry => entry(id, { population: "hill" });

function dueOf(joins: LateJoins, atMs: number): RowRange {
  const range = joins.due(atMs);
  assert.ok(range !== null, `something is due at ${atMs}`);
  return range;
}

suite("individuals that may join a population later", () => {
  test("are read again four times, after ever longer waits", () => {
    const joins = new LateJoins();
    joins.add(0, [lonely("a")], 0);
    let nowMs = 0;
    for (const waitMs of [3_000, 20_000, 120_000, 600_000]) {
      assert.equal(joins.due(nowMs + waitMs - 1), null);
      nowMs += waitMs;
      const range = dueOf(joins, nowMs);
      assert.deepEqual([range.from, range.count], [0, 1]);
      assert.deepEqual(joins.again(range, [lonely("a")], nowMs), []);
    }
    assert.equal(joins.due(Number.MAX_SAFE_INTEGER), null);
  });

  test("are read from the first to the last of them, and those who have joined are not asked for again", () => {
    const joins = new LateJoins();
    joins.add(10, [member("a"), lonely("b"), member("c"), lonely("d"), member("e")], 0);
    const range = dueOf(joins, 3_000);
    assert.deepEqual([range.from, range.count], [11, 3]);
    const joined = joins.again(range, [member("b"), member("c"), lonely("d")], 3_000);
    assert.deepEqual(
      joined.map(({ id }) => id),
      ["b"],
    );
    const next = dueOf(joins, 23_000);
    assert.deepEqual([next.from, next.count], [13, 1]);
  });

  test("where nobody is alone, nothing is asked for", () => {
    const joins = new LateJoins();
    joins.add(0, [member("a"), member("b")], 0);
    joins.add(2, [], 0);
    assert.equal(joins.due(Number.MAX_SAFE_INTEGER), null);
  });

  test("what an answer leaves out is asked for at once, unless it is empty", () => {
    const joins = new LateJoins();
    joins.add(0, [lonely("a"), lonely("b"), lonely("c")], 0);
    const range = dueOf(joins, 3_000);
    assert.deepEqual(joins.again(range, [lonely("a")], 3_000), []);
    const rest = dueOf(joins, 3_000);
    assert.deepEqual([rest.from, rest.count], [1, 2]);
    assert.deepEqual(joins.again(rest, [], 3_000), []);
    assert.equal(joins.due(3_000), null);
    const first = dueOf(joins, 23_000);
    assert.deepEqual([first.from, first.count], [0, 1]);
    joins.again(first, [lonely("a")], 23_000);
    assert.equal(joins.due(100_000), null, "nobody else is left");
  });

  test("an answer to what was forgotten meanwhile is ignored", () => {
    const joins = new LateJoins();
    joins.add(0, [lonely("a")], 0);
    const range = dueOf(joins, 3_000);
    joins.clear();
    assert.deepEqual(joins.again(range, [member("a")], 3_000), []);
    assert.equal(joins.due(Number.MAX_SAFE_INTEGER), null);
  });

  test("of very many the newest are kept", () => {
    const joins = new LateJoins();
    for (let row = 0; row < 1_000; row++) joins.add(row, [lonely(`i${row}`)], row);
    const rows: number[] = [];
    for (let range = joins.due(4_000); range !== null; range = joins.due(4_000)) {
      rows.push(range.from);
      joins.again(range, [member("some")], 4_000);
    }
    assert.deepEqual([rows.length, rows[0], rows.at(-1)], [400, 600, 999]);
  });
});
