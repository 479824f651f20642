// First in, first out, and what is taken from the middle leaves the rest in order.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Queue } from "../../../src/std/queue.ts";
import { stopwatch } from "../../support/machine.ts";

function drained<T>(queue: Queue<T>): T[] {
  const items: T[] = [];
  while (queue.size > 0) items.push(queue.shift() as T);
  return items;
}

test("Queue gives back what was pushed, in order, and nothing when it is empty", () => {
  const queue = new Queue<number>();
  assert.deepEqual([queue.size, queue.peek(), queue.shift()], [0, undefined, undefined]);
  for (const n of [1, 2, 3]) queue.push(n);
  assert.deepEqual([queue.size, queue.peek(), queue.shift(), queue.size], [3, 1, 1, 2]);
  assert.deepEqual(drained(queue), [2, 3]);
  assert.equal(queue.shift(), undefined);
});

test("Queue behaves as a list does, whatever is done to it", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("push" as const), n: fc.integer() }),
    fc.record({ do: fc.constant("shift" as const) }),
    fc.record({ do: fc.constant("take" as const), modulo: fc.integer({ min: 1, max: 4 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new Queue<number>();
      let list: number[] = [];
      for (const each of steps) {
        if (each.do === "push") {
          queue.push(each.n);
          list.push(each.n);
        } else if (each.do === "shift") assert.equal(queue.shift(), list.shift());
        else {
          const isTaken = (n: number): boolean => n % each.modulo === 0;
          assert.deepEqual(queue.takeWhere(isTaken), list.filter(isTaken));
          list = list.filter((n) => !isTaken(n));
        }
        assert.deepEqual([queue.size, queue.peek()], [list.length, list[0]]);
      }
      assert.deepEqual(drained(queue), list);
    }),
  );
});

test("Queue takes a hundred thousand items in and out in a moment", () => {
  const took = stopwatch();
  const queue = new Queue<number>();
  for (let n = 0; n < 100_000; n++) queue.push(n);
  for (let n = 0; n < 100_000; n++) assert.equal(queue.shift(), n);
  took.assertWithin(5_000, "it took too long");
});

test("Queue does what an array would, filled and emptied again and again, long or short", () => {
  const queue = new Queue<number>();
  let plain: number[] = [];
  let next = 0;
  for (const [pushed, shifted] of [
    [3, 1],
    [1, 4],
    [5_000, 3_000],
    [10, 2_500],
    [2, 2],
    [1, 0],
  ] as const) {
    for (let n = 0; n < pushed; n++) {
      queue.push(++next);
      plain.push(next);
    }
    for (let n = 0; n < shifted; n++) {
      assert.equal(queue.peek(), plain[0]);
      assert.equal(queue.shift(), plain.shift());
    }
    assert.deepEqual([[...queue], queue.size], [plain, plain.length]);
    assert.deepEqual(
      queue.takeWhere((item) => item % 3 === 0),
      plain.filter((item) => item % 3 === 0),
    );
    plain = plain.filter((item) => item % 3 !== 0);
  }
  while (queue.size > 0) queue.shift();
  assert.deepEqual([queue.shift(), queue.peek(), [...queue]], [undefined, undefined, []]);
});
