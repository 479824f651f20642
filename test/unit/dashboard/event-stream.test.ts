// The stream of events as the page shows it: merged, filtered, found again, and written as lines.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { EventLog } from "../../../dashboard/src/model/event-log.ts";
import { eventNames, followedNames, otherNames } from "../../../dashboard/src/source/event-names.ts";
import {
  countNames,
  filterRows,
  findRow,
  groupsOf,
  ndjsonOf,
  noFilter,
  readFilter,
  rowsOf,
  sandboxIdOf,
  toggledNames,
} from "../../../dashboard/src/views/events/stream.ts";
import { eventDescriptions } from "../../../src/observability/catalogue.ts";
import type { AnyEvent } from "../../../src/index.ts";

const killed = (sandboxId: string, at: number): AnyEvent => ({
  name: "sandbox.killed",
  at,
  event: { sandboxId, reason: "timeout" },
});
const breaker = (why: string, at: number): AnyEvent => ({
  name: "cell.breaker",
  at,
  event: { state: "open", why },
});
const logOf = (events: readonly AnyEvent[], max?: number): EventLog => {
  const log = new EventLog(max);
  for (const any of events) log.push(any);
  return log;
};

test("the names are those of the catalogue, each followed or not", () => {
  assert.deepEqual(eventNames.toSorted(), Object.keys(eventDescriptions).sort());
  assert.deepEqual([...followedNames, ...otherNames].sort(), eventNames.toSorted());
  assert.ok(otherNames.includes("sandbox.run.stop"));
});

suite("rowsOf", () => {
  const own = logOf([killed("a", 1), killed("b", 5), breaker("No memory is left.", 7)]);
  const others = logOf([killed("c", 2), killed("d", 6)]);
  const keysOf = (filter: Parameters<typeof rowsOf>[2]): string[] =>
    rowsOf(own, others, filter).map(({ key }) => key);

  test("has both logs by time, newest first", () => {
    assert.deepEqual(keysOf(noFilter), ["e3", "o2", "e2", "o1", "e1"]);
  });

  test("has only what is wanted, and an event of no sandbox where none is asked for", () => {
    assert.deepEqual(keysOf(readFilter({ names: "cell.breaker" })), ["e3"]);
    assert.deepEqual(keysOf(readFilter({ id: "b" })), ["e2"]);
    assert.deepEqual(keysOf(readFilter({ q: "NO memory" })), ["e3"]);
    assert.deepEqual(keysOf(readFilter({ names: "cell.breaker", id: "b" })), []);
    assert.deepEqual(
      filterRows(rowsOf(own, others, noFilter), readFilter({ id: "c" })).map(({ key }) => key),
      ["o1"],
    );
  });
});

test("a row is found by its name as long as it is kept", () => {
  const log = logOf([killed("a", 1), killed("b", 2), killed("c", 3)], 2);
  const others = new EventLog();
  assert.equal(findRow(log, others, "e1"), undefined);
  assert.equal(findRow(log, others, "e2")?.any.at, 2);
  for (const key of ["e4", "o1", "", "e", "e2.5", "e-1", "eNaN"])
    assert.equal(findRow(log, others, key), undefined, key);
  log.clear();
  assert.equal(findRow(log, others, "e2"), undefined);
});

test("names of both logs are counted, and one that is not in the catalogue has a group too", () => {
  const strange = { name: "later.made", at: 3, event: {} } as unknown as AnyEvent;
  const counts = countNames([logOf([killed("a", 1), strange]), logOf([killed("b", 2)])]);
  assert.deepEqual(
    [...counts],
    [
      ["sandbox.killed", 2],
      ["later.made", 1],
    ],
  );
  const groups = groupsOf(counts);
  assert.deepEqual(groups.find(({ group }) => group === "later")?.names, [{ name: "later.made", count: 1 }]);
  assert.equal(groups.find(({ group }) => group === "cell")?.names.length, 4);
  assert.equal(sandboxIdOf(strange), null);
});

test("names are chosen and no longer, and none of them is all", () => {
  assert.equal(toggledNames(new Set(["a"]), ["b", "c"], true), "a,b,c");
  assert.equal(toggledNames(new Set(["a", "b"]), ["a"], false), "b");
  assert.equal(toggledNames(new Set(["a"]), ["a"], false), null);
  assert.deepEqual(readFilter({ names: "" }), noFilter);
});

test("lines are written oldest first, each a document", () => {
  const rows = rowsOf(logOf([killed("a\n\u2028", 1), killed("b", 2)]), new EventLog(), noFilter);
  const lines = ndjsonOf(rows).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as AnyEvent).at),
    [1, 2],
  );
});
