// Which kind of built-in object a value is: guessed from its prototype chain (cheap), then verified by its brand.
import { classes } from "./classes.ts";
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

// Only what was saved: by the time that this runs inside an isolate, a guest may have replaced every global.
const known: readonly (readonly [object, Kind])[] = [
  [it.make.Map.prototype, "map"],
  [it.make.Set.prototype, "set"],
  [it.make.Date.prototype, "date"],
  [it.make.RegExp.prototype, "regexp"],
  [it.make.Error.prototype, "error"],
  [it.make.ArrayBuffer.prototype, "buffer"],
  [it.getPrototypeOf(it.make.Uint8Array.prototype) as object, "typed"],
  [it.make.DataView.prototype, "view"],
  [classes.Number.prototype, "boxed"],
  [classes.String.prototype, "boxed"],
  [classes.Boolean.prototype, "boxed"],
  [classes.BigInt.prototype, "boxed"],
];
const refused: readonly (readonly [object, string])[] = [
  [it.make.Promise.prototype, "a promise"],
  [classes.WeakMap.prototype, "a WeakMap"],
  [classes.WeakSet.prototype, "a WeakSet"],
  [classes.WeakRef.prototype, "a WeakRef"],
  [classes.Symbol.prototype, "a symbol"],
  [classes.SharedArrayBuffer.prototype, "shared memory"],
  [it.generatorPrototype, "a generator"],
  [it.asyncGeneratorPrototype, "an async generator"],
];
// By index, as the iterator of lists may be a guest's.
for (let i = 0; i < known.length; i++) {
  const prototype = it.at(known, i)[0];
  const kind = it.at(known, i)[1];
  it.mapSet(kindOfPrototype, prototype, kind);
  if (kind === "buffer" || kind === "typed" || kind === "view")
    it.mapSet(nameOfRefused, prototype, "a buffer that was given away");
}
for (let i = 0; i < refused.length; i++) {
  const prototype = it.at(refused, i)[0];
  it.mapSet(kindOfPrototype, prototype, "refused");
  it.mapSet(nameOfRefused, prototype, it.at(refused, i)[1]);
}

const brands = {
  __proto__: null,
  map: (value) => it.hasBrand(it.mapSize, value),
  set: (value) => it.hasBrand(it.setSize, value),
  date: (value) => it.hasBrand(it.dateTime, value),
  regexp: (value) => it.hasBrand(it.regexpSource, value),
  buffer: (value) => it.hasBrand(it.bufferLength, value),
  typed: (value) => it.hasBrand(it.typedTag, value),
  view: (value) => it.hasBrand(it.viewBuffer, value),
  boxed: (value) => unboxed(value) !== undefined,
} as Partial<Record<Kind, (value: unknown) => boolean>>;

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
