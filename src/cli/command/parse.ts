// Makes the parser of a command from its file, and reads a command line with it. Mistakes are told in our own sentences.
import { Command, CommanderError, type Option } from "commander";
import { InvalidOptionsError } from "../../model/errors.ts";
import { nearest } from "../../model/option-places.ts";
import { show } from "../../model/show.ts";
import type { CommandFile } from "../command-file.ts";
import { addPlaceOptions } from "../place/options.ts";
import { Given } from "./given.ts";
import { mistake, RuledOption } from "./options.ts";

export interface Parsed {
  readonly action: string | undefined;
  readonly given: Given;
}

/** The parser of a command, with those of its actions. */
export function parserOf(name: string, file: CommandFile): Command {
  const command = new Command(name);
  file.declare(command);
  for (const each of [command, ...command.commands]) {
    // An action of a command has what it needs by itself; above it there is nothing to say.
    if (each === command && command.commands.length > 0) continue;
    if (file.place !== "none") addPlaceOptions(each, file.place);
    if (!has(each, "--json")) each.option("--json", "the result as JSON on standard output");
    each.exitOverride().configureOutput({ writeErr: () => undefined });
  }
  return command;
}

/** Throws `INVALID_OPTIONS` with a sentence for the user. */
export function parse(root: Command, args: readonly string[]): Parsed {
  const [first = "", ...others] = args;
  if (root.commands.length === 0) return { action: undefined, given: givenOf(root, args) };
  const action = root.commands.find((each) => each.name() === first);
  if (action !== undefined) return { action: first, given: givenOf(action, others) };
  const names = root.commands.map((each) => each.name());
  const rule = `its action must be one of ${names.join(", ")}`;
  throw new InvalidOptionsError(
    `Cannot run ${root.name()} as ${rule}: got ${show(first)}${hint("", first, names)}`,
    "action",
  );
}

function givenOf(command: Command, args: readonly string[]): Given {
  const { operands, unknown } = optionsOf(command, args);
  if (unknown[0] !== undefined) throw unknownOption(command, unknown[0]);
  const { registeredArguments: taken } = command;
  const needed = taken.filter(({ required }) => required).length;
  const isOpen = taken.at(-1)?.variadic === true;
  if (operands.length >= needed && (isOpen || operands.length <= taken.length))
    return new Given(command, operands);
  if (taken.length === 0)
    throw new InvalidOptionsError(
      `Cannot use this argument as only options are taken: got ${show(operands[0])}`,
      "",
    );
  const names = taken.map((each) => (each.required ? each.name() : `at most one ${each.name()}`));
  const got = operands.length === 0 ? "nothing" : operands.map(show).join(", ");
  throw new InvalidOptionsError(
    `Cannot run ${pathOf(command)} as it takes ${names.join(" and ")}: got ${got}`,
    "",
  );
}

function optionsOf(command: Command, args: readonly string[]): ReturnType<Command["parseOptions"]> {
  try {
    return command.parseOptions([...args]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const option = command.options.find(({ flags }) => error.message.includes(`'${flags}'`));
    const rule = option instanceof RuledOption ? option.rule.rule : "a text";
    throw mistake((option?.long ?? "").slice(2), rule, undefined);
  }
}

function unknownOption(command: Command, given: string): InvalidOptionsError {
  const names = command.options.map(longOf);
  const [name = "", value] = given.split(/=(.*)/s);
  const bare = name.replace(/^-+/, "");
  if (value !== undefined && names.includes(bare))
    return new InvalidOptionsError(`Cannot use --${bare} as it takes no value: got ${show(value)}`, bare);
  const rule = `it must be one of ${names.map((each) => `--${each}`).join(", ")}`;
  return new InvalidOptionsError(
    `Cannot use this option as ${rule}: got ${show(name)}${hint("--", bare, names)}`,
    given,
  );
}

/** ", did you mean NAME?" where one is near. */
export function hint(prefix: string, name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  return near === undefined ? "" : `, did you mean ${prefix}${near}?`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${command.parent.name()} ${command.name()}`;
}

function has(command: Command, long: string): boolean {
  return command.options.some((option) => option.long === long);
}

function longOf(option: Option): string {
  return (option.long ?? option.flags).replace(/^-+/, "");
}
