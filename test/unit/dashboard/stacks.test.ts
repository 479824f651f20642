// Stacks of guests: which lines name a place in the source of the sandbox.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stackLines, thrownChain } from "../../../dashboard/src/views/sandboxes/stacks.ts";

const isModule = (name: string): boolean => ["main", "lib/shop.ts", "a b"].includes(name);
const placesOf = (stack: string): readonly unknown[] => stackLines(stack, isModule).map(({ place }) => place);

test("frames with and without a function name a place", () => {
  assert.deepEqual(
    placesOf("TypeError: no\n    at total (main:12:16)\n    at main:3:1\n    at async lib/shop.ts:7:9"),
    [
      null,
      { module: "main", line: 12, column: 16 },
      { module: "main", line: 3, column: 1 },
      { module: "lib/shop.ts", line: 7, column: 9 },
    ],
  );
});

test("a method with brackets in its name names its place", () => {
  assert.deepEqual(placesOf("    at new Shop [as made] (main:1:2)"), [
    { module: "main", line: 1, column: 2 },
  ]);
});

test("lines of a message, of other modules and of no place name none", () => {
  assert.deepEqual(placesOf("see main:1:2\n    at f (other:1:2)\n    at <anonymous>\n    at f (native)"), [
    null,
    null,
    null,
    null,
  ]);
});

test("a stack of any length is read in little time, and cut", () => {
  const long = `at ${"(".repeat(500_000)}main:1:1`;
  const many = "    at f (main:1:1)\n".repeat(100_000);
  assert.deepEqual(placesOf(long), [null]);
  assert.equal(stackLines(many, isModule).length, 201);
  assert.equal(stackLines(`at ${"a:".repeat(450)}`, isModule)[0]?.place, null);
});

test("causes and joined errors follow what was thrown, within a bound", () => {
  const cause = { name: "RangeError", message: "b", stack: "" };
  const thrown = {
    name: "Error",
    message: "a",
    stack: "",
    cause,
    errors: Array.from({ length: 100 }, () => cause),
  };
  const chain = thrownChain(thrown);
  assert.equal(chain.length, 8);
  assert.deepEqual(chain[0], { how: "", thrown });
  assert.deepEqual(chain[1], { how: "Caused by", thrown: cause });
});
