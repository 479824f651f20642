// The objects of a table before their parts are filled in.
import type { Budget } from "./budget.ts";
import { constants } from "./encode.ts";
import * as it from "./intrinsics.ts";
import type { Kind } from "./kinds.ts";
import { bad, refuseIf, tooCostly } from "./malformed.ts";

/** One object of a table: its tag, then its parts. */
export type Item = readonly unknown[];
type TypedArrayClass = new (buffer: ArrayBuffer) => ArrayBufferView;

// Without a prototype, which a record cannot say: a name may be any text.
const typedArrays = {
  __proto__: null,
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
  BigInt64Array,
  BigUint64Array,
} as unknown as Record<string, TypedArrayClass | undefined>;
// The same.
const errorClasses = {
  __proto__: null,
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
} as unknown as Record<string, ErrorConstructor | undefined>;

const aggregatePrototype = AggregateError.prototype;

// Without a prototype, which a record cannot say: a tag may be any text.
const kindOfTag = {
  __proto__: null,
  m: "map",
  s: "set",
  d: "date",
  e: "error",
  b: "buffer",
  t: "typed",
  v: "view",
  w: "boxed",
} as unknown as Readonly<Record<string, Kind | undefined>>; // `__proto__` is no entry.

/** Gives the stack of an error the form that its reader wants. */
export type StackOf = (stack: string) => string;

/** The object of an item: complete where nothing in it refers to another object, otherwise still empty. */
export function shellOf(item: Item, budget: Budget, stackOf?: StackOf): object {
  const tag = textOf(item[0]);
  if (!budget.spendOn(kindOfTag[tag] ?? "plain")) throw tooCostly();
  switch (tag) {
    case "a":
      return arrayFor(item);
    case "o":
      return {};
    case "m":
      return new it.make.Map();
    case "s":
      return new it.make.Set();
    case "d":
      return new it.make.Date(item[1] === null ? Number.NaN : numberOf(item[1]));
    case "r":
      return regexpOf(textOf(item[1]), textOf(item[2]), budget);
    case "e":
      return errorOf(item, stackOf);
    case "b":
      return bytesOf(item[1]);
    case "t":
      return typedOf(textOf(item[1]), bytesOf(item[2]));
    case "v":
      return new it.make.DataView(bytesOf(item[1]));
    case "w":
      return it.make.Object(primitiveOf(item[1]));
    default:
      throw bad("an item of unknown kind");
  }
}

function arrayFor(item: Item): object {
  for (let i = 1; i < item.length; i++) {
    if (item[i] !== constants.hole) continue;
    const array: unknown[] = [];
    array.length = item.length - 1;
    return array;
  }
  return item;
}

/** The primitive that a reference stands for. */
export function primitiveOf(reference: unknown): unknown {
  if (it.isArray(reference)) {
    if (reference.length === 1 && (typeof reference[0] !== "object" || reference[0] === null))
      return reference[0];
    if (reference.length === 2 && reference[0] === "n") return bigintOf(textOf(reference[1]));
  }
  switch (reference) {
    case constants.undefined:
      return undefined;
    case constants.nan:
      return Number.NaN;
    case constants.infinity:
      return Infinity;
    case constants.minusInfinity:
      return -Infinity;
    case constants.minusZero:
      return -0;
    default:
      throw bad("a reference of unknown form");
  }
}

function bigintOf(digits: string): bigint {
  try {
    // Hexadecimal is read in linear time; decimal digits of a hostile length are not.
    return digits[0] === "-" ? -it.toBigInt("0x" + it.slice(digits, 1)) : it.toBigInt("0x" + digits);
  } catch {
    throw bad("a bigint");
  }
}

function regexpOf(source: string, flags: string, budget: Budget): RegExp {
  refuseIf(budget.pattern(source, flags));
  try {
    return new it.make.RegExp(source, flags);
  } catch {
    throw bad("a regular expression");
  }
}

function errorOf(item: Item, stackOf: StackOf | undefined): Error {
  const name = textOf(item[1]);
  const error = new (errorClasses[name] ?? it.make.Error)(textOf(item[2]));
  if (name === "AggregateError") {
    // Its constructor would iterate.
    it.setPrototypeOf(error, aggregatePrototype);
    hide(error, "errors", []);
  }
  if (error.name !== name) hide(error, "name", name);
  const stack = textOf(item[3]);
  hide(error, "stack", stackOf === undefined ? stack : stackOf(stack));
  return error;
}

function bytesOf(base64: unknown): ArrayBuffer {
  try {
    return it.typedBuffer(it.fromBase64(textOf(base64)));
  } catch {
    throw bad("bytes");
  }
}

function typedOf(name: string, buffer: ArrayBuffer): ArrayBufferView {
  const TypedArray = typedArrays[name];
  if (TypedArray === undefined) throw bad("a typed array of unknown kind");
  try {
    return new TypedArray(buffer);
  } catch {
    throw bad("a typed array of a broken length");
  }
}

/** A text of an item. */
export function textOf(value: unknown): string {
  if (typeof value !== "string") throw bad("a text is missing");
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== "number") throw bad("a number is missing");
  return value;
}

/** Defines a property as the language does for those of errors. */
export function hide(object: object, key: PropertyKey, value: unknown): void {
  it.defineProperty(object, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}
