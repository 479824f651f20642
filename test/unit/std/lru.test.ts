// The cache holds what was used lately, within its weight.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Lru } from "../../../src/std/lru.ts";

test("Lru drops the least recently used entry when the weight is over its bound", () => {
  const cache = new Lru<string>(3);
  cache.set("a", "A", 1);
  cache.set("b", "B", 1);
  cache.set("c", "C", 1);
  assert.equal(cache.get("a"), "A");
  cache.set("d", "D", 1);
  assert.equal(cache.get("b"), undefined);
  assert.deepEqual([cache.get("a"), cache.get("c"), cache.get("d")], ["A", "C", "D"]);
  assert.equal(cache.weight, 3);
});

test("Lru does not store a value that is heavier than the whole cache", () => {
  const cache = new Lru<string>(3);
  cache.set("a", "A", 1);
  cache.set("huge", "H", 4);
  assert.equal(cache.get("huge"), undefined);
  assert.equal(cache.get("a"), "A");
});
