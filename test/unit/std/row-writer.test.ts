// Rows that change are written in groups, one write at a time, and none is lost when a write fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "../../../src/std/clock.ts";
import { keyOfRow, pagesOf, RowWriter, type RowTable } from "../../../src/std/row-writer.ts";
import { FakeClock } from "../../../src/testing/index.ts";

const delayMs = 10;
type Write = readonly (readonly [key: number, value: unknown])[];

/** A writer of a table whose values a test sets, and a store that it can hold or let fail. */
function writing(more: Partial<RowTable> = {}) {
  const clock = new FakeClock();
  const values = new Map<number, unknown>();
  const writes: Write[] = [];
  const state = {
    error: undefined as Error | undefined,
    gate: undefined as Promise<void> | undefined,
    tries: 0,
  };
  const writer = new RowWriter({
    clock,
    delayMs,
    isFinal: (error) => (error as Error).message === "closed",
    write: async (_collection, rows) => {
      state.tries++;
      await state.gate;
      if (state.error !== undefined) throw state.error;
      writes.push([...rows].map(([key, value]) => [Number(key), value] as const));
    },
  });
  const rows = writer.add({ collection: "c", valueOf: (number) => values.get(number), ...more });
  const set = (number: number, value: unknown): void => {
    values.set(number, value);
    rows.changed(number);
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  writer.open();
  return { clock, values, writes, writer, rows, set, state, settle };
}

test("changes within the delay are one write, with the values of its moment", async () => {
  const { clock, writes, set, settle } = writing();
  set(1, "a");
  set(2, "b");
  set(1, "c");
  clock.advance(delayMs - 1);
  await settle();
  assert.deepEqual(writes, []);
  clock.advance(1);
  await settle();
  assert.deepEqual(writes, [
    [
      [1, "c"],
      [2, "b"],
    ],
  ]);
  assert.equal(clock.pending, 0);
});

test("while a write is under way no other begins, and what changes meanwhile is written after it", async () => {
  const { clock, writes, set, state, settle } = writing();
  const gate = Promise.withResolvers<void>();
  state.gate = gate.promise;
  set(1, "a");
  clock.advance(delayMs);
  set(1, "b");
  set(2, "c");
  clock.advance(1_000);
  await settle();
  assert.equal(state.tries, 1);
  gate.resolve();
  await settle();
  clock.advance(delayMs);
  await settle();
  assert.deepEqual(writes, [
    [[1, "a"]],
    [
      [1, "b"],
      [2, "c"],
    ],
  ]);
});

test("a write that failed is tried again by itself, later and later, with what changed since", async () => {
  const { clock, writes, set, state, settle } = writing();
  state.error = new Error("full");
  set(1, "a");
  for (let second = 0; second < 20; second++) {
    clock.advance(1_000);
    await settle();
  }
  assert.ok(state.tries >= 15 && state.tries <= 21, `${state.tries} tries`);
  set(2, "b");
  state.error = undefined;
  clock.advance(1_000);
  await settle();
  assert.deepEqual(writes, [
    [
      [1, "a"],
      [2, "b"],
    ],
  ]);
  assert.equal(clock.pending, 0);
});

test("saved() writes at once, and rejects with the store's error while it fails", async () => {
  const { writes, set, state, writer } = writing();
  state.error = new Error("full");
  set(1, "a");
  await assert.rejects(writer.saved(), { message: "full" });
  state.error = undefined;
  await writer.saved();
  assert.deepEqual(writes, [[[1, "a"]]]);
});

test("saved() covers what changed while an earlier write was under way", async () => {
  const { clock, writes, set, state, writer } = writing();
  const gate = Promise.withResolvers<void>();
  state.gate = gate.promise;
  set(1, "a");
  clock.advance(delayMs);
  set(2, "b");
  const both = Promise.all([writer.saved(), writer.saved()]);
  gate.resolve();
  await both;
  assert.deepEqual(writes, [[[1, "a"]], [[2, "b"]]]);
});

test("a row that is gone is removed, and one that was never written costs no write", async () => {
  const { writes, set, values, rows, writer } = writing();
  set(1, "a");
  await writer.saved();
  for (const number of [1, 2]) {
    set(number, "b");
    values.delete(number);
    rows.removed(number);
  }
  await writer.saved();
  assert.deepEqual(writes, [[[1, "a"]], [[1, undefined]]]);
});

test("many rows and long rows are several writes", async () => {
  const { writes, set, writer } = writing();
  for (let number = 1; number <= 1_200; number++) set(number, number);
  await writer.saved();
  assert.deepEqual(
    writes.map(({ length }) => length),
    [500, 500, 200],
  );
  for (let number = 1; number <= 3; number++) set(number, "x".repeat(600_000));
  await writer.saved();
  assert.deepEqual(
    writes.slice(3).map(({ length }) => length),
    [1, 1, 1],
  );
});

test("tables are written in their order, and none after one that failed", async () => {
  const { writer, rows, set, state } = writing();
  const order: string[] = [];
  const later = writer.add({ collection: "d", valueOf: () => order.push("second") });
  state.error = new Error("full");
  later.changed(1);
  set(1, "a");
  await assert.rejects(writer.saved());
  assert.deepEqual(order, []);
  state.error = undefined;
  await writer.saved();
  assert.deepEqual([order.length > 0, rows.size, later.size], [true, 0, 0]);
});

test("close() writes what is left, and nothing later", async () => {
  const { clock, writes, set, writer } = writing();
  set(1, "a");
  await writer.close();
  set(2, "b");
  clock.advance(10_000);
  await writer.saved();
  assert.deepEqual(writes, [[[1, "a"]]]);
  assert.equal(clock.pending, 0);
});

test("no write is tried again after an error that is final", async () => {
  const { clock, set, state, settle } = writing();
  state.error = new Error("closed");
  set(1, "a");
  clock.advance(delayMs);
  await settle();
  set(2, "b");
  assert.deepEqual([state.tries, clock.pending], [1, 0]);
});

test("nothing is written before open(), and nothing at all where close() comes first", async () => {
  const clock = new FakeClock();
  const writer = new RowWriter({ clock, delayMs, write: () => assert.fail("written") });
  writer.add({ collection: "c", valueOf: () => 1 }).changed(1);
  clock.advance(1_000);
  await writer.close();
  assert.equal(clock.pending, 0);
});

test("pagesOf() reads all pages in the order of numbers, and leaves out keys that are none", async () => {
  const keys = ["odd", ...Array.from({ length: 25 }, (_, number) => keyOfRow(number))].sort();
  const read = async (_collection: string, after = "") =>
    keys
      .filter((key) => key > after)
      .slice(0, 10)
      .map((key) => [key, key] as const);
  const pages = await Array.fromAsync(pagesOf(read, "c"));
  assert.deepEqual(
    pages.flat().map(([number]) => number),
    Array.from({ length: 25 }, (_, number) => number),
  );
});
