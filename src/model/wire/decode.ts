// Turns a text made by encode() back into a value. The text is untrusted: what is malformed is an error, and nothing of it
// can become anything but data.
import { LengthBudget, type Budget } from "./budget.ts";
import { constants } from "./encode.ts";
import * as it from "./intrinsics.ts";
import { isErrorPart } from "./kinds.ts";
import { bad, refuseIf, tooCostly } from "./malformed.ts";
import { hide, primitiveOf, shellOf, textOf, type Item, type StackOf } from "./shells.ts";

/** The value of an encoded text of our own; throws `MalformedError` for any other text. */
export function decode(text: string): unknown {
  const parsed = parseWhole(text);
  if (text[0] !== "V") return parsed;
  const reader = new TableReader(parsed, new LengthBudget(Infinity));
  reader.work(Infinity);
  return reader.value;
}

/** The JSON of an encoded text. */
export function parseWhole(text: string): unknown {
  try {
    return it.parse(text[0] === "V" ? it.slice(text, 1) : text);
  } catch {
    throw bad("not JSON");
  }
}

/** How many keys may have a hash that can be chosen before a collection counts as one that may be slow to fill. */
const chosenKeysMax = 1_024;

/** Turns a parsed table into its value, in as many steps as its caller wants. */
export class TableReader {
  readonly #table: Item;
  readonly #budget: Budget;
  readonly #stackOf: StackOf | undefined;
  /** Not a list: on one, an inherited setter of a patched prototype could run. */
  readonly #objects = it.create(null) as Record<number, object>;
  #isFilling = false;
  #item = 1;
  #part = 1;
  #chosenKeys = 0;

  constructor(parsed: unknown, budget: Budget, stackOf?: StackOf) {
    if (!it.isArray(parsed) || parsed.length === 0) throw bad("a table without a root");
    this.#table = parsed;
    this.#budget = budget;
    this.#stackOf = stackOf;
  }

  get value(): unknown {
    return this.#resolve(this.#table[0]);
  }

  /** It is filling a collection with many numbers or bigints, whose hashes whoever made them can foresee. */
  get isHashing(): boolean {
    return this.#chosenKeys > chosenKeysMax;
  }

  /** Handles about so many parts; true when all are handled. First every object, empty, then its parts: cycles are possible. */
  work(parts: number): boolean {
    for (let left = parts; left > 0;) {
      if (this.#item === this.#table.length) {
        if (this.#isFilling) return true;
        this.#isFilling = true;
        this.#item = 1;
        continue;
      }
      const item = itemAt(this.#table, this.#item);
      if (this.#isFilling) left -= this.#fill(item, left);
      else {
        this.#objects[this.#item - 1] = shellOf(item, this.#budget, this.#stackOf);
        this.#item++;
        left--;
      }
    }
    return false;
  }

  // Returns how many parts it handled, at least one.
  #fill(item: Item, parts: number): number {
    const object = this.#objects[this.#item - 1] as object; // Every item has its object by now.
    const from = this.#part;
    // An array without holes becomes its own value, moved by one: its first place is its tag no longer.
    const tag = object === item ? "a" : item[0];
    const width = tag === "o" || tag === "m" || tag === "e" ? 2 : 1;
    const end = tag === "a" || tag === "s" || width === 2 ? item.length : from;
    // The parts of an error that are texts, and its cause, are no pairs.
    let i = tag === "e" && from === 1 ? errorPairsAt : from;
    for (; i < end && i - from < parts; i += width) this.#put(object, item, i);
    if (i < end) this.#part = i;
    else {
      if (tag === "e" && item[4] !== constants.hole) hide(object, "cause", this.#resolve(item[4]));
      if (object === item) (item as unknown[]).length--;
      this.#item++;
      this.#part = 1;
      this.#chosenKeys = 0;
    }
    return i - from + 1;
  }

  #put(object: object, item: Item, i: number): void {
    if (object === item) {
      // All its places exist already, so that no inherited setter runs.
      (object as unknown[])[i - 1] = this.#resolve(item[i]);
      return;
    }
    switch (item[0]) {
      case "o":
        return put(object, textOf(item[i]), this.#resolve(item[i + 1]));
      case "e":
        return putInError(object, textOf(item[i]), this.#resolve(item[i + 1]));
      case "m":
        it.mapSet(object, this.#key(item[i]), this.#resolve(item[i + 1]));
        return;
      case "s":
        it.setAdd(object, this.#key(item[i]));
        return;
      default:
        if (item[i] !== constants.hole) put(object, i - 1, this.#resolve(item[i]));
    }
  }

  #key(reference: unknown): unknown {
    if (!this.#budget.spendOnKey()) throw tooCostly();
    const key = this.#resolve(reference);
    if (typeof key === "bigint") {
      // Only a pair of a tag and digits becomes a bigint.
      refuseIf(this.#budget.bigintKey((reference as readonly string[])[1] as string));
      this.#chosenKeys++;
    } else if (typeof key === "number") this.#chosenKeys++;
    return key;
  }

  #resolve(reference: unknown): unknown {
    if (typeof reference === "number" && reference >= 0) {
      const object = this.#objects[reference];
      if (object === undefined) throw bad("a reference to nothing");
      return object;
    }
    return primitiveOf(reference);
  }
}

/** Where the properties of an error begin. */
const errorPairsAt = 5;

// Where it is no error of ours that was written, a property may have the name of one that was read before.
function putInError(error: object, key: string, value: unknown): void {
  if (key === "errors" || isErrorPart(key)) hide(error, key, value);
  else put(error, key, value);
}

function itemAt(table: Item, index: number): Item {
  const item = table[index];
  if (!it.isArray(item)) throw bad("an item is no list");
  return item;
}

// Assigning is quicker, but only what no prototype has: an own "__proto__" stays data and no inherited setter runs.
function put(object: object, key: PropertyKey, value: unknown): void {
  if (!(key in object)) {
    (object as Record<PropertyKey, unknown>)[key] = value;
    return;
  }
  it.defineProperty(object, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}
