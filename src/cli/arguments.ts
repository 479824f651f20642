// Reads a command line: options in, checked values out. A mistake is an error with a sentence, never a guess.
import { parseArgs } from "node:util";
import { InvalidOptionsError } from "../model/errors.ts";

export type OptionRule =
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  | { readonly kind: "text"; readonly isRepeated?: boolean }
  | { readonly kind: "word"; readonly words: readonly string[] }
  | { readonly kind: "flag" };

export interface Arguments {
  readonly flags: ReadonlySet<string>;
  readonly integers: ReadonlyMap<string, number>;
  readonly texts: ReadonlyMap<string, readonly string[]>;
  /** The arguments that are no options. */
  readonly rest: readonly string[];
}

/** Throws `INVALID_OPTIONS` with a sentence for the user. */
export function readArguments(
  args: readonly string[],
  rules: Readonly<Record<string, OptionRule>>,
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
    if (rule.kind === "flag") flags.add(token.name);
    else if (rule.kind === "integer") integers.set(token.name, readInteger(token.name, token.value, rule));
    else texts.set(token.name, [...(texts.get(token.name) ?? []), readText(token.name, token.value, rule)]);
  }
  return { flags, integers, texts, rest };
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
  return value;
}

function mistake(name: string, rule: string, value: string | undefined): InvalidOptionsError {
  const got = value === undefined ? "nothing" : JSON.stringify(value);
  return new InvalidOptionsError(`Cannot use --${name} as it must be ${rule}: got ${got}`, name);
}

function unknown(rawName: string, rules: Readonly<Record<string, OptionRule>>): InvalidOptionsError {
  const names = Object.keys(rules)
    .map((name) => `--${name}`)
    .join(", ");
  return new InvalidOptionsError(
    `Cannot use this option as it must be one of ${names}: got ${JSON.stringify(rawName)}`,
    rawName,
  );
}
