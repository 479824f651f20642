// The programs of `vivarium eval`: files, and what comes through stdin.
import { text } from "node:stream/consumers";
import { InvalidOptionsError } from "../../model/errors.ts";
import { stdinName } from "../input.ts";
import { readNamed } from "../places.ts";

export interface Program {
  /** The path as it was given; `-` for stdin. */
  readonly name: string;
  readonly source: string;
}

/** Reads all of them, so that a mistake is said before anything runs. */
export async function readPrograms(names: readonly string[]): Promise<readonly Program[]> {
  if (names.filter((name) => name === stdinName).length > 1)
    throw new InvalidOptionsError("Cannot read stdin as it must be given once: got - twice", "program");
  const programs = names.map((name) => ({
    name,
    source: name === stdinName ? "" : readNamed("program", name, "a file, or - for stdin"),
  }));
  if (!names.includes(stdinName)) return programs;
  const piped = await text(process.stdin);
  return programs.map(({ name, source }) => ({ name, source: name === stdinName ? piped : source }));
}
