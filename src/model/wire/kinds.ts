// Which kind of built-in object a value is: guessed from its prototype chain (cheap), then verified by its brand.
import * as it from "./intrinsics.ts";

/** Kinds of objects that can be encoded; `plain` by its own enumerable properties; `refused` cannot. */
export type Kind =
  | "plain"
  | "map"
  | "set"
  | "date"
  | "regexp"
  | "error"
  | "buffer"
  | "typed"
  | "view"
  | "boxed"
  | "refused";

const chainMax = 64;

const kindOfPrototype = new it.make.Map<unknown, Kind>();
const nameOfRefused = new it.make.Map<unknown, string>();

const known: readonly (readonly [object, Kind])[] = [
  [Map.prototype, "map"],
  [Set.prototype, "set"],
  [Date.prototype, "date"],
  [RegExp.prototype, "regexp"],
  [Error.prototype, "error"],
  [ArrayBuffer.prototype, "buffer"],
  [it.getPrototypeOf(Uint8Array.prototype) as object, "typed"],
  [DataView.prototype, "view"],
  [Number.prototype, "boxed"],
  [String.prototype, "boxed"],
  [Boolean.prototype, "boxed"],
  [BigInt.prototype, "boxed"],
];
const refused: readonly (readonly [object, string])[] = [
  [Promise.prototype, "a promise"],
  [WeakMap.prototype, "a WeakMap"],
  [WeakSet.prototype, "a WeakSet"],
  [WeakRef.prototype, "a WeakRef"],
  [Symbol.prototype, "a symbol"],
  [function* () {}.prototype.__proto__ as object, "a generator"],
  [async function* () {}.prototype.__proto__ as object, "an async generator"],
  ...(typeof SharedArrayBuffer === "undefined"
    ? []
    : [[SharedArrayBuffer.prototype, "shared memory"] as const]),
];
for (const [prototype, kind] of known) {
  it.mapSet(kindOfPrototype, prototype, kind);
  if (kind === "buffer" || kind === "typed" || kind === "view")
    it.mapSet(nameOfRefused, prototype, "a buffer that was given away");
}
for (const [prototype, name] of refused) {
  it.mapSet(kindOfPrototype, prototype, "refused");
  it.mapSet(nameOfRefused, prototype, name);
}

const brands: Partial<Record<Kind, (value: unknown) => boolean>> = {
  map: (value) => it.hasBrand(it.mapSize, value),
  set: (value) => it.hasBrand(it.setSize, value),
  date: (value) => it.hasBrand(it.dateTime, value),
  regexp: (value) => it.hasBrand(it.regexpSource, value),
  buffer: (value) => it.hasBrand(it.bufferLength, value),
  typed: (value) => it.hasBrand(it.typedTag, value),
  view: (value) => it.hasBrand(it.viewBuffer, value),
  boxed: (value) => unboxed(value) !== undefined,
};

/** The kind of a non-null object. */
export function kindOf(value: object): Kind {
  let prototype = it.getPrototypeOf(value) as object | null;
  for (let i = 0; i < chainMax && prototype !== null && prototype !== it.objectPrototype; i++) {
    const kind = it.mapGet(kindOfPrototype, prototype) as Kind | undefined;
    if (kind !== undefined) return brands[kind]?.(value) === false ? "plain" : unlessGivenAway(kind, value);
    prototype = it.getPrototypeOf(prototype) as object | null;
  }
  return "plain";
}

// Bytes that were transferred are no longer here to be encoded.
function unlessGivenAway(kind: Kind, value: object): Kind {
  const buffer =
    kind === "buffer"
      ? value
      : kind === "typed"
        ? it.typedBuffer(value)
        : kind === "view"
          ? it.viewBuffer(value)
          : undefined;
  return buffer !== undefined && it.isDetached(buffer) ? "refused" : kind;
}

/** How to name an object of kind `refused`. */
export function refusedName(value: object): string {
  let prototype = it.getPrototypeOf(value) as object | null;
  for (let i = 0; i < chainMax && prototype !== null; i++) {
    const name = it.mapGet(nameOfRefused, prototype) as string | undefined;
    if (name !== undefined) return name;
    prototype = it.getPrototypeOf(prototype) as object | null;
  }
  return "an object that is not data";
}

/** The primitive inside a Number, String, Boolean or BigInt object, or undefined for any other value. */
export function unboxed(value: unknown): number | string | boolean | bigint | undefined {
  if (it.hasBrand(it.numberValue, value)) return it.numberValue(value);
  if (it.hasBrand(it.stringValue, value)) return it.stringValue(value);
  if (it.hasBrand(it.booleanValue, value)) return it.booleanValue(value);
  if (it.hasBrand(it.bigintValue, value)) return it.bigintValue(value);
  return undefined;
}
