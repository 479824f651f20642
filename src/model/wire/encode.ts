// Turns a value into the text that crosses a boundary, or refuses it. Nothing here iterates, spreads or
// destructures at run time: inside an isolate those would go through prototypes that the guest can patch.
//
// Text: JSON for a tree of plain data, "V" + JSON of a table for all else. The table's first item refers to
// the root, each further item is one object. A reference is the object's index, a negative constant, or a
// primitive in brackets; a bigint is ["n", hexadecimal].
import { Budget, depthMax, isTooDeep, LengthBudget } from "./budget.ts";
import * as it from "./intrinsics.ts";
import { emptyName, isErrorPart, kindOf, ownValue, refusedName, unboxed } from "./kinds.ts";
import { utf8Length } from "./lengths.ts";
import { isPrimitiveJson, PlainWalk } from "./plain.ts";

export const constants = {
  undefined: -1,
  nan: -2,
  infinity: -3,
  minusInfinity: -4,
  minusZero: -5,
  hole: -6,
} as const;

/** The table of `undefined`, which every load and many a run ends with. */
const nothing = "V[" + constants.undefined + "]";

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

/**
 * Whether the stacks and further properties of errors are encoded. The host's are not, as they name its files. A `local` copy stays where it is: its
 * stacks are kept, and only its length is bounded.
 */
export type Stacks = "kept" | "dropped" | "local";

/** The text of a value; throws a `Refusal` when it is not data or longer than `bytesMax` bytes of UTF-8. */
export function encode(value: unknown, bytesMax: number, stacks: Stacks = "dropped"): string {
  // Checked before a copy of it is made.
  if (typeof value === "string" && value.length > bytesMax) throw tooLong(bytesMax);
  const text =
    value === undefined
      ? nothing
      : isPrimitiveJson(value)
        ? it.stringify(value)
        : new PlainWalk(bytesMax).isPlain(value, 0)
          ? encodePlain(value)
          : encodeTable(new Table(bytesMax, stacks), value);
  if (text.length * 3 > bytesMax && utf8Length(text) > bytesMax) throw tooLong(bytesMax);
  return text;
}

// A getter may give another value now than when the depth was checked.
function encodePlain(value: unknown): string {
  const text = it.stringify(value);
  if (isTooDeep(text)) throw tooDeep();
  return text;
}

const tooDeep = (): Refusal => new Refusal("depth", `nested deeper than ${depthMax}`);
const tooLong = (bytesMax: number): Refusal => new Refusal("size", `longer than ${bytesMax} bytes`);

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
  readonly #budget: Budget;
  readonly #stacks: Stacks;
  constructor(bytesMax: number, stacks: Stacks) {
    this.#budget = stacks === "local" ? new LengthBudget(bytesMax) : new Budget(bytesMax);
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
    if (depth > depthMax) throw tooDeep();
    const index = this.count++;
    it.mapSet(this.#indexes, value, index);
    this.items[index] = this.#describe(value, depth);
    return "" + index;
  }

  #describe(value: object, depth: number): string {
    if (it.isArray(value)) return this.#array(value, depth);
    const kind = kindOf(value);
    if (!this.#budget.spendOn(kind)) throw tooLong(this.#budget.bytesMax);
    switch (kind) {
      case "map":
        return this.#map(value, depth);
      case "set":
        return this.#set(value, depth);
      case "date":
        return this.#leaf('["d",' + it.stringify(it.dateTime(value)) + "]");
      case "regexp":
        return this.#regexp(value);
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
      case "empty":
        // What stays where it is is copied as the language's own clone does it.
        if (this.#stacks !== "local") throw new Refusal("kind", emptyName(value));
        return this.#object(value, depth);
      case "plain":
        return this.#object(value, depth);
    }
  }

  #array(value: readonly unknown[], depth: number): string {
    // Each item takes two bytes at least: a huge length is refused before its holes are counted one by one.
    if (value.length * 2 > this.#budget.bytesMax) throw tooLong(this.#budget.bytesMax);
    let text = '["a"';
    for (let i = 0; i < value.length; i++) {
      const part = value[i];
      const isHole = part === undefined && !it.hasOwn(value, i);
      text += ",";
      if (typeof part === "number") text += this.#leaf(referNumber(part));
      else text += isHole ? this.#leaf("" + constants.hole) : this.#part(part, i, depth);
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

  #regexp(value: unknown): string {
    const source = it.regexpSource(value);
    const flags = it.regexpFlags(value);
    refuseIf(this.#budget.pattern(source, flags));
    return this.#leaf('["r",' + it.stringify(source) + ',"' + flags + '"]');
  }

  #map(value: unknown, depth: number): string {
    let text = '["m"';
    it.mapEach(value, (item, key) => {
      this.#key(key);
      text += "," + this.#part(key, "(key)", depth) + "," + this.#part(item, "(value)", depth);
    });
    return text + "]";
  }

  #set(value: unknown, depth: number): string {
    let text = '["s"';
    it.setEach(value, (item) => {
      this.#key(item);
      text += "," + this.#part(item, "(item)", depth);
    });
    return text + "]";
  }

  #key(key: unknown): void {
    if (!this.#budget.spendOnKey()) throw tooLong(this.#budget.bytesMax);
    if (typeof key === "bigint") refuseIf(this.#budget.bigintKey(it.bigintText(key, 16)));
  }

  #error(value: Error, depth: number): string {
    const text = (part: string): string => this.#leaf(it.stringify(part));
    const name = textOrNone(value.name);
    const message = textOrNone(value.message);
    const stack =
      this.#stacks !== "dropped" ? textOrNone(value.stack) : name + (message === "" ? "" : ": " + message);
    return (
      '["e",' +
      text(name) +
      "," +
      text(message) +
      "," +
      text(stack) +
      "," +
      (it.hasOwn(value, "cause") ? this.#part(value.cause, "cause", depth) : "" + constants.hole) +
      this.#errorProperties(value, depth) +
      "]"
    );
  }

  // The host's may hold what no guest is to know, and a clone of the language's own has none.
  #errorProperties(value: Error, depth: number): string {
    if (this.#stacks !== "kept") return "";
    let text = "";
    const add = (name: string, part: unknown): void => {
      text += "," + this.#leaf(it.stringify(name)) + "," + this.#part(part, name, depth);
    };
    const errors = ownValue(value, "errors");
    if (it.isArray(errors)) add("errors", errors);
    const properties: object = value;
    const names = it.keys(properties);
    for (let i = 0; i < names.length; i++) {
      const name = it.at(names, i);
      if (name !== "errors" && !isErrorPart(name)) add(name, (properties as Record<string, unknown>)[name]);
    }
    return text;
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
    if (!this.#budget.spend(bytes + 1)) throw tooLong(this.#budget.bytesMax);
  }
}

function refuseIf(what: string): void {
  if (what !== "") throw new Refusal("kind", what);
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
