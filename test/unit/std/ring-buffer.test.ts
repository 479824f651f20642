// The newest items stay, up to their weight, and what was dropped is counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RingBuffer } from "../../../src/std/ring-buffer.ts";

const ofTexts = (weightMax: number): RingBuffer<string> => new RingBuffer(weightMax, (text) => text.length);

test("RingBuffer keeps items up to exactly its weight and drops the oldest for one more", () => {
  const buffer = ofTexts(6);
  for (const text of ["aa", "bb", "cc"]) buffer.push(text);
  assert.deepEqual([buffer.toArray(), buffer.weight, buffer.dropped], [["aa", "bb", "cc"], 6, 0]);
  buffer.push("d");
  assert.deepEqual([buffer.toArray(), buffer.weight, buffer.dropped], [["bb", "cc", "d"], 5, 1]);
});

test("RingBuffer holds nothing of an item that is heavier than its bound", () => {
  const buffer = ofTexts(3);
  buffer.push("a");
  buffer.push("toolong");
  assert.deepEqual([buffer.toArray(), buffer.weight, buffer.dropped], [[], 0, 2]);
  buffer.push("b");
  assert.deepEqual(buffer.toArray(), ["b"]);
});

test("RingBuffer with a bound of 0 holds only items without weight", () => {
  const buffer = ofTexts(0);
  buffer.push("a");
  buffer.push("");
  assert.deepEqual(buffer.toArray(), [""]);
});

test("RingBuffer drops at once what no longer fits when its bound is lowered, and takes more when it is raised", () => {
  const buffer = ofTexts(10);
  for (const text of ["aaa", "bbb", "ccc"]) buffer.push(text);
  buffer.resize(6);
  assert.deepEqual(buffer.toArray(), ["bbb", "ccc"]);
  buffer.resize(9);
  buffer.push("ddd");
  assert.deepEqual(buffer.toArray(), ["bbb", "ccc", "ddd"]);
});

test("RingBuffer stays within its bound over many items, with the newest last", () => {
  const buffer = ofTexts(100);
  for (let n = 0; n < 10_000; n++) {
    buffer.push(String(n));
    assert.ok(buffer.weight <= 100);
  }
  const kept = buffer.toArray();
  assert.equal(kept.at(-1), "9999");
  assert.equal(kept.length + buffer.dropped, 10_000);
  assert.deepEqual(
    kept,
    Array.from({ length: kept.length }, (_, index) => String(10_000 - kept.length + index)),
  );
});
