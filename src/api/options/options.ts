// Reads options at the edge: nothing unknown, nothing of the wrong form, nothing silently defaulted.
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The object at a path with no names but these; undefined stands for an empty one. */
export function readFields(value: unknown, path: string, names: readonly string[]): Fields {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidOptionsError(`Cannot use ${path} as it must be an object: got ${show(value)}`, path);
  }
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    throw new InvalidOptionsError(
      `Cannot use ${path} as its options must be among ${names.join(", ")}: got ${show(name)}`,
      `${path}.${name}`,
    );
  }
  return value as Fields;
}

export interface IntegerRule {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

export function readInteger(
  fields: Fields,
  at: { readonly path: string; readonly name: string },
  rule: IntegerRule,
): number {
  const value = fields[at.name];
  if (value === undefined) return rule.default;
  if (typeof value === "number" && Number.isInteger(value) && value >= rule.min && value <= rule.max)
    return value;
  const path = `${at.path}.${at.name}`;
  throw new InvalidOptionsError(
    `Cannot set ${path} as it must be ${rule.min}–${rule.max}: got ${show(value)}`,
    path,
  );
}

export function readBoolean(
  fields: Fields,
  at: { readonly path: string; readonly name: string },
  fallback: boolean,
): boolean {
  const value = fields[at.name];
  if (value === undefined) return fallback;
  if (typeof value === "boolean") return value;
  const path = `${at.path}.${at.name}`;
  throw new InvalidOptionsError(`Cannot set ${path} as it must be true or false: got ${show(value)}`, path);
}

/** Labels, or any other flat map of texts. */
export function readTexts(value: unknown, path: string): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidOptionsError(
      `Cannot use ${path} as it must be an object of texts: got ${show(value)}`,
      path,
    );
  }
  for (const [name, text] of Object.entries(value)) {
    if (typeof text === "string") continue;
    throw new InvalidOptionsError(
      `Cannot set ${path}.${name} as it must be a text: got ${show(text)}`,
      `${path}.${name}`,
    );
  }
  return Object.freeze({ ...value }) as Record<string, string>;
}

export function readSignal(value: unknown, path: string): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw new InvalidOptionsError(`Cannot use ${path} as it must be an AbortSignal: got ${show(value)}`, path);
}

export function readList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidOptionsError(`Cannot use ${path} as it must be a list: got ${show(value)}`, path);
}

/** One of a few words, or a list of them. */
export function readWords(value: unknown, path: string, words: readonly string[]): void {
  if (value === undefined) return;
  for (const word of [value].flat()) {
    if (words.includes(word as string)) continue;
    throw new InvalidOptionsError(
      `Cannot use ${path} as it must be among ${words.join(", ")}: got ${show(word)}`,
      path,
    );
  }
}

export function readFunction(value: unknown, path: string): void {
  if (value === undefined || typeof value === "function") return;
  throw new InvalidOptionsError(`Cannot use ${path} as it must be a function: got ${show(value)}`, path);
}

/** An object that has these methods. */
export function readObjectWith<T>(
  value: unknown,
  path: string,
  methods: readonly (keyof T & string)[],
): T | undefined {
  if (value === undefined) return undefined;
  const isGood =
    typeof value === "object" &&
    value !== null &&
    methods.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
  if (isGood) return value as T;
  throw new InvalidOptionsError(
    `Cannot use ${path} as it must have the methods ${methods.join(", ")}: got ${show(value)}`,
    path,
  );
}
