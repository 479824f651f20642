// The journal of a runtime in its store: numbered without gaps, bounded, in groups, and whole whatever happens to the store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoredJournal } from "../../../../src/api/wiring/stored-journal.ts";
import { Bus } from "../../../../src/observability/bus.ts";
import { eventNames } from "../../../../src/observability/catalogue.ts";
import { isJournalled, journalledNames } from "../../../../src/observability/journalled.ts";
import { nextTurn } from "../../../../src/std/clock.ts";
import { FakeClock } from "../../../../src/testing/index.ts";
import { breakableDocuments, full } from "../../../support/breakable-documents.ts";
import { errorOf } from "../../../support/errors.ts";

const collection = "vivarium.journal";

function starting(store = breakableDocuments(), bytesMax = 2 ** 20) {
  const clock = new FakeClock();
  const bus = new Bus(() => clock.now());
  const journal = new StoredJournal({ documents: store.documents, bus, clock, bytesMax });
  const fail = (count: number, reason = "broken"): void => {
    for (let number = 0; number < count; number++) bus.emit("sandbox.failed", { sandboxId: "a", reason });
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  const numbers = async (after = 0, limit = 1_000): Promise<number[]> =>
    (await journal.entries(after, limit)).map(({ number }) => number);
  return { store, clock, bus, journal, fail, pass, numbers };
}

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

test("events of 100 ms are one row, and are read before they are written as after it", async () => {
  const { store, journal, bus, fail, pass, numbers } = starting();
  // What happens before the store is read has its number too.
  bus.emit("cell.started", { cell: 1, pid: 1, durationMs: 1 });
  await journal.load();
  fail(2);
  assert.deepEqual(await numbers(), upTo(3));
  await pass(99);
  assert.deepEqual(store.writes, []);
  await pass(1);
  assert.deepEqual(store.writes, [[collection, 1]]);
  fail(1);
  assert.deepEqual(await numbers(), upTo(4));
  const [first] = await journal.entries(0, 1);
  assert.deepEqual(first, {
    name: "cell.started",
    at: 0,
    event: { cell: 1, pid: 1, durationMs: 1 },
    number: 1,
  });
});

test("numbers go on without a gap after a restart", async () => {
  const before = starting();
  await before.journal.load();
  before.fail(3);
  await before.pass(100);
  before.fail(2);
  await before.journal.close();
  const after = starting(before.store);
  await after.journal.load();
  after.fail(2);
  assert.deepEqual(await after.numbers(), upTo(7));
  assert.deepEqual(await after.numbers(4), upTo(7, 5));
  assert.deepEqual(await after.numbers(1, 3), upTo(4, 2));
  assert.deepEqual(await after.numbers(7), []);
  assert.deepEqual(await after.numbers(100), []);
});

test("the oldest rows are removed at the bound, also at one that is lower than before", async () => {
  const { store, journal, fail, pass, numbers } = starting(breakableDocuments(), 10_000);
  await journal.load();
  for (let group = 0; group < 40; group++) {
    fail(3, "x".repeat(100));
    await pass(100);
  }
  const kept = await numbers();
  assert.deepEqual(kept, upTo(120, kept[0]));
  const bytesOf = async (): Promise<number> => JSON.stringify(await store.documents.read(collection)).length;
  assert.ok(kept.length > 20 && (await bytesOf()) < 12_000, `${kept.length} events`);
  await journal.close();
  const lower = starting(store, 2_000);
  await lower.journal.load();
  const left = await lower.numbers();
  assert.deepEqual(left, upTo(120, left[0]));
  await lower.journal.close();
  assert.ok((await bytesOf()) < 3_000);
});

test("a row has at most some 64 KiB", async () => {
  const { store, journal, fail } = starting(breakableDocuments(), 16 * 2 ** 20);
  await journal.load();
  fail(200, "x".repeat(1_000));
  await journal.close();
  const rows = await store.documents.read(collection);
  assert.equal(rows.length, 4);
  for (const [, value] of rows) assert.ok(JSON.stringify(value).length < 70_000);
});

test("a store that fails loses nothing, and the journal is read where it can be", async () => {
  const { store, journal, fail, pass, numbers } = starting();
  await journal.load();
  store.before = (what) => (what === "write" ? full() : undefined);
  fail(2);
  await pass(100);
  fail(1);
  await pass(5_000);
  assert.deepEqual(await numbers(), upTo(3));
  assert.deepEqual(store.writes, []);
  store.before = full;
  await errorOf(() => journal.entries(0, 10), "STORE_FAILED");
  store.before = () => {};
  await pass(1_000);
  assert.deepEqual(await store.documents.read(collection).then((rows) => rows.length), 2);
  assert.deepEqual(await numbers(), upTo(3));
});

test("what waits for a store that fails for long is bounded: the oldest events are missing, and so are their numbers", async () => {
  const { store, journal, fail, pass, numbers } = starting(breakableDocuments(), 16 * 2 ** 20);
  await journal.load();
  fail(1);
  await pass(100);
  store.before = full;
  for (let second = 0; second < 30; second++) {
    fail(100, "x".repeat(1_000));
    await pass(1_000);
  }
  store.before = () => {};
  const kept = await numbers(0, 5_000);
  assert.ok(kept.length < 1_200, `${kept.length}`);
  assert.deepEqual([kept[0], kept.slice(1)], [1, upTo(3_001, kept[1])]);
  await journal.close();
  assert.deepEqual(await numbers(0, 5_000), kept);
});

test("rows that are damaged are left out", async () => {
  const { store, journal, numbers, fail } = starting();
  const rows = new Map<string, unknown>([
    ["0000000000000001", 7],
    ["0000000000000002", [null, "x"]],
    ["odd", {}],
  ]);
  await store.documents.write(collection, rows);
  await journal.load();
  fail(1);
  assert.deepEqual(await numbers(), [4]);
});

test("no event of a run is journalled, and of what is denied again and again only the first", () => {
  for (const name of eventNames.filter((one) => /\.(run|evaluate)\.|start$|sampled/.test(one)))
    assert.ok(!journalledNames.includes(name), name);
  const denied = {
    sandboxId: "a",
    profile: "p",
    rule: "r",
    what: "w",
    module: null,
    line: null,
    column: null,
  };
  const journalled = [1, 2].map((count) =>
    isJournalled({ name: "security.denied", at: 0, event: { ...denied, count } }),
  );
  assert.deepEqual(journalled, [true, false]);
});
