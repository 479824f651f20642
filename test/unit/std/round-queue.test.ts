// Owners take turns, and the items of each keep their order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RoundQueue } from "../../../src/std/round-queue.ts";
import { seededRandom } from "../../../src/std/random.ts";

interface Item {
  readonly owner: number;
  readonly number: number;
}

const queueOf = (...owners: number[]): RoundQueue<number, Item> => {
  const queue = new RoundQueue<number, Item>(({ owner }) => owner);
  for (const [number, owner] of owners.entries()) queue.push({ owner, number });
  return queue;
};

const drain = (queue: RoundQueue<number, Item>): number[] => {
  const owners: number[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) owners.push(item.owner);
  return owners;
};

test("owners take turns; one that comes anew is last", () => {
  const queue = queueOf(1, 1, 1, 2, 2);
  assert.equal(queue.shift()?.owner, 1);
  queue.push({ owner: 3, number: 9 });
  assert.deepEqual([queue.size, drain(queue), queue.size], [5, [2, 1, 3, 2, 1], 0]);
});

test("whatever is pushed and taken: nothing is lost, and each owner's items keep their order", () => {
  const random = seededRandom(7);
  const below = (end: number): number => Math.floor(random() * end);
  const queue = queueOf();
  const expected = new Map<number, number[]>();
  for (let number = 0; number < 20_000; number++) {
    const owner = below(5);
    const own = expected.get(owner) ?? [];
    expected.set(owner, own);
    if (below(3) === 0) {
      const next = queue.peek();
      const item = queue.shift();
      assert.equal(item, next);
      if (item !== undefined) assert.equal(item.number, expected.get(item.owner)?.shift());
    } else {
      queue.push({ owner, number });
      own.push(number);
    }
    const waiting = [...expected.values()].reduce((sum, list) => sum + list.length, 0);
    assert.equal(queue.size, waiting);
  }
});
