// Reads a command line: options in, checked values out. A mistake is an error with a sentence, never a guess.
import { parseArgs } from "node:util";
import { InvalidOptionsError } from "../model/errors.ts";
import { nearest } from "../model/option-places.ts";
import { show } from "../model/show.ts";
import { requireFile, requireFolderOrNothing } from "./places.ts";

export type OptionRule =
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  | { readonly kind: "text" }
  /** A file that is there. */
  | { readonly kind: "file"; readonly isRepeated?: boolean }
  /** A folder that is there, or can be made. */
  | { readonly kind: "folder" }
  | { readonly kind: "word"; readonly words: readonly string[] }
  | { readonly kind: "flag" };

export interface Arguments {
  readonly flags: ReadonlySet<string>;
  readonly integers: ReadonlyMap<string, number>;
  readonly texts: ReadonlyMap<string, readonly string[]>;
  /** The arguments that are no options. */
  readonly rest: readonly string[];
}

/** Throws `INVALID_OPTIONS` with a sentence for the user. Arguments that are no options are refused unless they are taken. */
export function readArguments(
  args: readonly string[],
  rules: Readonly<Record<string, OptionRule>>,
  { takesOthers = false }: { readonly takesOthers?: boolean } = {},
): Arguments {
  const options = Object.fromEntries(
    Object.entries(rules).map(([name, { kind }]) => [
      name,
      { type: kind === "flag" ? "boolean" : "string" } as const,
    ]),
  );
  const flags = new Set<string>();
  const integers = new Map<string, number>();
  const texts = new Map<string, string[]>();
  const rest: string[] = [];
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "positional") rest.push(token.value);
    if (token.kind !== "option") continue;
    const rule = rules[token.name];
    if (rule === undefined) throw unknown(token.rawName, rules);
    if (rule.kind === "flag") flags.add(readFlag(token.name, token.value));
    else if (rule.kind === "integer") integers.set(token.name, readInteger(token.name, token.value, rule));
    else texts.set(token.name, [...(texts.get(token.name) ?? []), readText(token.name, token.value, rule)]);
  }
  if (rest.length > 0 && !takesOthers)
    throw new InvalidOptionsError(
      `Cannot use this argument as only options are taken: got ${show(rest[0])}`,
      "",
    );
  return { flags, integers, texts, rest };
}

function readFlag(name: string, value: string | undefined): string {
  if (value === undefined) return name;
  throw new InvalidOptionsError(`Cannot use --${name} as it takes no value: got ${show(value)}`, name);
}

function readInteger(
  name: string,
  value: string | undefined,
  rule: { readonly min: number; readonly max: number },
): number {
  const isGood =
    value !== undefined && /^\d+$/.test(value) && Number(value) >= rule.min && Number(value) <= rule.max;
  if (isGood) return Number(value);
  throw mistake(name, `${rule.min}–${rule.max}`, value);
}

function readText(name: string, value: string | undefined, rule: OptionRule): string {
  if (value === undefined || value === "") throw mistake(name, "a text", value);
  if (rule.kind === "word" && !rule.words.includes(value))
    throw mistake(name, `one of ${rule.words.join(", ")}`, value);
  if (rule.kind === "file") requireFile(`--${name}`, value);
  if (rule.kind === "folder") requireFolderOrNothing(`--${name}`, value);
  return value;
}

function mistake(name: string, rule: string, value: string | undefined): InvalidOptionsError {
  const got = value === undefined ? "nothing" : JSON.stringify(value);
  return new InvalidOptionsError(`Cannot use --${name} as it must be ${rule}: got ${got}`, name);
}

function unknown(rawName: string, rules: Readonly<Record<string, OptionRule>>): InvalidOptionsError {
  const names = Object.keys(rules);
  const listed = names.map((name) => `--${name}`).join(", ");
  const near = nearest(rawName.replace(/^-+/, ""), names);
  const hint = near === undefined ? "" : `, did you mean --${near}?`;
  return new InvalidOptionsError(
    `Cannot use this option as it must be one of ${listed}: got ${show(rawName)}${hint}`,
    rawName,
  );
}
