// Which kind of built-in object a value is: guessed from its prototype chain (cheap), then verified by its brand.
import * as it from "./intrinsics.ts";

/**
 * Kinds of objects that can be encoded; `plain` by its own enumerable properties. `refused` cannot, and `empty` is an instance of
 * a class without such properties: what it has is elsewhere, as that of a URL, and would be lost.
 */
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
  | "empty"
  | "refused";

const chainMax = 64;

/** Saved, as a guest may replace the names of the classes. Two lists, as a boot makes these, and few sandboxes use them. */
const prototypes: readonly unknown[] = [
  Map.prototype,
  Set.prototype,
  Date.prototype,
  RegExp.prototype,
  Error.prototype,
  ArrayBuffer.prototype,
  it.getPrototypeOf(Uint8Array.prototype),
  DataView.prototype,
  Number.prototype,
  String.prototype,
  Boolean.prototype,
  BigInt.prototype,
  Promise.prototype,
  WeakMap.prototype,
  WeakSet.prototype,
  WeakRef.prototype,
  Symbol.prototype,
  function* () {}.prototype.__proto__,
  async function* () {}.prototype.__proto__,
  typeof SharedArrayBuffer === "undefined" ? undefined : SharedArrayBuffer.prototype,
];
/** The kind of each, in the same order. */
const kinds: readonly Kind[] = [
  "map",
  "set",
  "date",
  "regexp",
  "error",
  "buffer",
  "typed",
  "view",
  "boxed",
  "boxed",
  "boxed",
  "boxed",
];
/** The names of those that follow, which are refused. */
const refusedNames: readonly string[] = [
  "a promise",
  "a WeakMap",
  "a WeakSet",
  "a WeakRef",
  "a symbol",
  "a generator",
  "an async generator",
  "shared memory",
];

interface Kinds {
  readonly kindOfPrototype: Map<unknown, Kind>;
  readonly nameOfRefused: Map<unknown, string>;
}

let known: Kinds | undefined;

// Made when they are first needed, when a guest may have replaced the language's own functions.
function knownKinds(): Kinds {
  if (known !== undefined) return known;
  const kindOfPrototype = new it.make.Map<unknown, Kind>();
  const nameOfRefused = new it.make.Map<unknown, string>();
  for (let i = 0; i < prototypes.length; i++) {
    const prototype = it.at(prototypes, i);
    const kind = i < kinds.length ? it.at(kinds, i) : "refused";
    it.mapSet(kindOfPrototype, prototype, kind);
    if (kind === "refused") it.mapSet(nameOfRefused, prototype, it.at(refusedNames, i - kinds.length));
    else if (kind === "buffer" || kind === "typed" || kind === "view")
      it.mapSet(nameOfRefused, prototype, "a buffer that was given away");
  }
  return (known = { kindOfPrototype, nameOfRefused });
}

function hasBrandOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case "map":
      return it.hasBrand(it.mapSize, value);
    case "set":
      return it.hasBrand(it.setSize, value);
    case "date":
      return it.hasBrand(it.dateTime, value);
    case "regexp":
      return it.hasBrand(it.regexpSource, value);
    case "buffer":
      return it.hasBrand(it.bufferLength, value);
    case "typed":
      return it.hasBrand(it.typedTag, value);
    case "view":
      return it.hasBrand(it.viewBuffer, value);
    case "boxed":
      return unboxed(value) !== undefined;
    default:
      return true;
  }
}

/** The kind of a non-null object. */
export function kindOf(value: object): Kind {
  const first = it.getPrototypeOf(value) as object | null;
  let prototype = first;
  for (let i = 0; i < chainMax && prototype !== null && prototype !== it.objectPrototype; i++) {
    const kind = it.mapGet(knownKinds().kindOfPrototype, prototype) as Kind | undefined;
    if (kind !== undefined) return hasBrandOf(kind, value) ? unlessGivenAway(kind, value) : "plain";
    prototype = it.getPrototypeOf(prototype) as object | null;
  }
  if (first === null || first === it.objectPrototype) return "plain";
  // A prototype without one of its own is that of plain objects, maybe of another realm.
  return it.getPrototypeOf(first) === null || it.keys(value).length > 0 ? "plain" : "empty";
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
    const name = it.mapGet(knownKinds().nameOfRefused, prototype) as string | undefined;
    if (name !== undefined) return name;
    prototype = it.getPrototypeOf(prototype) as object | null;
  }
  return "an object that is not data";
}

/** How to name an object of kind `empty`. */
export function emptyName(value: object): string {
  const name = classNameOf(value);
  const what = name === "" || name === "Object" ? "an object" : `an instance of ${name}`;
  return `${what} without properties of its own: give its data as text or as a plain object`;
}

const classNameMax = 60;

/** The name of an object's class, as far as that can be read without running anything but the traps of a proxy; may be empty. */
export function classNameOf(value: object): string {
  let prototype = it.getPrototypeOf(value) as object | null;
  for (let i = 0; i < chainMax && prototype !== null && prototype !== it.objectPrototype; i++) {
    const tag = ownValue(prototype, it.toStringTag);
    if (typeof tag === "string" && tag !== "") return it.slice(tag, 0, classNameMax);
    const maker = ownValue(prototype, "constructor");
    const name = typeof maker === "function" ? ownValue(maker, "name") : "";
    if (typeof name === "string" && name !== "") return it.slice(name, 0, classNameMax);
    prototype = it.getPrototypeOf(prototype) as object | null;
  }
  return prototype === null ? "" : "Object";
}

/** The value of an own property; undefined where it has none, or a getter. */
export function ownValue(object: object, key: PropertyKey): unknown {
  const found = it.getOwnPropertyDescriptor(object, key);
  // The engine makes it, with a prototype that a guest may have changed.
  return found === undefined || !it.hasOwn(found, "value") ? undefined : found.value;
}

/** The primitive inside a Number, String, Boolean or BigInt object, or undefined for any other value. */
export function unboxed(value: unknown): number | string | boolean | bigint | undefined {
  if (it.hasBrand(it.numberValue, value)) return it.numberValue(value);
  if (it.hasBrand(it.stringValue, value)) return it.stringValue(value);
  if (it.hasBrand(it.booleanValue, value)) return it.booleanValue(value);
  if (it.hasBrand(it.bigintValue, value)) return it.bigintValue(value);
  return undefined;
}

/** Whether an error is encoded with it anyway. */
export function isErrorPart(name: string): boolean {
  return name === "name" || name === "message" || name === "stack" || name === "cause";
}
