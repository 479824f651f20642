// Every kind of data crosses the boundary unchanged, each with its oddities.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../../../../src/model/wire/decode.ts";
import { encode, Refusal } from "../../../../src/model/wire/encode.ts";

const MiB = 2 ** 20;
const cross = <T>(value: T): T => decode(encode(value, MiB, "kept")) as T;

const sparse = [1, , 3, ,]; // oxlint-disable-line no-sparse-arrays -- holes are what is tested
const holes: unknown[] = [];
holes.length = 3;
const ownProto = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}') as object;

const equalValues: Readonly<Record<string, unknown>> = {
  null: null,
  undefined,
  true: true,
  false: false,
  zero: 0,
  "minus zero": -0,
  NaN: Number.NaN,
  Infinity,
  "minus Infinity": -Infinity,
  "the largest number": Number.MAX_VALUE,
  "the smallest number": Number.MIN_VALUE,
  "a fraction": 0.1,
  "a negative number": -5,
  "a bigint": 12345678901234567890n,
  "a bigint of zero": 0n,
  "a negative bigint": -(2n ** 200n),
  "an empty text": "",
  "a text with quotes, newlines and NUL": 'a"b\\c\n\r\t\0\u2028\u2029',
  "a text that begins like a table": 'V[0,["o"]]',
  "an emoji": "😀",
  "a lone high surrogate": "a\ud800b",
  "a lone low surrogate": "\udc00",
  "an empty object": {},
  "an empty list": [],
  "a tree of plain data": { a: [1, "two", { b: null, c: [true, []] }], "": 5, "a b": -1.5 },
  "an object whose parts JSON would drop": { a: undefined, b: Number.NaN, c: -0, d: 5n },
  "a list with undefined": [undefined, 1, undefined],
  "a sparse list": sparse,
  "a list of nothing but holes": holes,
  "an own __proto__ key": ownProto,
  "keys that look like an object's own": {
    constructor: 1,
    toString: 2,
    hasOwnProperty: 3,
    length: 4,
  },
  "keys in the order in which they were set": { z: 1, a: 2, m: 3 },
  "a Map": new Map<unknown, unknown>([
    ["a", 1],
    [2, new Map([[Number.NaN, -0]])],
    [{ k: 1 }, [undefined]],
  ]),
  "an empty Map": new Map(),
  "a Set": new Set<unknown>([1, "1", new Set([2n]), undefined]),
  "a Date": new Date(1_234_567_890_123),
  "a Date before the epoch": new Date(-1),
  "a Date of the largest time": new Date(8.64e15),
  "a RegExp": /a(?<b>[/\\"]+)\n/giu,
  "a RegExp with every flag but u": /x/dgimsvy,
  "an ArrayBuffer": new Uint8Array([0, 1, 127, 128, 255]).buffer,
  "an empty ArrayBuffer": new ArrayBuffer(0),
  "boxed primitives": [Object(5), Object(-0), Object(Number.NaN), Object("x"), Object(true), Object(7n)],
};

for (const [name, value] of Object.entries(equalValues)) {
  test(`${name} crosses as it is`, () => assert.deepStrictEqual(cross(value), value));
  test(`${name} crosses as it is inside another value`, () =>
    assert.deepStrictEqual(cross({ deep: [value, new Map([["k", value]])] }), {
      deep: [value, new Map([["k", value]])],
    }));
}

test("undefined is one short text, and is refused where not even that is allowed", () => {
  assert.equal(encode(undefined, 5), "V[-1]");
  assert.throws(() => encode(undefined, 4), Refusal);
});

test("a number that JSON lacks is kept among many that it has, in a list and in an object", () => {
  for (const odd of [-0, Number.NaN, Infinity, -Infinity]) {
    const list = [...Array.from({ length: 100 }, (_, i) => i / 7), odd, 5, "text", true, null];
    assert.deepStrictEqual(cross(list), list);
    assert.deepStrictEqual(cross({ list, a: 1, odd, b: "text" }), { list, a: 1, odd, b: "text" });
  }
});

test("a Date without a time crosses as one without a time", () => {
  const [date] = cross([new Date(Number.NaN)]);
  assert.ok(date instanceof Date);
  assert.ok(Number.isNaN(date.getTime()));
});

const typedArrays = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float16Array,
  Float32Array,
  Float64Array,
] as const;

for (const TypedArray of typedArrays) {
  test(`a ${TypedArray.name} crosses with its class and its items`, () => {
    const array = TypedArray.from([0, 1, 2, 100]);
    const crossed = cross(array);
    assert.equal(crossed.constructor, TypedArray);
    assert.deepStrictEqual([...crossed], [0, 1, 2, 100]);
    assert.equal(cross(new TypedArray(0)).length, 0);
  });
}

for (const TypedArray of [BigInt64Array, BigUint64Array] as const) {
  test(`a ${TypedArray.name} crosses with its class and its items`, () => {
    const crossed = cross(TypedArray.from([0n, 1n, 2n ** 62n]));
    assert.equal(crossed.constructor, TypedArray);
    assert.deepStrictEqual([...crossed], [0n, 1n, 2n ** 62n]);
  });
}

test("a view of a part of a buffer crosses as that part alone", () => {
  const buffer = new Uint8Array([9, 9, 1, 2, 3, 9]).buffer;
  const bytes = cross(new Uint8Array(buffer, 2, 3));
  assert.deepStrictEqual([...bytes], [1, 2, 3]);
  assert.equal(bytes.buffer.byteLength, 3);
  const view = cross(new DataView(buffer, 2, 3));
  assert.ok(view instanceof DataView);
  assert.deepStrictEqual([view.byteLength, view.getUint8(0), view.buffer.byteLength], [3, 1, 3]);
});

for (const ErrorClass of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
  test(`a ${ErrorClass.name} crosses with class, message, stack and cause`, () => {
    const error = new ErrorClass("no", { cause: { code: 5, at: new Date(1) } });
    const crossed = cross(error);
    assert.ok(crossed instanceof ErrorClass);
    assert.equal(crossed.name, error.name);
    assert.equal(crossed.message, "no");
    assert.equal(crossed.stack, error.stack);
    assert.deepStrictEqual(crossed.cause, { code: 5, at: new Date(1) });
    assert.deepStrictEqual(Object.keys(crossed), []);
  });
}

test("an Error without a cause crosses without one, and one whose cause is undefined with it", () => {
  assert.equal(Object.hasOwn(cross(new Error("a")), "cause"), false);
  assert.equal(Object.hasOwn(cross(new Error("a", { cause: undefined })), "cause"), true);
});

test("an Error of the user's own class crosses as an Error of that name", () => {
  class OddError extends Error {
    override name = "OddError";
  }
  const crossed = cross(new OddError("odd"));
  assert.ok(crossed instanceof Error);
  assert.deepStrictEqual([crossed.name, crossed.message], ["OddError", "odd"]);
});

test("causes may form a chain and a circle", () => {
  const inner = new Error("inner");
  const outer = new TypeError("outer", { cause: inner });
  inner.cause = outer;
  const crossed = cross(outer);
  assert.equal((crossed.cause as Error).cause, crossed);
});

test("cycles close on the other side", () => {
  const value: Record<string, unknown> = { list: [], map: new Map(), set: new Set() };
  value["self"] = value;
  (value["list"] as unknown[]).push(value);
  (value["map"] as Map<unknown, unknown>).set(value, value);
  (value["set"] as Set<unknown>).add(value);
  const crossed = cross(value);
  assert.equal(crossed["self"], crossed);
  assert.equal((crossed["list"] as unknown[])[0], crossed);
  assert.equal((crossed["map"] as Map<unknown, unknown>).get(crossed), crossed);
  assert.ok((crossed["set"] as Set<unknown>).has(crossed));
});

test("an object that is referred to twice is one object on the other side too", () => {
  const shared = { n: 1 };
  const crossed = cross({ a: shared, b: [shared], c: new Map([["k", shared]]) });
  assert.equal(crossed.a, crossed.b[0]);
  assert.equal(crossed.a, crossed.c.get("k"));
  const date = new Date(5);
  const [first, second] = cross([date, date]);
  assert.equal(first, second);
});

test("an own __proto__ key stays data and changes no prototype", () => {
  for (const value of [ownProto, { twice: [ownProto, ownProto] }, { odd: 1n, own: ownProto }]) {
    const text = JSON.stringify(cross(value), (_, part: unknown) => (typeof part === "bigint" ? "1n" : part));
    assert.match(text, /"__proto__":\{"polluted":true\}/);
  }
  assert.equal(Object.getPrototypeOf(cross(ownProto)), Object.prototype);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test("a class instance and an object without prototype cross as their own enumerable properties", () => {
  class Point {
    x = 1;
    #hidden = 2;
    get sum(): number {
      return this.x + this.#hidden;
    }
  }
  assert.deepStrictEqual(cross(new Point()), { x: 1 } as unknown as Point);
  assert.deepStrictEqual(cross(Object.assign(Object.create(null) as object, { a: 5n })), { a: 5n });
});

test("a subclass of a kind crosses as the kind, and an impostor as a plain object", () => {
  class Table extends Map<string, number> {}
  assert.deepStrictEqual(cross(new Table([["a", 1]])), new Map([["a", 1]]));
  for (const prototype of [
    Map.prototype,
    Date.prototype,
    RegExp.prototype,
    Uint8Array.prototype,
    Number.prototype,
  ])
    assert.deepStrictEqual(cross([Object.assign(Object.create(prototype) as object, { a: 1n })]), [
      { a: 1n },
    ]);
});

test("an object with a toJSON of its own crosses as it is, not as what toJSON returns", () => {
  const crossed = cross({ a: 1, nested: { toJSON: 5, b: 2 } });
  assert.deepStrictEqual(crossed, { a: 1, nested: { toJSON: 5, b: 2 } });
});

test("symbol keys and properties that are not enumerable stay behind", () => {
  const value = { a: 1, [Symbol("s")]: 2 };
  Object.defineProperty(value, "hidden", { value: 3, enumerable: false });
  assert.deepStrictEqual(Reflect.ownKeys(cross(value)), ["a"]);
});
