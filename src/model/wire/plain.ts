// Encodes what JSON expresses completely, which nearly all values are, and leaves all else to tables. Nothing here iterates,
// spreads or destructures lists at run time: inside an isolate those would go through prototypes that the guest can patch.
//
// Text: JSON for a tree of plain data, "V" + JSON of a table for all else.
import { constants } from "./constants.ts";
import { depthMax, isTooDeep } from "./depth.ts";
import * as it from "./intrinsics.ts";
import { utf8Length } from "./lengths.ts";
import { tooDeep, tooLong } from "./refusal.ts";

/**
 * Whether the stacks of errors are encoded. The host's are not, as they name its files. A `local` copy stays where it is: its
 * stacks are kept, and only its length is bounded.
 */
export type Stacks = "kept" | "dropped" | "local";

/** How long a text may be, in bytes of UTF-8, and what of errors is in it. */
export interface Terms {
  readonly bytesMax: number;
  readonly stacks: Stacks;
}

/** What knows the values that are not plain. */
export interface Tables {
  encodeTable(value: unknown, terms: Terms): string;
  /** Whether an object with a prototype of its own is data by its properties alone. */
  isPlain(value: object): boolean;
}

/** The table of `undefined`, which every load and many a run ends with. */
const nothing = "V[" + constants.undefined + "]";

/** The text of a value; throws a `Refusal` when it is not data or too long. Tables are asked for where they are needed. */
export function encodeBy(tables: () => Tables, value: unknown, terms: Terms): string {
  const { bytesMax } = terms;
  // Checked before a copy of it is made.
  if (typeof value === "string" && value.length > bytesMax) throw tooLong(bytesMax);
  const text =
    value === undefined
      ? nothing
      : isPrimitiveJson(value)
        ? it.stringify(value)
        : new PlainWalk(bytesMax, tables).isPlain(value, 0)
          ? encodePlain(value)
          : tables().encodeTable(value, terms);
  if (text.length * 3 > bytesMax && utf8Length(text) > bytesMax) throw tooLong(bytesMax);
  return text;
}

// A getter may give another value now than when the depth was checked.
function encodePlain(value: unknown): string {
  const text = it.stringify(value);
  if (isTooDeep(text)) throw tooDeep();
  return text;
}

/** Whether a value is a primitive that JSON has. */
function isPrimitiveJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return value - value === 0 && (value !== 0 || 1 / value > 0);
    default:
      return value === null;
  }
}

/**
 * Checks that a value is a tree of plain objects, arrays and JSON's primitives. Numbers and texts are counted where they are
 * met: in a new isolate nothing is compiled yet, and a call for each of thousands would take longer than many a run.
 */
class PlainWalk {
  readonly #seen = new it.make.Set<unknown>();
  readonly #tables: () => Tables;
  #room: number;
  constructor(bytesMax: number, tables: () => Tables) {
    this.#tables = tables;
    // A comma is counted after each part, the last one too, so one more than there is room for.
    this.#room = bytesMax + 1;
  }
  isPlain(value: unknown, depth: number): boolean {
    if (typeof value === "string") return (this.#room -= value.length + 2) >= 0;
    if (typeof value !== "object" || value === null) return (this.#room -= 2) >= 0 && isPrimitiveJson(value);
    if (depth > depthMax || it.setHas(this.#seen, value)) return false;
    if ((value as { toJSON?: unknown }).toJSON !== undefined) return false;
    it.setAdd(this.#seen, value);
    if ((this.#room -= 2) < 0) return false;
    return it.isArray(value) ? this.#isPlainArray(value, depth) : this.#isPlainObject(value, depth);
  }
  #isPlainArray(value: readonly unknown[], depth: number): boolean {
    let room = this.#room;
    for (let i = 0; i < value.length; i++) {
      const part = value[i];
      if (typeof part === "number") {
        if ((room -= 2) < 0 || part - part !== 0 || (part === 0 && 1 / part < 0)) return false;
      } else if (typeof part === "string") {
        if ((room -= part.length + 2) < 0) return false;
      } else {
        this.#room = room;
        if (!this.isPlain(part, depth + 1)) return false;
        room = this.#room;
      }
    }
    this.#room = room;
    return true;
  }
  #isPlainObject(value: object, depth: number): boolean {
    const prototype: unknown = it.getPrototypeOf(value);
    if (prototype !== it.objectPrototype && prototype !== null && !this.#tables().isPlain(value))
      return false;
    const names = it.keys(value);
    let room = this.#room;
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string; // Within bounds; a call per property would cost time.
      const part = (value as Record<string, unknown>)[name];
      room -= name.length + 3;
      if (typeof part === "number") {
        if ((room -= 2) < 0 || part - part !== 0 || (part === 0 && 1 / part < 0)) return false;
      } else if (typeof part === "string") {
        if ((room -= part.length + 2) < 0) return false;
      } else {
        this.#room = room;
        if (!this.isPlain(part, depth + 1)) return false;
        room = this.#room;
      }
    }
    this.#room = room;
    return true;
  }
}
