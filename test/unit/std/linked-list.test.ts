// A list from which any item can be taken out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkedList } from "../../../src/std/linked-list.ts";

test("LinkedList keeps the order of adding, whichever items are removed, each once", () => {
  const list = new LinkedList<string>();
  const [a, b, c, d] = ["a", "b", "c", "d"].map((item) => list.add(item));
  assert.deepEqual([[...list], list.size], [["a", "b", "c", "d"], 4]);
  for (const link of [b, b, a]) if (link !== undefined) list.remove(link);
  assert.deepEqual([[...list], list.size], [["c", "d"], 2]);
  if (d !== undefined) list.remove(d);
  list.add("e");
  assert.deepEqual([...list], ["c", "e"]);
  for (const link of [c, a]) if (link !== undefined) list.remove(link);
  assert.deepEqual([[...list], list.size], [["e"], 1]);
});

test("LinkedList begins anew when it was emptied, and what left it leads to nothing", () => {
  const list = new LinkedList<number>();
  const links = [1, 2, 3].map((item) => list.add(item));
  for (const link of links) list.remove(link);
  assert.deepEqual([[...list], list.size], [[], 0]);
  assert.deepEqual(
    links.map((link) => Object.values(link).filter((value) => typeof value === "object")),
    [[], [], []],
  );
  list.add(4);
  assert.deepEqual([...list], [4]);
});
