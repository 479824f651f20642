// Turns a text made by encode() back into a value. The text is untrusted: what is malformed is an error, and nothing of it
// can become anything but data.
import { constants } from "./encode.ts";
import * as it from "./intrinsics.ts";

/** The text was not made by encode(). */
export class MalformedError extends Error {}

const bad = (what: string): MalformedError => new MalformedError(`the encoded value is malformed: ${what}`);

type Item = readonly unknown[];
type TypedArrayClass = new (buffer: ArrayBuffer) => ArrayBufferView;

const typedArrays = it.create(null) as Record<string, TypedArrayClass | undefined>;
for (const known of [
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
])
  typedArrays[known.name] = known;
const errorClasses = it.create(null) as Record<string, ErrorConstructor | undefined>;
for (const known of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError])
  errorClasses[known.name] = known;

/** The value of an encoded text; throws `MalformedError` for any other text. */
export function decode(text: string): unknown {
  const isTable = text[0] === "V";
  let parsed: unknown;
  try {
    parsed = it.parse(isTable ? it.slice(text, 1) : text);
  } catch {
    throw bad("not JSON");
  }
  if (!isTable) return parsed;
  if (!it.isArray(parsed) || parsed.length === 0) throw bad("a table without a root");
  return decodeTable(parsed);
}

function decodeTable(table: Item): unknown {
  const objects: object[] = [];
  // First every object, empty, then their parts, so that cycles are possible.
  for (let i = 1; i < table.length; i++) it.append(objects, shellOf(itemAt(table, i)));
  for (let i = 1; i < table.length; i++) fill(it.at(objects, i - 1), itemAt(table, i), objects);
  return resolve(table[0], objects);
}

function itemAt(table: Item, index: number): Item {
  const item = table[index];
  if (!it.isArray(item)) throw bad("an item is no list");
  return item;
}

function shellOf(item: Item): object {
  switch (item[0]) {
    case "a":
      return [];
    case "o":
      return {};
    case "m":
      return new it.make.Map();
    case "s":
      return new it.make.Set();
    case "d":
      return new it.make.Date(item[1] === null ? Number.NaN : numberOf(item[1]));
    case "r":
      return regexpOf(textOf(item[1]), textOf(item[2]));
    case "e":
      return errorOf(item);
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

function fill(object: object, item: Item, objects: readonly unknown[]): void {
  switch (item[0]) {
    case "a":
      return fillArray(object as unknown[], item, objects);
    case "o":
      for (let i = 1; i < item.length; i += 2) put(object, textOf(item[i]), resolve(item[i + 1], objects));
      return;
    case "m":
      for (let i = 1; i < item.length; i += 2)
        it.mapSet(object, resolve(item[i], objects), resolve(item[i + 1], objects));
      return;
    case "s":
      for (let i = 1; i < item.length; i++) it.setAdd(object, resolve(item[i], objects));
      return;
    case "e":
      if (item[4] !== constants.hole) hide(object, "cause", resolve(item[4], objects));
      return;
    default:
  }
}

function fillArray(array: unknown[], item: Item, objects: readonly unknown[]): void {
  array.length = item.length - 1;
  for (let i = 1; i < item.length; i++) {
    if (item[i] !== constants.hole) put(array, i - 1, resolve(item[i], objects));
  }
}

function resolve(reference: unknown, objects: readonly unknown[]): unknown {
  if (typeof reference === "number" && reference >= 0) {
    if (reference >= objects.length || reference % 1 !== 0) throw bad("a reference to nothing");
    return objects[reference];
  }
  return primitiveOf(reference);
}

function primitiveOf(reference: unknown): unknown {
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

function regexpOf(source: string, flags: string): RegExp {
  try {
    return new it.make.RegExp(source, flags);
  } catch {
    throw bad("a regular expression");
  }
}

function errorOf(item: Item): Error {
  const name = textOf(item[1]);
  const error = new (errorClasses[name] ?? it.make.Error)(textOf(item[2]));
  if (error.name !== name) hide(error, "name", name);
  hide(error, "stack", textOf(item[3]));
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

function textOf(value: unknown): string {
  if (typeof value !== "string") throw bad("a text is missing");
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== "number") throw bad("a number is missing");
  return value;
}

// Defining, never assigning: an own "__proto__" stays data and no inherited setter runs.
function put(object: object, key: PropertyKey, value: unknown): void {
  it.defineProperty(object, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}

function hide(object: object, key: PropertyKey, value: unknown): void {
  it.defineProperty(object, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}
