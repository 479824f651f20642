// The language's own functions, saved before any guest code can change them. Encoding and the guest runtime use only
// these, however the guest patches its prototypes afterwards.

type Method = (this: never, ...args: never[]) => unknown;
type Free<M> = M extends (this: never, ...args: infer A) => infer R
  ? (self: unknown, ...args: A) => R
  : never;

const { bind, call } = Function.prototype;

/** Turns a method into a function whose first argument is its `this`. */
export const uncurry: <M extends Method>(method: M) => Free<M> = bind.bind(call);

/** The getter of an accessor property as a function of its object. It throws for an object of another brand. */
function getterOf<R>(prototype: object, name: PropertyKey): (self: unknown) => R {
  return uncurry(Object.getOwnPropertyDescriptor(prototype, name)?.get as () => R);
}

const typedPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;

export const { parse, stringify } = JSON;
export const {
  keys,
  getPrototypeOf,
  setPrototypeOf,
  defineProperty,
  getOwnPropertyDescriptor,
  hasOwn,
  freeze,
  create,
  preventExtensions,
} = Object;
export const { apply, ownKeys } = Reflect;
export const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray;
export const objectPrototype: object = Object.prototype;

/** An item of a list, at an index that is known to be within it. */
export function at<T>(list: readonly T[], index: number): T {
  return list[index] as T; // The caller has compared the index with the length.
}

/** Calls back for each item, without the iterator that a guest could replace. */
export function each<T>(list: readonly T[], visit: (item: T) => void): void {
  for (let i = 0; i < list.length; i++) visit(at(list, i));
}

/** Adds to a list by defining, so that no setter on a patched Array.prototype is called. */
export function append<T>(list: T[], value: T): void {
  const descriptor = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
  defineProperty(list, list.length, descriptor as PropertyDescriptor);
}

export const mapGet = uncurry(Map.prototype.get) as (map: unknown, key: unknown) => unknown;
export const mapSet = uncurry(Map.prototype.set) as (map: unknown, key: unknown, value: unknown) => unknown;
export const mapHas = uncurry(Map.prototype.has) as (map: unknown, key: unknown) => boolean;
export const mapDelete = uncurry(Map.prototype.delete) as (map: unknown, key: unknown) => boolean;
export const mapClear = uncurry(Map.prototype.clear) as (map: unknown) => void;
export const mapEach = uncurry(Map.prototype.forEach) as (
  map: unknown,
  visit: (value: unknown, key: unknown) => void,
) => void;
export const mapSize: (self: unknown) => number = getterOf(Map.prototype, "size");
export const setAdd = uncurry(Set.prototype.add) as (set: unknown, value: unknown) => unknown;
export const setHas = uncurry(Set.prototype.has) as (set: unknown, value: unknown) => boolean;
export const setDelete = uncurry(Set.prototype.delete) as (set: unknown, value: unknown) => boolean;
export const setEach = uncurry(Set.prototype.forEach) as (
  set: unknown,
  visit: (value: unknown) => void,
) => void;
export const setSize: (self: unknown) => number = getterOf(Set.prototype, "size");

export const sort = uncurry(Array.prototype.sort) as (list: string[]) => string[];
export const { toStringTag } = Symbol;

// oxlint-disable-next-line func-style, require-yield -- only its prototype is needed
const generator = Object.getPrototypeOf(function* () {}).prototype as Generator;
// oxlint-disable-next-line func-style, require-yield -- only its prototype is needed
const asyncGenerator = Object.getPrototypeOf(async function* () {}).prototype as AsyncGenerator;
export const generatorNext = uncurry(generator.next as () => unknown) as (
  self: unknown,
  value?: unknown,
) => IteratorResult<unknown>;
export const generatorThrow = uncurry(generator.throw as () => unknown) as (
  self: unknown,
  error: unknown,
) => IteratorResult<unknown>;
export const asyncGeneratorNext = uncurry(asyncGenerator.next as () => unknown) as (
  self: unknown,
) => Promise<IteratorResult<unknown>>;
/** What `yield*` takes from a generator, to be its prototype. */
export const generatorMethods: object = freeze({
  __proto__: null,
  next: generator.next,
  return: generator.return,
  throw: generator.throw,
  [Symbol.iterator]: generator[Symbol.iterator],
});
export const asyncGeneratorMethods: object = freeze({
  __proto__: null,
  next: asyncGenerator.next,
  return: asyncGenerator.return,
  throw: asyncGenerator.throw,
  [Symbol.asyncIterator]: asyncGenerator[Symbol.asyncIterator],
});

export const slice = uncurry(String.prototype.slice);
export const charCodeAt = uncurry(String.prototype.charCodeAt);
export const indexOf = uncurry(String.prototype.indexOf);
export const lastIndexOf = uncurry(String.prototype.lastIndexOf);
export const bigintText = uncurry(BigInt.prototype.toString);
export const dateTime: (self: unknown) => number = uncurry(Date.prototype.getTime);

export const regexpSource: (self: unknown) => string = getterOf(RegExp.prototype, "source");

// The language's own `flags` asks the object for each of them, by names that a guest can redefine.
const regexpFlagLetters = "dgimsuvy";
const areFlagsSet: readonly ((self: unknown) => boolean)[] = [
  getterOf(RegExp.prototype, "hasIndices"),
  getterOf(RegExp.prototype, "global"),
  getterOf(RegExp.prototype, "ignoreCase"),
  getterOf(RegExp.prototype, "multiline"),
  getterOf(RegExp.prototype, "dotAll"),
  getterOf(RegExp.prototype, "unicode"),
  getterOf(RegExp.prototype, "unicodeSets"),
  getterOf(RegExp.prototype, "sticky"),
];
/** The flags of a regular expression. */
export function regexpFlags(self: unknown): string {
  let flags = "";
  for (let i = 0; i < areFlagsSet.length; i++) if (at(areFlagsSet, i)(self)) flags += regexpFlagLetters[i];
  return flags;
}

export const bufferLength: (self: unknown) => number = getterOf(ArrayBuffer.prototype, "byteLength");
export const typedTag: (self: unknown) => string | undefined = getterOf(typedPrototype, Symbol.toStringTag);
export const typedBuffer: (self: unknown) => ArrayBuffer = getterOf(typedPrototype, "buffer");
export const typedOffset: (self: unknown) => number = getterOf(typedPrototype, "byteOffset");
export const typedLength: (self: unknown) => number = getterOf(typedPrototype, "byteLength");
export const viewBuffer: (self: unknown) => ArrayBuffer = getterOf(DataView.prototype, "buffer");
export const viewOffset: (self: unknown) => number = getterOf(DataView.prototype, "byteOffset");
export const viewLength: (self: unknown) => number = getterOf(DataView.prototype, "byteLength");

export const numberValue: (self: unknown) => number = uncurry(Number.prototype.valueOf);
export const stringValue: (self: unknown) => string = uncurry(String.prototype.valueOf);
export const booleanValue: (self: unknown) => boolean = uncurry(Boolean.prototype.valueOf);
export const bigintValue: (self: unknown) => bigint = uncurry(BigInt.prototype.valueOf);

/** The constructors, which a patched global cannot replace. */
export const make = {
  Map,
  Set,
  Date,
  RegExp,
  Error,
  ArrayBuffer,
  DataView,
  Uint8Array,
  Object,
  Promise,
  ReferenceError,
  SyntaxError,
  TypeError,
} as const;
export const toBigInt: (text: string) => bigint = BigInt;
export const toText: (value: unknown) => string = String;

/** Whether a proxy-free brand check says that the value is an object of the kind that this getter belongs to. */
export function hasBrand(check: (self: unknown) => unknown, value: unknown): boolean {
  try {
    return check(value) !== undefined;
  } catch {
    return false;
  }
}

const detached: (self: unknown) => boolean = getterOf(ArrayBuffer.prototype, "detached");

/** Whether a buffer was transferred. A shared one cannot be. */
export function isDetached(buffer: unknown): boolean {
  return hasBrand(bufferLength, buffer) && detached(buffer);
}

const toBase64Native = (Uint8Array.prototype as { toBase64?: (this: never) => string }).toBase64;
const fromBase64Native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> })
  .fromBase64;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 of bytes; Node 24's language has no method for it yet. */
export const toBase64: (bytes: Uint8Array) => string =
  toBase64Native === undefined ? encodeBase64 : (uncurry(toBase64Native) as (bytes: Uint8Array) => string);

/** Bytes of a base64 text; throws for another text. */
export const fromBase64: (text: string) => Uint8Array<ArrayBuffer> =
  fromBase64Native === undefined
    ? decodeBase64
    : (text) => apply(fromBase64Native, Uint8Array, [text]) as Uint8Array<ArrayBuffer>;

function encodeBase64(bytes: Uint8Array): string {
  const length = typedLength(bytes);
  let text = "";
  for (let i = 0; i < length; i += 3) {
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += `${alphabet[word >> 18]}${alphabet[(word >> 12) & 63]}`;
    text += i + 1 < length ? alphabet[(word >> 6) & 63] : "=";
    text += i + 2 < length ? alphabet[word & 63] : "=";
  }
  return text;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const { length } = text;
  const padding = text[length - 2] === "=" ? 2 : text[length - 1] === "=" ? 1 : 0;
  const bytes = new make.Uint8Array((length / 4) * 3 - padding);
  for (let i = 0, at = 0; i < length; i += 4) {
    let word = 0;
    for (let k = 0; k < 4; k++) {
      const letter = text[i + k] ?? "";
      const digit = letter === "=" ? 0 : letter === "" ? -1 : indexOf(alphabet, letter);
      if (digit < 0) throw new make.Error("not base64");
      word = (word << 6) | digit;
    }
    for (let k = 16; k >= 0 && at < length; k -= 8) bytes[at++] = (word >> k) & 255;
  }
  return bytes;
}
