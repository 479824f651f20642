// A table of options refuses what it does not know, completes what was left out, and can be read as data.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { InvalidOptionsError } from "../../../src/model/errors.ts";
import {
  at,
  boolean,
  either,
  fields,
  func,
  integer,
  list,
  names,
  number,
  oneOf,
  optional,
  readGiven,
  required,
  someOf,
  text,
  unread,
  type Read,
  type Schema,
} from "../../../src/model/schema.ts";
import { labelsOption } from "../../../src/model/sandboxes/labels.ts";
import type { Equal, Expect } from "../../types/expect.ts";

const table = fields({
  count: integer({ min: 1, max: 64, default: 2 }),
  seed: integer({ min: 0, max: 9 }),
  isOn: boolean(false),
  mode: either(["fast", "slow"], "fast"),
  inner: at("inner", fields({ name: text({ max: 3, default: "abc" }) })),
});

type Checks = [
  Expect<
    Equal<
      Read<typeof table>,
      {
        readonly count: number;
        readonly seed: number | undefined;
        readonly isOn: boolean;
        readonly mode: "fast" | "slow";
        readonly inner: { readonly name: string };
      }
    >
  >,
];

function refusalOf(act: () => unknown): InvalidOptionsError {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof InvalidOptionsError, String(error));
    return error;
  }
  assert.fail("nothing was thrown");
}

test("fields() completes what was left out, into an object that cannot be changed", () => {
  const complete = { count: 2, seed: undefined, isOn: false, mode: "fast", inner: { name: "abc" } };
  for (const given of [undefined, {}, { count: undefined }])
    assert.deepEqual(table.read(given, "o"), complete);
  const read: Checks extends never ? never : Read<typeof table> = table.read({ count: 64 }, "o");
  assert.equal(read.count, 64);
  assert.ok(Object.isFrozen(read) && Object.isFrozen(read.inner));
});

test("fields() refuses other names and what is no object, by path", () => {
  const unknown = refusalOf(() => table.read({ x: 1 }, "cells"));
  assert.equal(unknown.option, "cells.x");
  assert.equal(
    unknown.message,
    'Cannot use cells as its options must be among count, seed, isOn, mode, inner: got "x"',
  );
  for (const value of [null, 5, "a", [], () => 1])
    assert.equal(refusalOf(() => table.read(value, "cells")).option, "cells");
  assert.equal(refusalOf(() => table.read({ inner: { x: 1 } }, "cells")).option, "inner.x");
});

test("fields() is data: bounds, defaults and kinds can be read from it", () => {
  const { kind, min, max, default: usual, rule } = table.fields.count;
  assert.deepEqual([kind, min, max, usual, rule], ["integer", 1, 64, 2, "1–64"]);
  assert.deepEqual(table.fields.mode.words, ["fast", "slow"]);
  assert.deepEqual(table.names, ["count", "seed", "isOn", "mode", "inner"]);
  assert.equal(table.fields.inner.fields.name.max, 3);
});

test("fields() lets its caller say what the error of a mistake is", () => {
  const refuse = ({ path, rule }: { path: string; rule: string }): Error =>
    new RangeError(`${path}: ${rule}`);
  assert.throws(() => table.read({ isOn: 1 }, "o", refuse), new RangeError("o.isOn: true or false"));
  assert.throws(() => table.read({ inner: { name: 1 } }, "o", refuse), RangeError);
});

test("readGiven() answers the caller's own object, and refuses as fields() does", () => {
  const given = { count: "not read yet" };
  assert.equal(readGiven(given, "o", table.names), given);
  assert.equal(refusalOf(() => readGiven({ x: 1 }, "o", table.names)).option, "o.x");
  assert.equal(refusalOf(() => readGiven(null, "o", table.names)).option, "o");
});

suite("one value", () => {
  const rows: readonly (readonly [Schema<unknown>, readonly unknown[], readonly unknown[], string])[] = [
    [integer({ min: 1, max: 64 }), [1, 64], [0, 65, 1.5, NaN, "5", null, 5n], "set p as it must be 1–64"],
    [number({ min: 0 }), [0, 0.5, Infinity], [-1, NaN, "1"], "set p as it must be a number of at least 0"],
    [number({ isFinite: true }), [-1], [Infinity, NaN], "set p as it must be a finite number"],
    [boolean(), [true, false], [0, "yes", null], "set p as it must be true or false"],
    [text(), ["a"], ["", 5], "use p as it must be a text"],
    [text({ max: 2 }), ["ab"], ["", "abc"], "set p as it must be a text of 1–2 characters"],
    [oneOf(["a", "b", "c"]), ["a"], ["d", ["a"]], "use p as it must be among a, b, c"],
    [either(["a", "b"]), ["b"], ["c"], "set p as it must be a or b"],
    [someOf(["a", "b"]), ["a", ["a", "b"], []], ["c", ["a", "c"]], "use p as it must be among a, b"],
    [func(), [() => 1], ["f", {}], "use p as it must be a function"],
    [names, [["a"], []], ["a", [5]], "set p as it must be a list of names"],
    [optional(list(unread)), [[1]], [{}, "a"], "use p as it must be a list"],
    [labelsOption, [{ a: "b" }], ["a", [1]], "use p as it must be an object of texts"],
  ];
  for (const [schema, good, bad, rule] of rows) {
    test(`Cannot ${rule}`, () => {
      for (const value of good) assert.deepEqual(schema.read(value, "p"), value);
      for (const value of bad) {
        const { message, option } = refusalOf(() => schema.read(value, "p"));
        assert.ok(message.startsWith(`Cannot ${rule}: got `), message);
        assert.equal(option, "p");
      }
    });
  }

  test("may be left out, unless it is required", () => {
    assert.equal(boolean().read(undefined, "p"), undefined);
    assert.equal(refusalOf(() => required(boolean()).read(undefined, "p")).option, "p");
  });

  test("in a list or among labels is refused by its own place", () => {
    const filled = list(required(text()), { isFilled: true });
    assert.equal(refusalOf(() => filled.read(["a", 5], "p")).option, "p[1]");
    assert.match(refusalOf(() => filled.read([], "p")).message, /must not be empty/);
    assert.equal(refusalOf(() => labelsOption.read({ a: 5 }, "p")).option, "p.a");
  });
});
