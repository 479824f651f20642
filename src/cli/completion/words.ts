// What may be completed on a command line: the commands with their actions and options.
import type { Command } from "commander";
import { parserOf } from "../command/parse.ts";
import type { CommandTable } from "../command-file.ts";

export interface OptionWords {
  /** As it is written: `--seed`. */
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
}

export interface CommandWords {
  readonly name: string;
  readonly about: string;
  readonly actions: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly OptionWords[];
}

/** Loads all commands. */
export async function commandWords(commands: CommandTable): Promise<readonly CommandWords[]> {
  const words: CommandWords[] = [];
  for (const [name, { about, load }] of Object.entries(commands)) {
    const parser = parserOf(name, await load());
    const actions = parser.commands.map((each) => ({ name: each.name(), about: each.description() }));
    words.push({ name, about, actions, options: optionsOf([parser, ...parser.commands]) });
  }
  return words;
}

function optionsOf(parsers: readonly Command[]): readonly OptionWords[] {
  const options = new Map<string, OptionWords>();
  for (const { long, description, required } of parsers.flatMap((parser) => parser.options))
    if (long !== undefined && long !== null)
      options.set(long, { name: long, about: description, takesValue: required });
  options.set("--help", { name: "--help", about: "shows its help", takesValue: false });
  return [...options.values()];
}
