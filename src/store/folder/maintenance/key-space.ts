// The keys of a table as one number each, in the same order, so that a place behind damaged pages can be searched for by
// halving although nobody knows which keys there are.
import type { KeyKind, Value } from "./tables.ts";

/** How many characters of a text count: keys that differ only behind them are one place. */
const textLengthMax = 64;
const surrogates = { first: 0xd8_00, behind: 0xe0_00 };
const surrogateCount = surrogates.behind - surrogates.first;
/** A digit is a character, or zero for the end of the text, so that a text comes before those that it begins. */
const digits = BigInt(0x11_00_00 - surrogateCount + 1);
const hashBytes = 32;

/** How many places a column has. */
const sizes: Readonly<Record<KeyKind, bigint>> = {
  integer: 2n ** 63n,
  text: digits ** BigInt(textLengthMax),
  hash: 256n ** BigInt(hashBytes),
};

export class KeySpace {
  readonly #kinds: readonly KeyKind[];
  /** How many places there are. */
  readonly size: bigint;

  constructor(kinds: readonly KeyKind[]) {
    this.#kinds = kinds;
    this.size = kinds.reduce((product, kind) => product * sizes[kind], 1n);
  }

  /** The place of a key. A later key has the same or a greater one. */
  placeOf(key: readonly Value[]): bigint {
    return this.#kinds.reduce(
      (place, kind, index) => place * sizes[kind] + encode[kind](key[index] ?? null),
      0n,
    );
  }

  /** The first key at a place or behind it. A greater place gives the same or a later one. */
  keyAt(place: bigint): readonly Value[] {
    const places: bigint[] = [];
    let rest = place;
    for (const kind of this.#kinds.toReversed()) {
      places.unshift(rest % sizes[kind]);
      rest /= sizes[kind];
    }
    let isNext = false;
    return this.#kinds.map((kind, index) => {
      if (isNext) return decode[kind](0n).value;
      const { value, isExact } = decode[kind](places[index] ?? 0n);
      isNext = !isExact;
      return value;
    });
  }
}

const encode: Readonly<Record<KeyKind, (value: Value) => bigint>> = {
  integer(value) {
    const number = typeof value === "number" || typeof value === "bigint" ? BigInt(value) : 0n;
    return number < 0n ? 0n : number;
  },
  text(value) {
    const points = Array.from(typeof value === "string" ? value.slice(0, 2 * textLengthMax) : "");
    let place = 0n;
    for (let index = 0; index < textLengthMax; index++) place = place * digits + digitOf(points[index]);
    return place;
  },
  hash(value) {
    const whole = Buffer.alloc(hashBytes);
    if (value instanceof Uint8Array) whole.set(value.subarray(0, hashBytes));
    return BigInt(`0x${whole.toString("hex")}`);
  },
};

/** A column's value at a place; where no value has just this place, the next one. */
interface Decoded {
  readonly value: Value;
  readonly isExact: boolean;
}

const decode: Readonly<Record<KeyKind, (place: bigint) => Decoded>> = {
  integer: (place) => ({ value: toValue(place), isExact: true }),
  text(place) {
    const found: number[] = [];
    for (let rest = place; found.length < textLengthMax; rest /= digits) found.unshift(Number(rest % digits));
    const end = found.indexOf(0);
    if (end === -1) return { value: textOf(found), isExact: true };
    const isExact = found.slice(end).every((digit) => digit === 0);
    // After a text comes the one that has one character more, the first of all.
    return { value: textOf(found.slice(0, end)) + (isExact ? "" : "\0"), isExact };
  },
  hash: (place) => ({
    value: Buffer.from(place.toString(16).padStart(2 * hashBytes, "0"), "hex"),
    isExact: true,
  }),
};

function toValue(place: bigint): Value {
  return place <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(place) : place;
}

function digitOf(character: string | undefined): bigint {
  const point = character?.codePointAt(0);
  if (point === undefined) return 0n;
  return BigInt((point >= surrogates.behind ? point - surrogateCount : point) + 1);
}

function textOf(found: readonly number[]): string {
  const points = found.map((digit) => (digit > surrogates.first ? digit - 1 + surrogateCount : digit - 1));
  return String.fromCodePoint(...points);
}
