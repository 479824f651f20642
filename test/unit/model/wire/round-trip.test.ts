// Any value made of data is the same after encoding and decoding.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { decode } from "../../../../src/model/wire/decode.ts";
import { encode, Refusal } from "../../../../src/model/wire/encode.ts";

const bytesMax = 2 ** 20;

const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom<unknown>(null, undefined, -0),
  fc
    .date({ noInvalidDate: false })
    .map((date) => date.getTime())
    .map((ms) => new Date(ms)),
  fc.uint8Array({ maxLength: 20 }),
  fc.float64Array({ maxLength: 5 }),
  fc.bigInt64Array({ maxLength: 5 }),
);

const { value: anyData } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.sparseArray(tie("value"), { maxLength: 6, maxNumElements: 3 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 5, noNullPrototype: true }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
  ),
}));

test("any data is the same after encoding and decoding", () => {
  fc.assert(
    fc.property(anyData, (value) => assert.deepStrictEqual(decode(encode(value, bytesMax)), value)),
    { numRuns: 1_500 },
  );
});

test("any data comes back with its shared parts shared", () => {
  fc.assert(
    fc.property(fc.object(), anyData, (shared, other) => {
      const [first, , second] = decode(encode([shared, other, { shared }], bytesMax)) as [
        object,
        unknown,
        { shared: object },
      ];
      assert.equal(first, second.shared);
    }),
    { numRuns: 300 },
  );
});

test("any text is within its bound or refused for its size, counted in bytes of UTF-8", () => {
  fc.assert(
    fc.property(anyData, fc.integer({ min: 1, max: 200 }), (value, bound) => {
      const whole = Buffer.byteLength(encode(value, bytesMax));
      try {
        assert.equal(Buffer.byteLength(encode(value, bound)), whole);
        assert.ok(whole <= bound);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        assert.equal(error.reason, "size");
        assert.ok(whole > bound, `${whole} bytes were refused where ${bound} are allowed`);
      }
    }),
    { numRuns: 1_500 },
  );
});

test("any value with a part that is no data is refused", () => {
  fc.assert(
    fc.property(
      anyData,
      fc.constantFrom(() => 1, Symbol("s"), Promise.resolve()),
      (value, part) => {
        assert.throws(() => encode({ value, list: [part] }, bytesMax), Refusal);
      },
    ),
    { numRuns: 300 },
  );
});
