// Values as text, for the console: on one line, whatever they are, and never longer than a line may be.
import { at, slice } from "../../model/wire/intrinsics.ts";
import type { Needs } from "./needs.ts";

/** How long a line may be; what is longer is cut. */
export const lineMax = 65_536;
const depthDefault = 4;
const itemsMax = 100;

let needs: Needs;

/** Runs before anything is shown. */
export function connectInspection(given: Needs): void {
  needs = given;
}

/** A text as it is, any other value as `shownAt` has it. */
export function shown(value: unknown): string {
  return typeof value === "string" ? slice(value, 0, lineMax + 1) : shownAt(value);
}

/** A value as it could be written, with its parts down to a depth. */
export function shownAt(value: unknown, depthMax: number = depthDefault): string {
  try {
    return new Inspection(depthMax).show(value, []);
  } catch {
    return "[unprintable]";
  }
}

class Inspection {
  readonly #depthMax: number;
  /** Letters that are left: parts that are in many places would make a text without end. */
  #room = lineMax;

  constructor(depthMax: number) {
    this.#depthMax = depthMax;
  }

  show(value: unknown, above: readonly unknown[]): string {
    if (this.#room <= 0) return "…";
    const text = this.#textOf(value, above);
    this.#room -= text.length;
    return text;
  }

  #textOf(value: unknown, above: readonly unknown[]): string {
    switch (typeof value) {
      case "string":
        return JSON.stringify(slice(value, 0, lineMax));
      case "bigint":
        return `${value}n`;
      case "symbol":
        return String(value);
      case "function":
        return `[function ${value.name || "(anonymous)"}]`;
      case "object":
        return value === null ? "null" : this.#object(value, above);
      default:
        return Object.is(value, -0) ? "-0" : String(value);
    }
  }

  #object(value: object, above: readonly unknown[]): string {
    if (above.includes(value)) return "[circular]";
    const kind = needs.kinds.kindOf(value);
    if (kind === "error") return errorText(value);
    if (kind === "date") return Number.isNaN(Number(value)) ? "Invalid Date" : (value as Date).toISOString();
    if (kind === "regexp" || kind === "boxed") return String(value);
    if (above.length >= this.#depthMax) return Array.isArray(value) ? "[array]" : "[object]";
    const inner = (item: unknown): string => this.show(item, [...above, value]);
    if (Array.isArray(value) || kind === "typed") return `[${listed(value as unknown[], inner)}]`;
    if (kind === "map")
      return `Map {${listed([...(value as Map<unknown, unknown>)], (pair) => pairOf(pair, inner))}}`;
    if (kind === "set") return `Set {${listed([...(value as Set<unknown>)], inner)}}`;
    const entries = Object.entries(value);
    const name = value.constructor?.name;
    const label = name === undefined || name === "Object" ? "" : `${name} `;
    if (entries.length === 0) return `${label}{}`;
    return `${label}{ ${listed(entries, ([key, item]) => `${key}: ${inner(item)}`)} }`;
  }
}

function errorText(value: object): string {
  const { name, message, stack } = needs.flatten(value);
  return stack === "" ? `${name}: ${message}` : stack;
}

function pairOf(pair: readonly unknown[], inner: (item: unknown) => string): string {
  return `${inner(pair[0])} => ${inner(pair[1])}`;
}

function listed<T>(items: readonly T[], show: (item: T) => string): string {
  const shown: string[] = [];
  for (let i = 0; i < items.length && i < itemsMax; i++) shown.push(show(at(items, i)));
  if (items.length > itemsMax) shown.push(`… ${items.length - itemsMax} more`);
  return shown.join(", ");
}

/** Whether an object is of no kind that the language knows, so that its words are its own. */
export function isOfGuest(value: object): boolean {
  const kind = needs.kinds.kindOf(value);
  return (kind === "plain" || kind === "empty") && !Array.isArray(value);
}
