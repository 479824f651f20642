// Turns a value into the text that crosses a boundary, or refuses it. Nothing here iterates, spreads or
// destructures at run time: inside an isolate those would go through prototypes that the guest can patch.
//
// Text: JSON for a tree of plain data, "V" + JSON of a table for all else. The table's first item refers to
// the root, each further item is one object. A reference is the object's index, a negative constant, or a
// primitive in brackets; a bigint is ["n", hexadecimal].
import * as it from "./intrinsics.ts";
import { kindOf, refusedName, unboxed } from "./kinds.ts";
import { utf8Length } from "./lengths.ts";

export const constants = {
  undefined: -1,
  nan: -2,
  infinity: -3,
  minusInfinity: -4,
  minusZero: -5,
  hole: -6,
} as const;

const depthMax = 200;

/** Why a value cannot be encoded. The path leads from the root to the part that cannot. */
export class Refusal {
  readonly reason: "size" | "depth" | "kind";
  readonly what: string;
  path = "";
  constructor(reason: "size" | "depth" | "kind", what: string) {
    this.reason = reason;
    this.what = what;
  }
}

/** Whether the stacks of errors are encoded. The host's are not, as they name its files. */
export type Stacks = "kept" | "dropped";

/** The text of a value; throws a `Refusal` when it is not data or longer than `bytesMax` bytes of UTF-8. */
export function encode(value: unknown, bytesMax: number, stacks: Stacks = "dropped"): string {
  // Checked before a copy of it is made.
  if (typeof value === "string" && value.length > bytesMax) throw tooLong(bytesMax);
  const text =
    isPrimitiveJson(value) || new PlainWalk(bytesMax).isPlain(value, 0)
      ? it.stringify(value)
      : encodeTable(new Table(bytesMax, stacks), value);
  if (text.length * 3 > bytesMax && utf8Length(text) > bytesMax) throw tooLong(bytesMax);
  return text;
}

const tooLong = (bytesMax: number): Refusal => new Refusal("size", `longer than ${bytesMax} bytes`);

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

/** Checks that JSON expresses a value completely: a tree of plain objects, arrays and JSON's primitives. */
class PlainWalk {
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

function encodeTable(table: Table, value: unknown): string {
  const root = table.refer(value, 0);
  let text = "V[" + root;
  for (let i = 0; i < table.count; i++) text += "," + table.items[i];
  return text + "]";
}

class Table {
  readonly items: Record<number, string> = it.create(null) as Record<number, string>;
  count = 0;
  readonly #indexes = new it.make.Map<unknown, number>();
  readonly #bytesMax: number;
  readonly #stacks: Stacks;
  #bytes = 0;
  constructor(bytesMax: number, stacks: Stacks) {
    this.#bytesMax = bytesMax;
    this.#stacks = stacks;
  }

  /** The reference to a value, its object entered into the table when it is new. */
  refer(value: unknown, depth: number): string {
    if (typeof value === "object" && value !== null) return this.#referObject(value, depth);
    const text = referPrimitive(value);
    this.#grow(text.length);
    return text;
  }

  #referObject(value: object, depth: number): string {
    const known = it.mapGet(this.#indexes, value) as number | undefined;
    if (known !== undefined) return "" + known;
    if (depth > depthMax) throw new Refusal("depth", `nested deeper than ${depthMax}`);
    const index = this.count++;
    it.mapSet(this.#indexes, value, index);
    this.items[index] = this.#describe(value, depth);
    return "" + index;
  }

  #describe(value: object, depth: number): string {
    if (it.isArray(value)) return this.#array(value, depth);
    switch (kindOf(value)) {
      case "map":
        return this.#map(value, depth);
      case "set":
        return this.#set(value, depth);
      case "date":
        return this.#leaf('["d",' + it.stringify(it.dateTime(value)) + "]");
      case "regexp":
        return this.#leaf(
          '["r",' + it.stringify(it.regexpSource(value)) + ',"' + it.regexpFlags(value) + '"]',
        );
      case "error":
        return this.#error(value as Error, depth);
      case "buffer":
        return this.#bytesOf("b", new it.make.Uint8Array(value as ArrayBuffer));
      case "typed":
        return this.#bytesOf(
          't","' + it.typedTag(value),
          new it.make.Uint8Array(it.typedBuffer(value), it.typedOffset(value), it.typedLength(value)),
        );
      case "view":
        return this.#bytesOf(
          "v",
          new it.make.Uint8Array(it.viewBuffer(value), it.viewOffset(value), it.viewLength(value)),
        );
      case "boxed":
        return this.#leaf('["w",' + referPrimitive(unboxed(value)) + "]");
      case "refused":
        throw new Refusal("kind", refusedName(value));
      case "plain":
        return this.#object(value, depth);
    }
  }

  #array(value: readonly unknown[], depth: number): string {
    // Each item takes two bytes at least: a huge length is refused before its holes are counted one by one.
    if (value.length * 2 > this.#bytesMax) throw tooLong(this.#bytesMax);
    let text = '["a"';
    for (let i = 0; i < value.length; i++) {
      const isHole = value[i] === undefined && !it.hasOwn(value, i);
      text += "," + (isHole ? this.#leaf("" + constants.hole) : this.#part(value[i], i, depth));
    }
    return text + "]";
  }

  #object(value: object, depth: number): string {
    const names = it.keys(value);
    let text = '["o"';
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string; // Within bounds; a call per property would cost time.
      text +=
        "," +
        this.#leaf(it.stringify(name)) +
        "," +
        this.#part((value as Record<string, unknown>)[name], name, depth);
    }
    return text + "]";
  }

  #map(value: unknown, depth: number): string {
    let text = '["m"';
    it.mapEach(value, (item, key) => {
      text += "," + this.#part(key, "(key)", depth) + "," + this.#part(item, "(value)", depth);
    });
    return text + "]";
  }

  #set(value: unknown, depth: number): string {
    let text = '["s"';
    it.setEach(value, (item) => {
      text += "," + this.#part(item, "(item)", depth);
    });
    return text + "]";
  }

  #error(value: Error, depth: number): string {
    const text = (part: string): string => this.#leaf(it.stringify(part));
    const name = textOrNone(value.name);
    const message = textOrNone(value.message);
    const stack =
      this.#stacks === "kept" ? textOrNone(value.stack) : name + (message === "" ? "" : ": " + message);
    return (
      '["e",' +
      text(name) +
      "," +
      text(message) +
      "," +
      text(stack) +
      "," +
      (it.hasOwn(value, "cause") ? this.#part(value.cause, "cause", depth) : "" + constants.hole) +
      "]"
    );
  }

  #bytesOf(tag: string, bytes: Uint8Array): string {
    this.#grow((it.typedLength(bytes) / 3) * 4);
    return '["' + tag + '","' + it.toBase64(bytes) + '"]';
  }

  #part(value: unknown, key: string | number, depth: number): string {
    try {
      return this.refer(value, depth + 1);
    } catch (error) {
      if (error instanceof Refusal)
        error.path = (typeof key === "number" ? "[" + key + "]" : "." + key) + error.path;
      throw error;
    }
  }

  #leaf(text: string): string {
    this.#grow(text.length);
    return text;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes + 1;
    if (this.#bytes > this.#bytesMax) throw tooLong(this.#bytesMax);
  }
}

function textOrNone(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function referPrimitive(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "" + constants.undefined;
    case "number":
      return referNumber(value);
    case "bigint":
      return '["n","' + it.bigintText(value, 16) + '"]';
    case "symbol":
      throw new Refusal("kind", "a symbol");
    case "function":
      throw new Refusal("kind", "a function");
    default:
      return "[" + it.stringify(value) + "]";
  }
}

function referNumber(value: number): string {
  if (value !== value) return "" + constants.nan;
  if (value === Infinity) return "" + constants.infinity;
  if (value === -Infinity) return "" + constants.minusInfinity;
  if (value === 0 && 1 / value < 0) return "" + constants.minusZero;
  return "[" + value + "]";
}
