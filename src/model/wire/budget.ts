// What one value may cost the side that reads it, counted by both sides with the same numbers: the writer refuses a value that
// costs too much, and the reader refuses it too, as the text may come from a writer that does not count.
import * as it from "./intrinsics.ts";
import type { Kind } from "./kinds.ts";

/** How deep objects may be nested. */
export const depthMax = 200;

/** What an object counts besides its text, in bytes of plain data that take as long to read. */
const weights: Readonly<Record<Kind, number>> = {
  plain: 0,
  regexp: 0,
  refused: 0,
  empty: 0,
  map: 64,
  set: 64,
  date: 32,
  error: 96,
  buffer: 128,
  typed: 128,
  view: 128,
  boxed: 32,
};
/** However short a text may be, its objects may count this much. */
const weightMaxMin = 65_536;
/** What a key of a Map or an item of a Set counts besides its text. */
const keyWeight = 32;

/** All regular expressions of a value: their characters, and what their parts count besides. */
const patternMax = 2_000;
const patternWeight = 8;
/** A class of characters by its property. With the flag v it may be a set of thousands of texts. */
const propertyWeight = { u: 125, v: 900 } as const;

/** The engine hashes a bigint by its lowest 64 bits alone, so that equal ones make a Map or Set slow. */
const sameDigitsMax = 16;
const noDigits = "0000000000000000";

/** Counts what one value costs. The weights of its objects may be as much as its bytes, counted apart from them. */
export class Budget {
  readonly bytesMax: number;
  #bytes = 0;
  #weight = 0;
  readonly #weightMax: number;
  #pattern = 0;
  readonly #digits = new it.make.Map<string, number>();

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
    this.#weightMax = bytesMax > weightMaxMin ? bytesMax : weightMaxMin;
  }

  /** Counts bytes; false where they are too many. */
  spend(bytes: number): boolean {
    return (this.#bytes += bytes) <= this.bytesMax;
  }

  /** Counts the weight of an object; false where they are too many. */
  spendOn(kind: Kind): boolean {
    return (this.#weight += weights[kind]) <= this.#weightMax;
  }

  /** The same for a key of a Map or an item of a Set. */
  spendOnKey(): boolean {
    return (this.#weight += keyWeight) <= this.#weightMax;
  }

  /** Counts a regular expression; returns why it is refused, or an empty text. */
  pattern(source: string, flags: string): string {
    const perProperty =
      it.indexOf(flags, "v") >= 0 ? propertyWeight.v : it.indexOf(flags, "u") >= 0 ? propertyWeight.u : 0;
    this.#pattern += source.length + patternWeight;
    if (perProperty > 0 && source.length <= patternMax) this.#pattern += propertiesIn(source) * perProperty;
    return this.#pattern <= patternMax
      ? ""
      : `a regular expression that is too long or complex: all of them together may count ${patternMax}`;
  }

  /** Counts a bigint that is a key, by its hexadecimal digits; returns why it is refused, or an empty text. */
  bigintKey(digits: string): string {
    const low = it.slice(noDigits + (digits[0] === "-" ? it.slice(digits, 1) : digits), -noDigits.length);
    const same = ((it.mapGet(this.#digits, low) as number | undefined) ?? 0) + 1;
    it.mapSet(this.#digits, low, same);
    return same <= sameDigitsMax
      ? ""
      : `a Map or Set with more than ${sameDigitsMax} bigints that have the same lowest 64 bits`;
  }
}

/** Counts nothing but bytes, for a value that stays on its side. */
export class LengthBudget extends Budget {
  override spendOn(): boolean {
    return true;
  }
  override spendOnKey(): boolean {
    return true;
  }
  override pattern(): string {
    return "";
  }
  override bigintKey(): string {
    return "";
  }
}

function propertiesIn(source: string): number {
  let count = 0;
  for (let i = it.indexOf(source, "\\"); i >= 0; i = it.indexOf(source, "\\", i + 1)) {
    const letter = source[i + 1];
    if (letter === "p" || letter === "P") count++;
  }
  return count;
}

/** Whether brackets in JSON are nested deeper than objects may be. */
export function isTooDeep(text: string): boolean {
  // So many brackets take more characters, and the engine finds out faster than a loop that there are fewer.
  if (text.length <= 2 * depthMax || countOf(text, "[") + countOf(text, "{") <= depthMax) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (letter === '"') i = endOfString(text, i);
    else if (letter === "[" || letter === "{") {
      if (++depth > depthMax + 1) return true;
    } else if (letter === "]" || letter === "}") depth--;
  }
  return false;
}

// How often a letter occurs, counted up to one more than the depth.
function countOf(text: string, letter: string): number {
  let count = 0;
  for (let i = it.indexOf(text, letter); i >= 0 && count <= depthMax; i = it.indexOf(text, letter, i + 1))
    count++;
  return count;
}

// The position of the quote that ends the string which begins at `start`; the length of the text where none does.
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ;) {
    const end = it.indexOf(text, '"', from);
    if (end < 0) return text.length;
    let slashes = 0;
    while (end - slashes > from && text[end - slashes - 1] === "\\") slashes++;
    if (slashes % 2 === 0) return end;
    from = end + 1;
  }
}
