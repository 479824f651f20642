// The keys of a table as one number each, in the same order, so that a place behind damaged pages can be searched for by
// halving although nobody knows which keys there are.
import type { KeyKind, Value } from "./tables.ts";

/** How many characters of a text count: keys that differ only behind them are one place. */
const textLengthMax = 128;
const characterBits = 21n;
const codePointMax = 0x10_ff_ff;
const surrogates = { first: 0xd8_00, behind: 0xe0_00 };
const hashBytes = 32;

const bits: Readonly<Record<KeyKind, bigint>> = {
  integer: 63n,
  text: BigInt(textLengthMax) * characterBits,
  hash: BigInt(hashBytes * 8),
};

export class KeySpace {
  readonly #kinds: readonly KeyKind[];
  /** How many bits a number of this space has. */
  readonly width: bigint;

  constructor(kinds: readonly KeyKind[]) {
    this.#kinds = kinds;
    this.width = kinds.reduce((sum, kind) => sum + bits[kind], 0n);
  }

  /** The place of a key. A later key has the same or a greater one. */
  placeOf(key: readonly Value[]): bigint {
    return this.#kinds.reduce(
      (place, kind, index) => (place << bits[kind]) | encode(kind, key[index] ?? null),
      0n,
    );
  }

  /** The first key at a place. A greater place gives the same or a later one. */
  keyAt(place: bigint): readonly Value[] {
    const key: Value[] = [];
    let rest = place;
    for (const kind of this.#kinds.toReversed()) {
      key.unshift(decode(kind, BigInt.asUintN(Number(bits[kind]), rest)));
      rest >>= bits[kind];
    }
    return key;
  }
}

function encode(kind: KeyKind, value: Value): bigint {
  if (kind === "hash") {
    const bytes = value instanceof Uint8Array ? value : new Uint8Array();
    const whole = Buffer.alloc(hashBytes);
    whole.set(bytes.subarray(0, hashBytes));
    return BigInt(`0x${whole.toString("hex")}`);
  }
  if (kind === "integer") {
    const number = typeof value === "number" || typeof value === "bigint" ? BigInt(value) : 0n;
    return number < 0n ? 0n : number;
  }
  const points = Array.from(typeof value === "string" ? value.slice(0, 2 * textLengthMax) : "");
  let place = 0n;
  for (let index = 0; index < textLengthMax; index++) {
    const point = points[index]?.codePointAt(0);
    // Zero is the end of the text, so that a text comes before those that it begins.
    place = (place << characterBits) | (point === undefined ? 0n : BigInt(point) + 1n);
  }
  return place;
}

function decode(kind: KeyKind, place: bigint): Value {
  if (kind === "integer") return place;
  if (kind === "hash") return Buffer.from(place.toString(16).padStart(2 * hashBytes, "0"), "hex");
  let text = "";
  for (let shift = bits.text - characterBits; shift >= 0n; shift -= characterBits) {
    const digit = Number(BigInt.asUintN(Number(characterBits), place >> shift));
    if (digit === 0) break;
    text += String.fromCodePoint(validPoint(digit - 1));
  }
  return text;
}

/** Not every number is a character; the next one that is. */
function validPoint(point: number): number {
  if (point >= surrogates.first && point < surrogates.behind) return surrogates.behind;
  return Math.min(point, codePointMax);
}
