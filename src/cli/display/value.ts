// A value of a guest as text: indented where it is long, and never longer than its bounds, as a small value may refer to the
// same parts so often that all of it would never end.
import { isAnyArrayBuffer, isBoxedPrimitive, isTypedArray } from "node:util/types";
import { neutralised, widthOf } from "./neutralise.ts";

export interface ValueOptions {
  /** What fits into this many columns is on one line. */
  readonly width: number;
  /** About how many characters there are at most. Default: 20,000. */
  readonly lengthMax?: number;
}

const usualLengthMax = 20_000;
const depthMax = 8;
const itemsMax = 100;
const textLengthMax = 2_000;
const more = "…";

/** Several lines at most; the text is neutralised. */
export function valueText(value: unknown, { width, lengthMax = usualLengthMax }: ValueOptions): string {
  const writer = new ValueWriter(lengthMax);
  return writer.write(value, { width: Math.max(20, Math.min(width, 120)), indent: "", depth: 0 });
}

interface Place {
  readonly width: number;
  readonly indent: string;
  readonly depth: number;
}

/** What is between brackets, and how it is called. */
interface Parts {
  readonly name: string;
  readonly brackets: readonly [string, string];
  readonly items: Iterable<Item>;
  readonly size: number;
}

interface Item {
  readonly label?: string;
  readonly key?: unknown;
  readonly value: unknown;
}

class ValueWriter {
  #left: number;
  /** Those around the value that is being written. */
  readonly #around = new Set<object>();

  constructor(lengthMax: number) {
    this.#left = lengthMax;
  }

  write(value: unknown, place: Place): string {
    if (typeof value !== "object" || value === null) return this.#take(primitiveText(value));
    if (this.#around.has(value)) return this.#take("[circular]");
    const leaf = leafText(value);
    if (leaf !== undefined) return this.#take(leaf);
    const parts = partsOf(value);
    if (place.depth >= depthMax || this.#left <= 0)
      return this.#take(`${parts.name}${parts.brackets.join(more)}`);
    this.#around.add(value);
    try {
      return this.#writeParts(parts, place);
    } finally {
      this.#around.delete(value);
    }
  }

  #writeParts({ name, brackets, items, size }: Parts, place: Place): string {
    const [open, close] = brackets;
    const head = name === "" ? open : `${name} ${open}`;
    if (size === 0) return this.#take(`${head}${close}`);
    const indent = `${place.indent}  `;
    const inner = { width: place.width, indent, depth: place.depth + 1 };
    const texts: string[] = [];
    for (const item of items) {
      if (texts.length >= itemsMax || this.#left <= 0) {
        texts.push(`${more} ${size - texts.length} more`);
        break;
      }
      texts.push(this.#writeItem(item, inner));
    }
    this.#take(head);
    const padding = open === "[" ? "" : " ";
    const flat = `${head}${padding}${texts.join(", ")}${padding}${close}`;
    const fits = !flat.includes("\n") && widthOf(flat) + place.indent.length <= place.width;
    if (fits) return flat;
    return `${head}\n${texts.map((text) => `${indent}${text},`).join("\n")}\n${place.indent}${close}`;
  }

  #writeItem({ label, key, value }: Item, place: Place): string {
    if (label !== undefined) return `${this.#take(label)}: ${this.write(value, place)}`;
    if (key === undefined) return this.write(value, place);
    return `${this.write(key, place)} => ${this.write(value, place)}`;
  }

  #take(text: string): string {
    this.#left -= text.length + 2;
    return text;
  }
}

function primitiveText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "bigint": {
      const text = String(value);
      return text.length > textLengthMax ? `${text.slice(0, textLengthMax)}${more}n` : `${text}n`;
    }
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "function":
      return "[function]";
    case "symbol":
      return "[symbol]";
    default:
      return String(value);
  }
}

function quoted(text: string): string {
  const isLong = text.length > textLengthMax;
  const shown = neutralised(JSON.stringify(isLong ? text.slice(0, textLengthMax) : text));
  return isLong ? `${shown}${more} ${text.length - textLengthMax} more characters` : shown;
}

function leafText(value: object): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return neutralised(cut(String(value)));
  if (value instanceof Error) return neutralised(cut(`[${value.name}: ${value.message}]`));
  if (isBoxedPrimitive(value)) return `[boxed ${primitiveText(value.valueOf())}]`;
  if (isAnyArrayBuffer(value)) return `ArrayBuffer(${value.byteLength})`;
  if (value instanceof DataView) return `DataView(${value.byteLength})`;
  return undefined;
}

function cut(text: string): string {
  return text.length > textLengthMax ? `${text.slice(0, textLengthMax)}${more}` : text;
}

function partsOf(value: object): Parts {
  if (Array.isArray(value))
    return { name: "", brackets: ["[", "]"], items: itemsOf(value), size: value.length };
  if (isTypedArray(value)) {
    const name = `${value.constructor.name}(${value.length})`;
    return { name, brackets: ["[", "]"], items: itemsOf(value), size: value.length };
  }
  if (value instanceof Map)
    return { name: `Map(${value.size})`, brackets: ["{", "}"], items: entriesOf(value), size: value.size };
  if (value instanceof Set)
    return { name: `Set(${value.size})`, brackets: ["{", "}"], items: itemsOf(value), size: value.size };
  return { name: "", brackets: ["{", "}"], items: fieldsOf(value), size: Object.keys(value).length };
}

function* itemsOf(values: Iterable<unknown>): Generator<Item> {
  for (const value of values) yield { value };
}

function* entriesOf(map: ReadonlyMap<unknown, unknown>): Generator<Item> {
  for (const [key, value] of map) yield { key: key ?? String(key), value };
}

function* fieldsOf(value: object): Generator<Item> {
  for (const [name, field] of Object.entries(value)) yield { label: labelOf(name), value: field };
}

function labelOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name.length <= textLengthMax ? name : quoted(name);
}
