// The `vivarium` command: runs the given subcommand and turns its result into an exit code.
import { readFileSync } from "node:fs";
import { asVivariumError, type ErrorCode } from "../model/errors.ts";
import { nearest } from "../model/option-places.ts";
import { printable } from "../model/printable.ts";
import { show } from "../model/show.ts";
import { demo } from "./demo.ts";
import { evaluateFiles } from "./eval/command.ts";
import { watchStandardStreams } from "./standard-streams.ts";
import { runs, store } from "./store/commands.ts";

export interface Command {
  /** What it does, in half a line. */
  readonly about: string;
  readonly help: string;
  /** Runs it; returns the exit code. A caller's mistake is thrown. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

const commands: Readonly<Record<string, Command>> = { demo, eval: evaluateFiles, store, runs };
/** What whoever wrote the command or its task did wrong. */
const mistakes: readonly ErrorCode[] = ["INVALID_OPTIONS", "INVALID_LIMITS", "INVALID_PROFILE", "INVALID_ID"];
const mistakeCode = 2;
const brokenCode = 1;

const help = `Vivarium runs thousands of untrusted code variants side by side, each in a sandbox of its own.

Usage: vivarium COMMAND [options]

${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(8)}${about}`)
  .join("\n")}

vivarium COMMAND --help shows a command's options, vivarium --version (-V) which version this is.
Exit codes: 0 done, or nobody reads the output any more; 1 it failed, 2 a mistake in the command line, 130 ended by Ctrl-C.`;

watchStandardStreams();
process.exitCode = await main(process.argv.slice(2));

async function main([name = "--help", ...args]: readonly string[]): Promise<number> {
  if (name === "--version" || name === "-V") return say(version());
  const isHelp = name === "--help" || name === "-h" || name === "help";
  if (isHelp && args.length === 0) return say(help);
  const wanted = isHelp ? (args[0] ?? "") : name;
  const command = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined;
  if (command === undefined) return complain(unknownCommand(wanted), mistakeCode);
  if (isHelp || args.includes("--help") || args.includes("-h")) return say(command.help);
  try {
    return await command.run(args);
  } catch (error) {
    const { code, message } = asVivariumError(error);
    return complain(message, mistakes.includes(code) ? mistakeCode : brokenCode);
  }
}

function unknownCommand(name: string): string {
  const names = Object.keys(commands);
  const near = nearest(name, names);
  const hint = near === undefined ? "" : `, did you mean ${near}?`;
  return `Cannot run this command as it must be one of ${names.join(", ")}: got ${show(name)}${hint}`;
}

function version(): string {
  // The path holds for the sources as well as for the built package, as both lie two folders below the root.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function complain(text: string, code: number): number {
  // It may quote what a guest wrote.
  console.error(printable(text));
  return code;
}
