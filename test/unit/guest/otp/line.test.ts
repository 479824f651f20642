// The queue of processes that wait for a turn, and of receivers that wait for a message.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Line, type Linked } from "../../../../src/guest/otp/line.ts";

interface Item extends Linked<Item> {
  readonly name: string;
}

const item = (name: string): Item => ({ name, next: undefined });

function lineOf(...names: readonly string[]): Line<Item> {
  const line = new Line<Item>();
  for (const name of names) line.push(item(name));
  return line;
}

/** Empties the line. */
function namesIn(line: Line<Item>): string[] {
  const names: string[] = [];
  for (let next = line.shift(); next !== undefined; next = line.shift()) names.push(next.name);
  return names;
}

test("Line gives items in the order in which they came, and counts them", () => {
  const line = lineOf("a", "b");
  assert.equal(line.shift()?.name, "a");
  line.push(item("c"));
  assert.deepEqual(
    [line.shift()?.name, line.shift()?.name, line.shift(), line.size],
    ["b", "c", undefined, 0],
  );
});

test("Line takes the same item again after it was given, without what stood behind it", () => {
  const line = lineOf("a", "b");
  const first = line.shift() as Item;
  assert.equal(first.next, undefined);
  line.push(first);
  assert.deepEqual(namesIn(line), ["b", "a"]);
});

test("Line.take takes out the first, one between and the last, and leaves the others in their order", () => {
  for (const [wanted, rest] of [
    ["a", ["b", "c"]],
    ["b", ["a", "c"]],
    ["c", ["a", "b"]],
  ] as const) {
    const line = lineOf("a", "b", "c");
    assert.equal(line.take(({ name }) => name === wanted)?.name, wanted);
    line.push(item("d"));
    assert.equal(line.size, 3);
    assert.deepEqual(namesIn(line), [...rest, "d"]);
  }
  assert.equal(
    lineOf("a").take(() => false),
    undefined,
  );
});

test("Line.take goes on to the items behind one that was taken out while it was looked at", () => {
  const line = lineOf("a", "b", "c");
  const taken = line.take(({ name }) => {
    if (name === "a") line.take((other) => other.name === "a");
    return name === "c";
  });
  assert.equal(taken?.name, "c");
  line.push(item("d"));
  assert.deepEqual(namesIn(line), ["b", "d"]);
});
