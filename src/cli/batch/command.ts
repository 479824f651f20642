// `vivarium batch`: one operation on many sandboxes: lines of JSON in, lines of JSON out.
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { InvalidOptionsError } from "../../model/errors.ts";
import { systemClock } from "../../std/clock.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { addOption, integer, text } from "../command/options.ts";
import { Progress } from "../display/progress.ts";
import { ownStreams } from "../display/streams.ts";
import { exitCodes } from "../exit-codes.ts";
import { stdinName } from "../input.ts";
import { requireFile } from "../places.ts";
import { argsRule } from "../run/run.ts";
import { lineGroups } from "./lines.ts";
import { pipeline } from "./pipeline.ts";
import { targetOf } from "./targets.ts";
import { workOf } from "./work.ts";

const concurrencyUsual = 256;

export const command: CommandFile = {
  usage: "[FILE] (--call TARGET | --task FILE | --suite FILE | --create) [options]",
  description:
    "Does the same with many sandboxes: a line of JSON in for each, a line of JSON out for each result.",
  place: "any",
  declare: (parser) => {
    parser.argument("[FILE]", "the lines, or - for stdin (default: -)");
    addOption(parser, ["--call <TARGET>", "calls this function, as MODULE.EXPORT, in each"], text());
    addOption(parser, ["--args <JSON>", "with --call: its arguments as a list"], argsRule);
    addOption(
      parser,
      ["--task <FILE>", "evaluates each by this module of your own, as vivarium eval does"],
      text(),
    );
    addOption(
      parser,
      ["--suite <FILE>", "evaluates each by tests, a scorer or stages that this file has as JSON"],
      text(),
    );
    addOption(parser, ["--create", "creates each and lets it live, with --data or on a server"]);
    addOption(
      parser,
      ["--concurrency <N>", `how many at a time (default: ${concurrencyUsual})`],
      integer(1, 100_000),
    );
    addOption(parser, ["--timeout-ms <N>", "how long each run may take"], integer(1, 3_600_000));
  },
  examples: [
    `batch variants.jsonl --call main.score --args '[21]'`,
    "batch variants.jsonl --suite tests.json > results.jsonl",
    "|generate-variants | vivarium batch --task task.ts | jq -c 'select(.ok) | [.sandboxId, .score]'",
    "batch specs.jsonl --create --url http://127.0.0.1:7420",
  ],
  notes: `A line is the id of a sandbox as JSON ("a"), or the spec of one that is made for it and destroyed after it:
{"id": "v1", "modules": {"main": "export const score = (n) => n * 2"}, "limits": {"memoryBytes": 33554432}}
Results come as they are done, each with the index of its line, from 0 on. What fails is a result, not an error.
Lines are read as far as results are taken, so that neither their number nor a slow reader costs memory.`,
  exits:
    "0 every line has its result, whatever it is; 1 it failed; 2 a mistake in the command line or a line; 5 refused by the server; 130 ended by Ctrl-C",
  run: runBatch,
};

async function runBatch(context: CommandContext): Promise<number> {
  const { given, output, signal } = context;
  const work = await workOf(context);
  const source = linesFrom(given.args[0] ?? stdinName);
  await using opened = await context.open();
  if (given.flag("create") && opened.where === "new")
    throw new InvalidOptionsError(
      "Cannot create sandboxes that live on as there must be a place for them: give --data DIR or --url URL",
      "create",
    );
  using progress = new Progress({ stream: ownStreams.stderr, clock: systemClock, what: "results" });
  let number = 0;
  const rows = pipeline({
    groups: lineGroups(source),
    itemsMax: given.number("concurrency") ?? concurrencyUsual,
    start: (lines: readonly string[], offset) => {
      const targets = lines.map((line) => targetOf(line, ++number, work.common));
      return shifted(work.start(opened.runtime, targets), offset);
    },
    signal,
  });
  let done = 0;
  progress.update(done);
  try {
    for await (const row of rows) {
      if (process.stdout.isTTY) progress.hide();
      await output.line(row);
      progress.update(++done);
    }
  } finally {
    // Nobody reads the rest, and an open stdin would keep the process alive.
    source.destroy();
  }
  return exitCodes.done;
}

async function* shifted<R extends { readonly index: number }>(
  rows: AsyncIterable<R>,
  offset: number,
): AsyncGenerator<R> {
  for await (const row of rows) yield { ...row, index: row.index + offset };
}

// A file is opened here, so that a mistake is told before anything is started.
function linesFrom(path: string): Readable {
  if (path === stdinName) return process.stdin.setEncoding("utf8");
  requireFile("FILE", path, "a file, or - for stdin");
  return createReadStream(path, { encoding: "utf8" });
}
