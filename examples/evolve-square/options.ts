// The command line: options in, checked settings out.
import { parseArgs } from "node:util";

export interface Settings {
  readonly population: number;
  readonly generations: number;
  readonly seed: number;
}

export const help = `Evolves a program that squares a number, without multiplication, among hostile mutants.

Usage: node examples/evolve-square/main.ts [options]

  --population N    programs per generation, 10–5000 (default 200)
  --generations N   generations, 1–1000 (default 16)
  --seed N          the seed of randomness, 0–4294967295 (default 7); the same seed breeds the same best program
  --help            show this text

Exit codes: 0 done, 2 a wrong option, 130 ended by Ctrl-C (with the summary so far).
Colours are left out when NO_COLOR is set or the output is no terminal.`;

const bounds = {
  population: { min: 10, max: 5_000, default: 200 },
  generations: { min: 1, max: 1_000, default: 16 },
  seed: { min: 0, max: 2 ** 32 - 1, default: 7 },
} as const satisfies Record<keyof Settings, unknown>;

const options = {
  population: { type: "string" },
  generations: { type: "string" },
  seed: { type: "string" },
  help: { type: "boolean" },
} as const;

/** The settings, or a sentence on what is wrong with them; "help" when that was asked for. */
export function readSettings(args: readonly string[]): Settings | "help" | { readonly mistake: string } {
  const given: Partial<Record<keyof Settings, string | undefined>> = {};
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option" && token.name === "help") return "help";
    if (token.kind !== "option" || !Object.hasOwn(bounds, token.name))
      return { mistake: unknown(args[token.index]) };
    given[token.name as keyof Settings] = token.value;
    const mistake = mistakeIn(token.name as keyof Settings, token.value);
    if (mistake !== undefined) return { mistake };
  }
  const read = (name: keyof Settings): number => Number(given[name] ?? bounds[name].default);
  return { population: read("population"), generations: read("generations"), seed: read("seed") };
}

function mistakeIn(name: keyof Settings, value: string | undefined): string | undefined {
  const { min, max } = bounds[name];
  const isGood = value !== undefined && /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max;
  return isGood
    ? undefined
    : `Cannot use --${name} as it must be ${min}–${max}: got ${value === undefined ? "nothing" : JSON.stringify(value)}`;
}

function unknown(word: string | undefined): string {
  const names = [...Object.keys(bounds), "help"].map((name) => `--${name}`).join(", ");
  return `Cannot use this option as it must be one of ${names}: got ${JSON.stringify(word)}`;
}
