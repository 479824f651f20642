// `vivarium run`: runs one file in a sandbox, and shows what came of it.
import { basename, extname, resolve } from "node:path";
import type { CallOptions, CallTarget, LogLine, Outcome, Recording, Runtime } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { addOption, ruled, text } from "../command/options.ts";
import { failureLines, logLines } from "../display/failures.ts";
import { exitCodeOfFailure, exitCodes } from "../exit-codes.ts";
import { readInput, stdinName } from "../input.ts";
import { outcomeLines } from "../outcome/lines.ts";
import { wireOutcome } from "../outcome/wire.ts";
import { requireFile } from "../places.ts";
import { writeText } from "../written-file.ts";
import { addSpecOptions, specChoiceOf, type SpecChoice } from "./spec-options.ts";

/** The arguments of a run: a JSON list. */
export const argsRule = ruled("a list as JSON", (given): readonly unknown[] | undefined => {
  try {
    const value: unknown = JSON.parse(given);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
});

export const command: CommandFile = {
  description: "Runs a file in a sandbox of its own and prints its value; its console goes to stderr.",
  place: "any",
  declare: (parser) => {
    parser.argument("<FILE>", "a script or a module, TypeScript or JavaScript; or - for stdin");
    addOption(
      parser,
      [
        "--target <EXPORT>",
        "call this exported function, with MODULE. before it for one of a file that is imported (default: run the script, or call the default export)",
      ],
      text(),
    );
    addOption(parser, ["--args <JSON>", "its arguments as a list; in a script the variable args"], argsRule);
    const ofRecord = "with --target and --seed: writes a recording there, for vivarium replay";
    addOption(parser, ["--record <FILE>", ofRecord], text());
    addSpecOptions(parser);
  },
  examples: [
    "run script.ts",
    `run variant.ts --target score --args '[21]'`,
    "run - --timeout-ms 500 --json < untrusted.js",
    "run variant.ts --target score --seed 7 --record run.json",
  ],
  notes: `A script is code that exports nothing: its value is that of its last expression. Imports of other files are followed
with --target. With --json the outcome is printed, a failure too, with the lines of its console.`,
  exits:
    "0 done, 1 it could not be run, 2 a mistake in the command line, 3 the code failed, 4 it hit a limit, 5 refused by the server, 130 ended by Ctrl-C",
  run,
};

/** An outcome with its console lines, and its recording where one was wanted. */
type Ran = Outcome<unknown> & { readonly output: readonly LogLine[]; readonly recording?: Recording };

async function run(context: CommandContext): Promise<number> {
  const { given, json, output } = context;
  const record = given.text("record");
  if (record !== undefined && (given.text("target") === undefined || given.number("seed") === undefined))
    throw new InvalidOptionsError(
      "Cannot use --record as it must come with --target and --seed: got it alone",
      "record",
    );
  const code = await readCode(context);
  await using opened = await context.open({ cells: { count: 1, spare: 0, warm: 1 } });
  const { recording, ...ran } = await runCode(opened.runtime, code, context);
  if (record !== undefined && recording !== undefined) writeText(record, JSON.stringify(recording, null, 2));
  if (json) output.json(wireOutcome(ran));
  else if (ran.ok) output.lines(outcomeLines(ran, output.width));
  else output.noteLines(failureLines(ran.error));
  return ran.ok ? exitCodes.done : exitCodeOfFailure(ran.error.kind);
}

/** What is run: a source, or a file that is read with those that it imports. */
type Code = { readonly source: string } | { readonly path: string; readonly module: string };

async function readCode({ given }: CommandContext): Promise<Code> {
  const [path = ""] = given.args;
  if (given.text("target") === undefined || path === stdinName)
    return { source: await readInput("file", path) };
  requireFile("file", path, "a file, or - for stdin");
  return { path: resolve(path), module: basename(path, extname(path)) };
}

async function runCode(
  runtime: Runtime,
  code: Code,
  { given, json, output, signal }: CommandContext,
): Promise<Ran> {
  const target = given.text("target");
  const args = given.value("args") as readonly unknown[] | undefined;
  const timeoutMs = given.number("timeout-ms");
  const options: CallOptions = {
    signal,
    ...(args === undefined ? {} : { args }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const choice = specChoiceOf(given);
  const onOutput = json ? () => undefined : (line: LogLine) => output.noteLines(logLines(line));
  if (target === undefined && "source" in code)
    return runtime.once(code.source, { ...options, ...choice, onOutput });
  const ran = await callTarget(
    runtime,
    { code, target: target ?? "default", choice },
    {
      ...options,
      record: given.text("record") !== undefined,
    },
  );
  for (const line of ran.output) onOutput(line);
  return ran;
}

interface Call {
  readonly code: Code;
  readonly target: string;
  readonly choice: SpecChoice;
}

async function callTarget(
  runtime: Runtime,
  { code, target, choice }: Call,
  options: CallOptions & { readonly record: boolean },
): Promise<Ran> {
  const [entry, spec] =
    "source" in code
      ? (["main", { modules: { main: code.source } }] as const)
      : ([code.module, { path: code.path }] as const);
  const name = (target.includes(".") ? target : `${entry}.${target}`) as CallTarget;
  await using sandbox = await runtime.create({ ...spec, ...choice });
  const outcome: Outcome<unknown> & { readonly recording?: Recording } = await sandbox.call(name, options);
  return { ...outcome, output: await sandbox.logs() };
}
