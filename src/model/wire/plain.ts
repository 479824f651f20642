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

/** Checks that a value is a tree of plain objects, arrays and JSON's primitives. */
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
    for (let i = 0; i < value.length; i++) if (!this.isPlain(value[i], depth + 1)) return false;
    return true;
  }
  #isPlainObject(value: object, depth: number): boolean {
    const prototype: unknown = it.getPrototypeOf(value);
    if (prototype !== it.objectPrototype && prototype !== null && kindOf(value) !== "plain") return false;
    const names = it.keys(value);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string; // Within bounds; a call per property would cost time.
      this.#room -= name.length + 3;
      if (!this.isPlain((value as Record<string, unknown>)[name], depth + 1)) return false;
    }
    return true;
  }
}
