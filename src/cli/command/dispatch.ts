// Runs one command: loads it, reads the command line, and turns how it ended into an exit code.
import { asVivariumError } from "../../model/errors.ts";
import type { CommandContext, CommandEntry, CommandFile, CommandTable } from "../command-file.ts";
import { outputOf, type Output } from "../display/output.ts";
import { exitCodeOfError, exitCodes } from "../exit-codes.ts";
import { openRuntime } from "../place/open.ts";
import { helpOf } from "./help.ts";
import { watchInterrupt } from "./interruption.ts";
import { parse, parserOf } from "./parse.ts";
import { problemOf } from "./problem.ts";

/** Runs the command of this entry; never throws. */
export async function dispatch(
  [name, entry]: readonly [string, CommandEntry],
  commands: CommandTable,
  args: readonly string[],
): Promise<number> {
  using interruption = watchInterrupt();
  const { signal } = interruption;
  const output = outputOf(process.stdout, process.stderr);
  try {
    const file = await entry.load();
    if (asksForHelp(args)) return await show(output, helpOf([name, args[0]], entry.about, file));
    const code = await file.run(contextOf({ commands, name, file, args, output, signal }));
    return signal.aborted ? exitCodes.interrupted : code;
  } catch (thrown) {
    const error = asVivariumError(thrown);
    // What was ended by it may say so in words of its own.
    if (signal.aborted) return exitCodes.interrupted;
    // On one line, so that it also ends lines of JSON that were begun.
    if (optionsIn(args).includes("--json")) await output.line(problemOf(error));
    output.note(error.message);
    return exitCodeOfError(error);
  }
}

/** The help of a command, for `vivarium help NAME`. */
export async function showHelp(name: string, entry: CommandEntry, args: readonly string[]): Promise<number> {
  const help = helpOf([name, args[0]], entry.about, await entry.load());
  return show(outputOf(process.stdout, process.stderr), help);
}

async function show(output: Output, help: string): Promise<number> {
  await output.write(`${help}\n`);
  return exitCodes.done;
}

interface Start {
  readonly commands: CommandTable;
  readonly name: string;
  readonly file: CommandFile;
  readonly args: readonly string[];
  readonly output: Output;
  readonly signal: AbortSignal;
}

function contextOf({ commands, name, file, args, output, signal }: Start): CommandContext {
  const { action, given } = parse(parserOf(name, file), args);
  return {
    commands,
    name,
    action,
    given,
    json: given.flag("json"),
    output,
    signal,
    open: (options) => openRuntime({ name, place: file.place, given, options, signal }),
  };
}

function asksForHelp(args: readonly string[]): boolean {
  const options = optionsIn(args);
  return options.includes("--help") || options.includes("-h");
}

// What follows two dashes are arguments, whatever they look like.
function optionsIn(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
}
