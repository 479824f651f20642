// Whether JSON expresses a value completely, so that it needs no table.
import { depthMax } from "./budget.ts";
import * as it from "./intrinsics.ts";
import { kindOf } from "./kinds.ts";

/** Whether a value is a primitive that JSON has. */
export function isPrimitiveJson(value: unknown): boolean {
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
export class PlainWalk {
  readonly #seen = new it.make.Set<unknown>();
  #room: number;
  constructor(bytesMax: number) {
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
    if (prototype !== it.objectPrototype && prototype !== null && kindOf(value) !== "plain") return false;
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
