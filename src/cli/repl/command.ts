// `vivarium repl`: reads the options of the console and opens it.
import { addOption } from "../command/options.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { ownStreams } from "../display/streams.ts";
import { addSpecOptions, specChoiceOf } from "../run/spec-options.ts";
import { historyPathOf } from "./history-path.ts";
import { runRepl } from "./repl.ts";

export const command: CommandFile = {
  description: "Runs statements one after the other in a sandbox, which keeps what they declare.",
  place: "any",
  declare: (parser) => {
    addSpecOptions(parser);
    addOption(parser, ["--no-history", "keeps nothing of what is typed, and reads no history"]);
    addOption(parser, ["--json", "a line of JSON for each statement: its outcome, output and usage"]);
  },
  examples: [
    "repl",
    "repl --profile high --timeout-ms 1000",
    "repl --url http://127.0.0.1:7420",
    "|echo '1 + 1' | vivarium repl --json",
  ],
  notes: `Keys: Tab completes names, Ctrl-C ends the script that runs or drops what was typed, Ctrl-D ends the console.
Commands begin with a point: .load PATH, .reload, .versions, .rollback, .limits, .logs, .help, .exit.
A statement that is not finished goes on in the next line. History is in $XDG_STATE_HOME/vivarium, for its owner alone; a
line that begins with a space is not kept.
Without a terminal, or with --json, statements are read from standard input line by line, with no prompt.`,
  exits:
    "0 done; without a terminal that of the last statement that failed: 3 the guest's failure, 4 a limit, 1 otherwise; 2 a mistake in the command line, 5 refused by the server, 130 ended by Ctrl-C",
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { given, json, signal } = context;
  await using opened = await context.open();
  return await runRepl({
    runtime: opened.runtime,
    name: opened.name,
    streams: ownStreams,
    signal,
    spec: specChoiceOf(given),
    timeoutMs: given.number("timeout-ms"),
    json,
    historyPath: given.value("no-history") === false ? null : historyPathOf(process.env),
  });
}
