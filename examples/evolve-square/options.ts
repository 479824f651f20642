// The command line: options in, checked settings out.
import { parseArgs } from "node:util";

// A type and not an interface, as it is saved as one of a run's options.
export type Settings = {
  readonly population: number;
  readonly generations: number;
  readonly seed: number;
};

/** What the user gave; undefined is what was left out. */
export interface Given extends Readonly<Record<keyof Settings, number | undefined>> {
  /** The folder in which the run is saved. */
  readonly data: string | undefined;
  /** Begins anew, whatever the folder has. */
  readonly isFresh: boolean;
}

const bounds = {
  population: { min: 10, max: 5_000 },
  generations: { min: 1, max: 1_000 },
  seed: { min: 0, max: 2 ** 32 - 1 },
} as const satisfies Record<keyof Settings, unknown>;

/** For what is left out, in a run that is new. */
export const usual: Settings = { population: 200, generations: 16, seed: 7 };

export const help = `Evolves a program that squares a number, without multiplication, among hostile mutants.

Usage: node examples/evolve-square/main.ts [options]

  --population N    programs per generation, 10–5000 (default ${usual.population})
  --generations N   generations, 1–1000 (default ${usual.generations})
  --seed N          the seed of randomness, 0–4294967295 (default ${usual.seed}); the same seed breeds the same best program
  --data DIR        saves the run in this folder after each generation; started again with it, the run continues
  --fresh           with --data: begins anew, instead of continuing what the folder has
  --help            show this text

Exit codes: 0 done, 2 a wrong option, 130 ended by Ctrl-C (with the summary so far).
Colours are left out when NO_COLOR is set or the output is no terminal.`;

const options = {
  population: { type: "string" },
  generations: { type: "string" },
  seed: { type: "string" },
  data: { type: "string" },
  fresh: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** What was given, or a sentence on what is wrong with it; "help" when that was asked for. */
export function readGiven(args: readonly string[]): Given | "help" | { readonly mistake: string } {
  const numbers: Partial<Record<keyof Settings, number>> = {};
  let data: string | undefined;
  let isFresh = false;
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option" || !Object.hasOwn(options, token.name))
      return { mistake: unknown(args[token.index]) };
    const { name, value } = token;
    if (name === "help") return "help";
    const mistake = mistakeIn(name, value);
    if (mistake !== undefined) return { mistake };
    if (name === "fresh") isFresh = true;
    else if (name === "data") data = value;
    else numbers[name as keyof Settings] = Number(value);
  }
  if (isFresh && data === undefined)
    return { mistake: "Cannot use --fresh as it must come with --data: got no folder" };
  const { population, generations, seed } = numbers;
  return { population, generations, seed, data, isFresh };
}

function mistakeIn(name: string, value: string | undefined): string | undefined {
  if (name === "fresh") return undefined;
  const got = value === undefined ? "nothing" : JSON.stringify(value);
  if (name === "data")
    return value === undefined || value === ""
      ? `Cannot use --data as it must be a folder: got ${got}`
      : undefined;
  const { min, max } = bounds[name as keyof Settings];
  const isGood = value !== undefined && /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max;
  return isGood ? undefined : `Cannot use --${name} as it must be ${min}–${max}: got ${got}`;
}

function unknown(word: string | undefined): string {
  const names = Object.keys(options).map((name) => `--${name}`);
  return `Cannot use this option as it must be one of ${names.join(", ")}: got ${JSON.stringify(word)}`;
}
