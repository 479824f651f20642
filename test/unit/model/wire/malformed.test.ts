// A text that encode() did not make is an error of one kind and has no other effect.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { decode } from "../../../../src/model/wire/decode.ts";
import { MalformedError } from "../../../../src/model/wire/malformed.ts";
import { encode } from "../../../../src/model/wire/encode.ts";
import { stopwatch } from "../../../support/machine.ts";

const malformed: readonly string[] = [
  "",
  " ",
  "V",
  "V ",
  "Vnull",
  "V{}",
  "V5",
  'V"a"',
  "V[]",
  "V[0]",
  'V[1,["o"]]',
  'V[0.5,["o"]]',
  'V[1e9,["o"]]',
  "V[-7]",
  "V[-6]",
  "V[null]",
  "V[true]",
  'V["a"]',
  "V[{}]",
  "V[[]]",
  "V[[[1]]]",
  "V[[1,2]]",
  'V[["n",5]]',
  'V[["n","xyz"]]',
  'V[["n",""]]',
  'V[["n","-"]]',
  'V[["n","--1"]]',
  'V[["n"," 1"]]',
  'V[["n","0x1"]]',
  "V[0,5]",
  "V[0,null]",
  "V[0,{}]",
  "V[0,[]]",
  'V[0,["z"]]',
  "V[0,[5]]",
  'V[0,["a",7]]',
  'V[0,["a",null]]',
  'V[0,["o","k"]]',
  'V[0,["o",5,[1]]]',
  'V[0,["o",null,[1]]]',
  'V[0,["m",[1]]]',
  'V[0,["m",[1],-6]]',
  'V[0,["s",-6]]',
  'V[0,["d"]]',
  'V[0,["d","now"]]',
  'V[0,["d",{}]]',
  'V[0,["r","("]]',
  'V[0,["r","(",""]]',
  'V[0,["r","a","uv"]]',
  'V[0,["r","a","x"]]',
  'V[0,["r",5,""]]',
  'V[0,["e"]]',
  'V[0,["e","Error","m"]]',
  'V[0,["e","Error","m","s"]]',
  'V[0,["e","Error","m","s",9]]',
  'V[0,["e",5,"m","s",-6]]',
  'V[0,["b"]]',
  'V[0,["b",5]]',
  'V[0,["b","***"]]',
  'V[0,["b","A"]]',
  'V[0,["t","Uint8Array"]]',
  'V[0,["t","Uint8Array","*"]]',
  'V[0,["t","Uint16Array","AA=="]]',
  'V[0,["t","Object","AA=="]]',
  'V[0,["t","constructor","AA=="]]',
  'V[0,["t","__proto__","AA=="]]',
  'V[0,["t",5,"AA=="]]',
  'V[0,["v"]]',
  'V[0,["v","!"]]',
  'V[0,["w"]]',
  'V[0,["w",5]]',
  'V[0,["w",-9]]',
  "T[]",
  "undefined",
  "NaN",
  "{a:1}",
  "[1,]",
  "\u0000",
  "\ud800",
];

for (const text of malformed) {
  test(`${JSON.stringify(text)} is malformed`, () => {
    assert.throws(() => decode(text), MalformedError);
  });
}

test("a text of any kind is decoded or malformed, and never anything else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.boolean(), (text, isTable) => {
      decodesOrIsMalformed(isTable ? `V${text}` : text);
    }),
    { numRuns: 2_000 },
  );
});

const letters = fc.constantFrom("a", "o", "m", "s", "d", "r", "e", "b", "t", "v", "w", "n", "z");
const part = fc.oneof(
  fc.integer({ min: -8, max: 6 }),
  fc.constantFrom(null, true, "Error", "Uint8Array", "BigInt64Array", "AAAA", "g", "(", "__proto__", ""),
  fc.array(fc.oneof(letters, fc.integer({ min: -8, max: 6 }), fc.string({ maxLength: 3 })), { maxLength: 3 }),
  fc.double(),
);
const item = fc.tuple(letters, fc.array(part, { maxLength: 5 })).map(([letter, parts]) => [letter, ...parts]);

test("a table of any shape is decoded or malformed, and never anything else", () => {
  fc.assert(
    fc.property(
      part,
      fc.array(fc.oneof({ weight: 9, arbitrary: item }, part), { maxLength: 6 }),
      (root, items) => {
        decodesOrIsMalformed(`V${JSON.stringify([root, ...items])}`);
      },
    ),
    { numRuns: 5_000 },
  );
});

test("a text that was cut or changed in one place is decoded or malformed, and never anything else", () => {
  const value = {
    m: new Map([[1n, new Date(0)]]),
    t: new Uint16Array(3),
    e: new Error("x", { cause: /a/g }),
    n: -0,
  };
  const text = encode(value, 10_000);
  for (let at = 0; at < text.length; at++) {
    decodesOrIsMalformed(text.slice(0, at));
    for (const letter of ["0", '"', "[", "]", "-", "\\", "z"])
      decodesOrIsMalformed(text.slice(0, at) + letter + text.slice(at + 1));
  }
});

test("a malformed text is refused in a moment, however long it is", () => {
  const took = stopwatch();
  for (const text of [
    "[".repeat(1_000_000),
    `V[0,["n",${"[".repeat(100_000)}`,
    `V[["n","${"9".repeat(1_000_000)}g"]]`,
  ])
    assert.throws(() => decode(text), MalformedError);
  took.assertWithin(5_000, "it took too long");
});

test("decoding pollutes no prototype and calls no setter", () => {
  // oxlint-disable-next-line no-extend-native -- what a patched prototype could do is what is tested
  Object.defineProperty(Object.prototype, "trap", {
    configurable: true,
    set() {
      assert.fail("an inherited setter was called");
    },
  });
  try {
    const value = decode('V[0,["o","trap",[1],"__proto__",1],["o","polluted",[true]]]') as object;
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.deepEqual(Object.keys(value), ["trap", "__proto__"]);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  } finally {
    delete (Object.prototype as { trap?: unknown }).trap;
  }
});

function decodesOrIsMalformed(text: string): void {
  try {
    decode(text);
  } catch (error) {
    assert.ok(error instanceof MalformedError, `${JSON.stringify(text)} threw ${String(error)}`);
  }
}
