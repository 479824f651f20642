// The `vivarium` command: runs the given subcommand and turns its result into an exit code.
import { asVivariumError } from "../model/errors.ts";
import { printable } from "../model/printable.ts";
import { demo } from "./demo.ts";
import { evaluateFiles } from "./eval/command.ts";
import { runs, store } from "./store/commands.ts";

export interface Command {
  /** What it does, in half a line. */
  readonly about: string;
  readonly help: string;
  /** Runs it; returns the exit code. A caller's mistake is thrown. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

const commands: Readonly<Record<string, Command>> = { demo, eval: evaluateFiles, store, runs };
const mistakeCode = 2;
const brokenCode = 1;

const help = `Vivarium runs thousands of untrusted code variants side by side, each in a sandbox of its own.

Usage: vivarium COMMAND [options]

${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(8)}${about}`)
  .join("\n")}

vivarium COMMAND --help shows a command's options.
Exit codes: 0 done, 1 it failed, 2 a wrong option, 130 ended by Ctrl-C.`;

process.exitCode = await main(process.argv.slice(2));

async function main([name = "--help", ...args]: readonly string[]): Promise<number> {
  if (name === "--help" || name === "-h" || name === "help") return say(help);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const names = Object.keys(commands).join(", ");
    return complain(
      `Cannot run this command as it must be one of ${names}: got ${JSON.stringify(name)}`,
      mistakeCode,
    );
  }
  if (args.includes("--help") || args.includes("-h")) return say(command.help);
  try {
    return await command.run(args);
  } catch (error) {
    const { code, message } = asVivariumError(error);
    return complain(message, code === "INVALID_OPTIONS" ? mistakeCode : brokenCode);
  }
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function complain(text: string, code: number): number {
  // It may quote what a guest wrote.
  const shown = printable(text);
  console.error(code === mistakeCode ? `${shown}\nTry --help.` : shown);
  return code;
}
