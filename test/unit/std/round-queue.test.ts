// Owners take turns, and the items of each keep their order, whatever is taken out in between.
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

test("an owner whose items were taken out has no turn, and one turn when it comes back", () => {
  const queue = queueOf(1, 1, 2, 3);
  assert.equal(queue.takeOf(1).length, 2);
  assert.deepEqual([queue.has(1), queue.size, queue.peek()?.owner], [false, 2, 2]);
  for (const number of [7, 8]) queue.push({ owner: 1, number });
  assert.deepEqual(drain(queue), [2, 3, 1, 1]);
});

test("as many items as a function has no room for as arguments can be taken out", () => {
  const queue = new RoundQueue<number, Item>(({ owner }) => owner);
  for (let number = 0; number < 200_000; number++) queue.push({ owner: 1, number });
  assert.equal(queue.takeWhere(() => true).length, 200_000);
  assert.equal(queue.size, 0);
});

test("whatever is pushed, taken and removed: nothing is lost, and each owner's items keep their order", () => {
  const random = seededRandom(7);
  const below = (end: number): number => Math.floor(random() * end);
  const queue = queueOf();
  const expected = new Map<number, number[]>();
  for (let number = 0; number < 20_000; number++) {
    const owner = below(5);
    const own = expected.get(owner) ?? [];
    expected.set(owner, own);
    switch (below(6)) {
      case 0: {
        const item = queue.shift();
        if (item !== undefined) assert.equal(item.number, expected.get(item.owner)?.shift());
        break;
      }
      case 1:
        if (below(10) > 0) break;
        assert.deepEqual(
          queue.takeOf(owner).map((item) => item.number),
          own.splice(0),
        );
        break;
      case 2: {
        const item = queue.peek();
        if (item === undefined) break;
        queue.remove(item);
        assert.equal(expected.get(item.owner)?.shift(), item.number);
        break;
      }
      default:
        queue.push({ owner, number });
        own.push(number);
    }
    const waiting = [...expected.values()].reduce((sum, list) => sum + list.length, 0);
    assert.equal(queue.size, waiting);
    assert.equal(queue.has(owner), own.length > 0);
  }
});
