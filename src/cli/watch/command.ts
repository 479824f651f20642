// `vivarium watch`: reads the options, and says what becomes of the files as it happens.
import { statSync } from "node:fs";
import { systemClock } from "../../std/clock.ts";
import type { CallTarget } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { addOption, json as jsonRule, mistake, text } from "../command/options.ts";
import { problemOf } from "../command/problem.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { errorLines, failureLines, logLines } from "../display/failures.ts";
import { bold, dim, green, type Line } from "../display/lines.ts";
import { millisecondsText } from "../display/units.ts";
import { valueText } from "../display/value.ts";
import { exitCodes } from "../exit-codes.ts";
import { wireOutcome } from "../outcome/wire.ts";
import { reasonOf } from "../reasons.ts";
import { addSpecOptions, specChoiceOf } from "../run/spec-options.ts";
import { watchFiles, type WatchEvent } from "./watch.ts";

const widthWithoutTerminal = 100;

export const command: CommandFile = {
  usage: "PATH [options]",
  description: "Creates a sandbox from a file or folder, and reloads it when its files change.",
  place: "any",
  declare: (parser) => {
    parser.argument(
      "<PATH>",
      "a file, or a folder with an index, a main, or a package.json that names its entry",
    );
    addOption(parser, ["--id <ID>", "the id of the sandbox (default: one is made up)"], text());
    addSpecOptions(parser);
    addOption(
      parser,
      [
        "--call <MODULE.EXPORT>",
        "a function that is called when the sandbox is there, and after each reload",
      ],
      text(),
    );
    addOption(
      parser,
      ["--args <JSON>", "with --call: a JSON array of its arguments"],
      jsonRule("a JSON array"),
    );
    addOption(parser, ["--json", "a line of JSON for everything that happens"]);
  },
  examples: [
    "watch src/variant",
    "watch variant.ts --call variant.score --args '[21]'",
    "watch variant.ts --json",
  ],
  notes: `Code that cannot be run changes nothing: the sandbox keeps what it has, and the error is shown with its place.
Ctrl-C ends it, and the sandbox with it.`,
  exits:
    "2 a mistake in the command line, 1 the files can no longer be followed, 5 refused by the server, 130 ended by Ctrl-C",
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { given, signal } = context;
  const [path = ""] = given.args;
  requirePath(path);
  const call = callOf(given.text("call"), given.value("args"));
  await using opened = await context.open();
  // Lines come as they happen; a reader that is slower holds nothing up, as there are few.
  const tell = context.json
    ? (event: WatchEvent) => void context.output.line(documentOf(event))
    : teller(context);
  await watchFiles({
    runtime: opened.runtime,
    clock: systemClock,
    path,
    id: given.text("id"),
    spec: specChoiceOf(given),
    timeoutMs: given.number("timeout-ms"),
    call,
    signal,
    onEvent: tell,
  });
  return exitCodes.interrupted;
}

function requirePath(path: string): void {
  try {
    statSync(path);
  } catch (error) {
    const message = `Cannot watch ${show(path)} as it must be a file or folder: ${reasonOf(error)}`;
    throw new InvalidOptionsError(message, "path");
  }
}

function callOf(
  target: string | undefined,
  args: unknown,
): { readonly target: CallTarget; readonly args: readonly unknown[] } | undefined {
  if (args !== undefined && !Array.isArray(args)) throw mistake("args", "a JSON array", JSON.stringify(args));
  if (target === undefined && args !== undefined)
    throw new InvalidOptionsError("Cannot use --args as it must come with --call: got none", "args");
  if (target === undefined) return undefined;
  if (!isTarget(target)) throw mistake("call", "MODULE.EXPORT", target);
  return { target, args: (args as readonly unknown[] | undefined) ?? [] };
}

function isTarget(text: string): text is CallTarget {
  return /^[^.].*\.[^.]+$/.test(text);
}

function documentOf(event: WatchEvent): unknown {
  if (event.type === "failed") return { type: "failed", error: problemOf(event.error) };
  return event.type === "outcome" ? { ...event, outcome: wireOutcome(event.outcome) } : event;
}

function teller({ output }: CommandContext): (event: WatchEvent) => void {
  const width = Math.min(output.width, widthWithoutTerminal);
  return (event) => output.lines(linesOf(event, width));
}

function linesOf(event: WatchEvent, width: number): readonly Line[] {
  const at = dim(`${new Date(systemClock.now()).toTimeString().slice(0, 8)} `);
  switch (event.type) {
    case "created":
      return [[at, green("created "), bold(event.sandboxId), `: ${event.modules.join(", ")}`]];
    case "reload":
      return [[at, ...reloadLine(event)]];
    case "failed": {
      const [first = [], ...others] = errorLines(event.error);
      return [[at, ...first], ...others];
    }
    case "outcome":
      return outcomeLines(event, at, width);
    default:
      return [[at, show(event)]];
  }
}

function reloadLine({ report, durationMs }: Extract<WatchEvent, { readonly type: "reload" }>): Line {
  const { status, revision, modules } = report;
  if (status === "unchanged") return [dim("unchanged")];
  const names = Object.entries(modules).map(([name, version]) =>
    version === null ? `${name} is gone` : `${name} ${version}`,
  );
  return [green("reloaded "), `revision ${revision} in ${millisecondsText(durationMs)}: ${names.join(", ")}`];
}

// oxlint-disable-next-line max-params -- the event, and how it is shown
function outcomeLines(
  { target, outcome }: Extract<WatchEvent, { readonly type: "outcome" }>,
  at: Line[number],
  width: number,
): readonly Line[] {
  const output = outcome.logs.flatMap(logLines).map((line): Line => ["  ", ...line]);
  if (!outcome.ok) {
    const [first = [], ...others] = failureLines(outcome.error);
    return [...output, [at, bold(target), " ", ...first], ...others];
  }
  const [first = "", ...others] = valueText(outcome.value, { width }).split("\n");
  return [
    ...output,
    [at, bold(target), " ", green("ok"), ` ${first}`],
    ...others.map((line): Line => [line]),
  ];
}
