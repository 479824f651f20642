// Items by numbers that only grow.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NumberTable } from "../../../src/std/number-table.ts";

test("NumberTable does what a Map would, also where numbers have the same slot", () => {
  const table = new NumberTable<string>();
  const map = new Map<number, string>();
  let number = 0;
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let step = 0; step < 20_000; step++) {
    if (random(2) === 0 && map.size < 600) {
      number += 1 + random(3);
      table.set(number, `item ${number}`);
      map.set(number, `item ${number}`);
    } else {
      const some = number - random(900);
      assert.equal(table.delete(some), map.delete(some));
    }
    const asked = number - random(900);
    assert.equal(table.get(asked), map.get(asked));
    assert.equal(table.size, map.size);
  }
  assert.deepEqual(
    table.where(() => true),
    [...map.values()],
  );
  const isOdd = (item: string): boolean => Number(item.slice(5)) % 2 === 1;
  assert.deepEqual(table.where(isOdd), [...map.values()].filter(isOdd));
  table.clear();
  assert.deepEqual([table.size, table.where(() => true), table.get(number)], [0, [], undefined]);
});

test("NumberTable replaces the item of a number, wherever it is", () => {
  const table = new NumberTable<string>();
  for (const number of [1, 257, 513]) table.set(number, "first");
  table.delete(1);
  for (const number of [257, 513, 1]) table.set(number, `again ${number}`);
  assert.deepEqual(
    table.where(() => true),
    ["again 1", "again 257", "again 513"],
  );
  assert.equal(table.size, 3);
});
