// Turns whatever a guest throws into short texts and plain data, inside the bounded entry and without trusting it. Besides its
// name, message and stack only own properties are read, and of these no getter runs.
import { thrownMax, thrownMoreMax } from "../model/runs/thrown-bounds.ts";
import { encode } from "../model/wire/encode.ts";
import { append, at, hasOwn, isArray, keys, slice, stringify, toText } from "../model/wire/intrinsics.ts";
import { classNameOf, isErrorPart, ownValue } from "../model/wire/kinds.ts";
import { render } from "./render.ts";

export interface Flat {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** What was thrown, as it is sent. */
export type Described = readonly [name: string, message: string, stack: string, more?: More];
/** Properties with their values as JSON, the cause, the errors that it joins, and the two of a SuppressedError. */
type More = readonly [
  properties: readonly (readonly [name: string, json: string])[],
  cause: Described | null,
  errors: readonly Described[],
  error?: Described | null,
  suppressed?: Described | null,
];

/** The message of what cannot be read, as a proxy that was revoked, or one with a getter that throws. */
const unreadable = "(a value that cannot be read)";

// The guest may replace it later.
const Suppressed = SuppressedError;

/** Reads name, message and stack of anything; a name or stack that cannot be read is empty. */
export function flatten(error: unknown): Flat {
  if (typeof error === "function") return { name: "function", message: rendered(error), stack: "" };
  if (typeof error !== "object" || error === null) {
    const name = error === null ? "null" : typeof error;
    return { name, message: textOf(error, thrownMax.message), stack: "" };
  }
  const name = partOf(error, "name", thrownMax.name);
  return {
    name: name === undefined || name === "" ? nameOf(error) : name,
    message: partOf(error, "message", thrownMax.message) ?? rendered(error),
    stack: partOf(error, "stack", thrownMax.stack) ?? "",
  };
}

/** All that is told of what was thrown. */
export function describe(error: unknown): Described {
  const { name, message, stack } = flatten(error);
  const more = moreOf(error, { left: thrownMoreMax.length }, 0);
  return more === undefined ? [name, message, stack] : [name, message, stack, more];
}

/** What is left for all that is told besides. */
interface Room {
  left: number;
}

function moreOf(error: unknown, room: Room, depth: number): More | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  try {
    const properties = propertiesOf(error, room);
    const cause = hasOwn(error, "cause") ? inner(ownValue(error, "cause"), room, depth) : null;
    const errors = errorsOf(error, room, depth);
    if (isOurs(error, Suppressed)) {
      const first = inner(ownValue(error, "error"), room, depth);
      return [properties, cause, errors, first, inner(ownValue(error, "suppressed"), room, depth)];
    }
    const isEmpty = properties.length === 0 && cause === null && errors.length === 0;
    return isEmpty ? undefined : [properties, cause, errors];
  } catch {
    // A proxy that does not want to be read.
    return undefined;
  }
}

function inner(error: unknown, room: Room, depth: number): Described | null {
  if (depth >= thrownMoreMax.depth || error === undefined) return null;
  const { name, message, stack } = flatten(error);
  room.left -= name.length + message.length + stack.length;
  if (room.left < 0) return null;
  const more = moreOf(error, room, depth + 1);
  return more === undefined ? [name, message, stack] : [name, message, stack, more];
}

function errorsOf(error: object, room: Room, depth: number): Described[] {
  const listed: Described[] = [];
  const errors = ownValue(error, "errors");
  if (!isArray(errors)) return listed;
  for (let i = 0; i < errors.length && i < thrownMoreMax.errors; i++) {
    const described = inner(ownValue(errors, i), room, depth);
    if (described !== null) append(listed, described);
  }
  return listed;
}

function propertiesOf(error: object, room: Room): (readonly [string, string])[] {
  const listed: (readonly [string, string])[] = [];
  const names = keys(error);
  for (let i = 0; i < names.length && listed.length < thrownMoreMax.properties; i++) {
    const name = at(names, i);
    if (isErrorPart(name) || name.length > thrownMoreMax.key) continue;
    const value = ownValue(error, name);
    if (value === undefined || typeof value === "function" || (name === "errors" && isArray(value))) continue;
    const json = jsonOf(value);
    room.left -= name.length + json.length;
    if (room.left < 0) break;
    append(listed, [name, json] as const);
  }
  return listed;
}

// What JSON does not express is told as a text.
function jsonOf(value: unknown): string {
  try {
    const text = encode(value, thrownMoreMax.propertyBytes, "kept");
    if (text[0] !== "V") return text;
  } catch {
    // It is no data, too long, or does not want to be read.
  }
  return stringify(rendered(value));
}

function rendered(value: unknown): string {
  try {
    return slice(render(value, 0), 0, thrownMax.message);
  } catch {
    return unreadable;
  }
}

function nameOf(error: object): string {
  try {
    return slice(classNameOf(error), 0, thrownMax.name) || "object";
  } catch {
    return "object";
  }
}

// Undefined where it has none.
function partOf(error: object, key: string, max: number): string | undefined {
  try {
    const part = (error as Record<string, unknown>)[key];
    return part === undefined ? undefined : textOf(part, max);
  } catch {
    return key === "message" ? unreadable : "";
  }
}

function textOf(value: unknown, max: number): string {
  try {
    return slice(typeof value === "string" ? value : toText(value), 0, max);
  } catch {
    return "";
  }
}

/** As `instanceof`, for what may be a proxy that throws even when its prototype is read. */
export function isOurs<T>(error: unknown, kind: abstract new (...args: never[]) => T): error is T {
  try {
    return error instanceof kind;
  } catch {
    return false;
  }
}
