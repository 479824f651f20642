// The page on which a cell announces who is inside: what is written is read, and nonsense on it is nobody.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clearEntry,
  mainSlot,
  readBeat,
  readEntries,
  readLastBegun,
  slateBytes,
  slotsMax,
  writeBeat,
  writeEntry,
} from "../../../src/execution/slate.ts";

const page = (): Float64Array => new Float64Array(slateBytes / Float64Array.BYTES_PER_ELEMENT);
const entry = (slot: number, op: number) => ({ slot, op, key: op + 100, startedMs: 5.5, budgetMs: 7 });

test("an empty slate has nobody inside", () => {
  assert.deepEqual(readEntries(page()), []);
  assert.deepEqual([readBeat(page()), readLastBegun(page())], [0, 0]);
});

test("entries are read as they were written, in every slot, until they are cleared", () => {
  const slate = page();
  const entries = Array.from({ length: slotsMax }, (_, slot) => entry(slot, slot));
  for (const each of entries) writeEntry(slate, each);
  assert.deepEqual(readEntries(slate), entries);
  clearEntry(slate, 3);
  assert.deepEqual(
    readEntries(slate),
    entries.filter(({ slot }) => slot !== 3),
  );
});

test("an operation with the number 0 is told from an empty slot", () => {
  const slate = page();
  writeEntry(slate, entry(2, 0));
  assert.deepEqual(readEntries(slate), [entry(2, 0)]);
});

test("the operation that began last is that of the main lane, also when it has left", () => {
  const slate = page();
  writeEntry(slate, entry(mainSlot, 11));
  writeEntry(slate, entry(4, 12));
  clearEntry(slate, mainSlot);
  assert.equal(readLastBegun(slate), 11);
});

test("the operation that began last is not taken back by an older one that is entered once more", () => {
  const slate = page();
  for (const op of [11, 9, 0]) {
    writeEntry(slate, entry(mainSlot, op));
    clearEntry(slate, mainSlot);
  }
  assert.equal(readLastBegun(slate), 11);
});

test("beats are counted", () => {
  const slate = page();
  for (let i = 0; i < 3; i++) writeBeat(slate);
  assert.equal(readBeat(slate), 3);
});

test("nonsense on the slate gives no entry", () => {
  for (const value of [Number.NaN, Infinity, -Infinity, -5, 0.5, 2 ** 60]) {
    const slate = page();
    slate.fill(value);
    assert.deepEqual(readEntries(slate), [], String(value));
  }
});
