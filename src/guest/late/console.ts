// `console` for guests: formats on this side, writes through the cell, and stops when the run's output is used up.
import { at, slice } from "../../model/wire/intrinsics.ts";
import { kindOf } from "../../model/wire/kinds.ts";
import { flatten } from "../thrown.ts";
import type { Made, Needs } from "./needs.ts";

const lineMax = 65_536;
const depthMax = 4;
const itemsMax = 100;
const levels = { debug: 0, log: 1, info: 2, warn: 3, error: 4, trace: 0 } as const;

/** The guest's console. Beyond `outputBytes` every write throws. */
export function make(host: Needs): Made {
  const write = (level: number, parts: readonly unknown[]): void => {
    let line = "";
    for (let i = 0; i < parts.length && line.length <= lineMax; i++)
      line += (i > 0 ? " " : "") + format(parts[i]);
    if (!host.write(level, line.length > lineMax ? slice(line, 0, lineMax) + "…" : line)) {
      throw new RangeError("Cannot write to the console as this run's output is used up");
    }
  };
  const counts = new Map<string, number>();
  const api: Record<string, unknown> = {
    assert: (condition: unknown, ...parts: unknown[]) => {
      if (!condition) write(levels.error, ["Assertion failed", ...parts]);
    },
    count: (label: unknown = "default") => {
      const count = (counts.get(`${label}`) ?? 0) + 1;
      counts.set(`${label}`, count);
      write(levels.log, [`${label}: ${count}`]);
    },
    dir: (value: unknown) => write(levels.log, [value]),
    table: (value: unknown) => write(levels.log, [value]),
  };
  for (const [name, level] of Object.entries(levels))
    api[name] = (...parts: unknown[]) => write(level, parts);
  return { console: api };
}

function format(value: unknown): string {
  if (typeof value === "string") return slice(value, 0, lineMax + 1);
  try {
    return inspect(value, 0, []);
  } catch {
    return "[unprintable]";
  }
}

function inspect(value: unknown, depth: number, above: readonly unknown[]): string {
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
      return value === null ? "null" : inspectObject(value, depth, above);
    default:
      return Object.is(value, -0) ? "-0" : String(value);
  }
}

function inspectObject(value: object, depth: number, above: readonly unknown[]): string {
  if (above.includes(value)) return "[circular]";
  const kind = kindOf(value);
  if (kind === "error") {
    const flat = flatten(value);
    return flat.stack === "" ? `${flat.name}: ${flat.message}` : flat.stack;
  }
  if (kind === "date") return Number.isNaN(Number(value)) ? "Invalid Date" : (value as Date).toISOString();
  if (kind === "regexp" || kind === "boxed") return String(value);
  if (depth >= depthMax) return Array.isArray(value) ? "[array]" : "[object]";
  const inner = (item: unknown): string => inspect(item, depth + 1, [...above, value]);
  if (Array.isArray(value) || kind === "typed") return `[${listed(value as unknown[], inner)}]`;
  if (kind === "map")
    return `Map {${listed([...(value as Map<unknown, unknown>)], (pair) => pairOf(pair as unknown[], inner))}}`;
  if (kind === "set") return `Set {${listed([...(value as Set<unknown>)], inner)}}`;
  const entries = Object.entries(value);
  const name = value.constructor?.name;
  const label = name === undefined || name === "Object" ? "" : `${name} `;
  if (entries.length === 0) return `${label}{}`;
  return `${label}{ ${listed(entries, ([key, item]) => `${key}: ${inner(item)}`)} }`;
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
