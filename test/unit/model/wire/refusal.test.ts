// What is not data does not cross: it is refused, with the path to the part that cannot.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode, Refusal } from "../../../../src/model/wire/encode.ts";
import { utf8Length } from "../../../../src/model/wire/lengths.ts";
import { stopwatch } from "../../../support/machine.ts";

const MiB = 2 ** 20;

function refusalOf(value: unknown, bytesMax: number = MiB): Refusal {
  try {
    encode(value, bytesMax);
  } catch (error) {
    assert.ok(error instanceof Refusal, `threw ${String(error)}`);
    return error;
  }
  assert.fail("it was not refused");
}

function detached(): ArrayBuffer {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

const refused: Readonly<Record<string, unknown>> = {
  "a function": () => 1,
  "a function that is a class": class Named {
    field = 1;
  },
  "a symbol": Symbol("s"),
  "a symbol that is boxed": Object(Symbol("s")),
  "a promise": Promise.resolve(1),
  "a WeakMap": new WeakMap(),
  "a WeakSet": new WeakSet(),
  "a WeakRef": new WeakRef({}),
  "shared memory": new SharedArrayBuffer(8),
  "a generator": (function* () {})(),
  "an async generator": (async function* () {})(),
  "a buffer that was given away": detached(),
};

for (const [name, value] of Object.entries(refused)) {
  test(`${name} is refused as the whole value, and named`, () => {
    const refusal = refusalOf(value);
    assert.deepEqual({ reason: refusal.reason, path: refusal.path }, { reason: "kind", path: "" });
    assert.ok(name.startsWith(refusal.what), `${name} was called ${refusal.what}`);
  });

  test(`${name} is refused inside another value, with the path to it`, () => {
    assert.equal(refusalOf({ a: [1, { b: value }] }).path, ".a[1].b");
    assert.equal(refusalOf([[], [value]]).path, "[1][0]");
    assert.equal(refusalOf(new Map([["k", [value]]])).path, ".(value)[0]");
    assert.equal(refusalOf(new Map([[value, 1]])).path, ".(key)");
    assert.equal(refusalOf({ s: new Set([value]) }).path, ".s.(item)");
    assert.equal(refusalOf(new Error("e", { cause: { value } })).path, ".cause.value");
  });
}

test("a view of a buffer that was transferred is refused", () => {
  for (const view of [new Uint8Array(8), new DataView(new ArrayBuffer(8))]) {
    structuredClone(view.buffer, { transfer: [view.buffer] });
    assert.equal(refusalOf({ view }).reason, "kind");
  }
});

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = wrap(value);
  return value;
}

test("a value may be nested 201 levels deep and no deeper, whatever it is made of", () => {
  const wraps: readonly ((inner: unknown) => unknown)[] = [
    (inner) => [inner],
    (inner) => ({ a: inner }),
    (inner) => new Set([inner]),
    (inner) => new Map([[1, inner]]),
  ];
  for (const wrap of wraps) {
    assert.ok(encode(nested(201, wrap), MiB).length > 0);
    assert.equal(refusalOf(nested(202, wrap)).reason, "depth");
  }
});

test("a value that is nested without an end of its own is refused and does not overflow the stack", () => {
  assert.equal(refusalOf(nested(100_000, (inner) => [inner])).reason, "depth");
});

// Each of these has exactly the given number of bytes when it is encoded.
const sized: Readonly<Record<string, (bytes: number) => unknown>> = {
  "a text": (bytes) => "x".repeat(bytes - 2),
  "a text of two-byte letters": (bytes) => "é".repeat((bytes - 2) / 2),
  "a text of three-byte letters and one more": (bytes) =>
    "日".repeat(Math.floor((bytes - 2) / 3)) + "x".repeat((bytes - 2) % 3),
  "a text of four-byte letters": (bytes) =>
    "😀".repeat(Math.floor((bytes - 2) / 4)) + "x".repeat((bytes - 2) % 4),
  "a text of escapes": (bytes) => "\n".repeat((bytes - 2) / 2),
  "a list of digits and a text": (bytes) => [
    ...Array.from({ length: 100 }, () => 1),
    "x".repeat(bytes - 204),
  ],
  "a list with one number": (bytes) => [Number("1".repeat(5)), "x".repeat(bytes - 10)],
  "an object with a number last": (bytes) => ({ ["k".repeat(bytes - 6)]: 1 }),
  "an object in an object": (bytes) => ({ a: { ["k".repeat(bytes - 12)]: 1 } }),
  "a Map": (bytes) => new Map([["k", "x".repeat(bytes - 21)]]),
  "a bigint": (bytes) => 16n ** BigInt(bytes - 11),
  "an ArrayBuffer": (bytes) => new ArrayBuffer(((bytes - 13) / 4) * 3),
};

for (const [name, make] of Object.entries(sized)) {
  test(`${name} crosses when it takes exactly the bytes that are allowed, and not when it takes one more`, () => {
    const probe = make(name === "an ArrayBuffer" ? 1_013 : 1_024);
    const bytes = Buffer.byteLength(encode(probe, MiB));
    assert.ok(bytes >= 1_000, `${bytes} bytes`);
    assert.equal(Buffer.byteLength(encode(probe, bytes)), bytes);
    assert.equal(refusalOf(probe, bytes - 1).reason, "size");
  });
}

test("a list of a huge length is refused before its holes are counted", () => {
  const list: unknown[] = [];
  list.length = 2 ** 32 - 1;
  const took = stopwatch();
  assert.equal(refusalOf(list).reason, "size");
  assert.equal(refusalOf({ list }).path, ".list");
  took.assertWithin(1_000, "it took too long");
});

test("a long value is refused without being encoded first", () => {
  const shared = "x".repeat(2 ** 20);
  const list = Array.from({ length: 4_000 }, () => shared);
  assert.equal(refusalOf(list, 2_048).reason, "size");
  assert.equal(refusalOf([...list, 1n], 2_048).reason, "size");
});

test("utf8Length() counts the bytes of any well-formed text", () => {
  for (const text of ["", "a", "é", "日", "😀", "aé日😀", "\u07ff\u0800\uffff"])
    assert.equal(utf8Length(text), Buffer.byteLength(text), text);
});
