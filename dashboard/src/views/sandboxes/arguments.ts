// What people type into the forms of a sandbox, read and checked: arguments, messages, times, limits.
import { limitNames, limitTable, type LimitName } from "../../../../src/model/limits.ts";
import type { Limits } from "../../../../src/index.ts";

export type Read<T> = { readonly value: T } | { readonly problem: string };

/** One list of arguments. Nothing is the empty list. */
export function readArguments(text: string): Read<readonly unknown[]> {
  if (text.trim() === "") return { value: [] };
  const read = readJson(text, "arguments", "they");
  if ("problem" in read) return read;
  if (!Array.isArray(read.value))
    return {
      problem: `Cannot use the arguments as they must be a list, such as [1, "two"]: got ${nameOf(read.value)}`,
    };
  return { value: read.value };
}

/** Any JSON. */
export function readJson(text: string, what: string, it = "it"): Read<unknown> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `Cannot use the ${what} as ${it} must be JSON: ${why}` };
  }
}

function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A time in milliseconds; undefined where nothing stands there. */
export function readTimeout(text: string, max: number): Read<number | undefined> {
  if (text.trim() === "") return { value: undefined };
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return { value };
  return { problem: `Cannot use the time as it must be 1–${max} ms: got ${text.slice(0, 40)}` };
}

/** What differs from the present limits. An empty field turns a limit off that can be off. */
export function readLimits(
  fields: Readonly<Partial<Record<LimitName, string>>>,
  present: Limits,
): Read<Partial<Limits>> {
  const changed: Partial<Record<LimitName, number | null>> = {};
  for (const name of limitNames) {
    const text = fields[name];
    if (text === undefined || text.trim() === limitText(present[name])) continue;
    const row = limitTable[name];
    const value = text.trim() === "" ? null : Number(text);
    if (
      value === null ? row.default !== null : !Number.isInteger(value) || value < row.min || value > row.max
    )
      return {
        problem: `Cannot set ${name} as it must be ${row.min}–${row.max}: got ${text.trim() === "" ? "nothing" : text.slice(0, 40)}`,
      };
    changed[name] = value;
  }
  return { value: changed as Partial<Limits> };
}

/** As it stands in a field: nothing for one that is off. */
export function limitText(value: number | null): string {
  return value === null ? "" : String(value);
}
