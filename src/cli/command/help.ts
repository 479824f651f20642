// The help of one command, made of what it declares.
import type { Command } from "commander";
import type { CommandFile } from "../command-file.ts";
import { parserOf } from "./parse.ts";

const usualExits = "0 done, 1 it failed, 2 a mistake in the command line, 130 ended by Ctrl-C";
const refusedExit = "5 refused by the server";

/** Text for a person. `name` is that of the command, with that of an action behind it where one was named. */
export function helpOf(
  [name, action]: readonly [name: string, action?: string | undefined],
  about: string,
  file: CommandFile,
): string {
  const root = parserOf(name, file);
  const sub = root.commands.find((each) => each.name() === action);
  const command = sub ?? root;
  root.name(`vivarium ${name}`);
  if (sub === undefined)
    root.description(file.description ?? sentence(about)).usage(file.usage ?? usageOf(root));
  else sub.usage(usageOf(sub));
  command.configureHelp({
    optionTerm: ({ flags }) => flags.replaceAll(/[<>]/g, ""),
    argumentTerm: (argument) => argument.name(),
    subcommandTerm: (each) => [each.name(), ...argumentsOf(each)].join(" "),
  });
  command.helpOption("-h, --help", "shows this").helpCommand(false);
  return [command.helpInformation().trimEnd(), ...endOf(file)].join("\n\n");
}

function endOf(file: CommandFile): readonly string[] {
  const examples = file.examples.map(
    (line) => `  ${line.startsWith("|") ? line.slice(1) : `vivarium ${line}`}`,
  );
  const exits =
    file.exits ??
    (file.place === "none" ? usualExits : `${usualExits.replace(", 130", `, ${refusedExit}, 130`)}`);
  return [
    ...(examples.length === 0 ? [] : [`Examples:\n${examples.join("\n")}`]),
    ...(file.notes === undefined ? [] : [file.notes]),
    `Exit codes: ${exits}.`,
  ];
}

function usageOf(command: Command): string {
  const action = command.commands.length > 0 ? ["ACTION …"] : [];
  return [...action, ...argumentsOf(command), "[options]"].join(" ");
}

function argumentsOf(command: Command): readonly string[] {
  return command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "…" : ""}`;
    return argument.required ? name : `[${name}]`;
  });
}

function sentence(about: string): string {
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
}
