// `vivarium logs`: the console lines of a sandbox that are kept, and those that come.
import type { LogLine } from "../../index.ts";
import { systemClock } from "../../std/clock.ts";
import type { CommandFile } from "../command-file.ts";
import { addOption } from "../command/options.ts";
import { logLines } from "../display/failures.ts";
import { exitCodes } from "../exit-codes.ts";
import { followLogs } from "./follow-logs.ts";
import { commandOfOne } from "./one.ts";

export const command: CommandFile = commandOfOne(
  {
    declare: (parser) =>
      addOption(parser, ["--follow", "goes on with the lines that come, until Ctrl-C or the sandbox ends"]),
    examples: ["logs variant-1", "logs variant-1 --follow", "logs variant-1 --follow --json"],
    notes: "With --json: one document with all of them; with --follow too, one line of JSON for each.",
  },
  async ({ context: { given, json, output, signal }, opened, id }) => {
    const write = async (line: LogLine): Promise<void> =>
      json ? output.line(line) : output.lines(logLines(line));
    if (given.flag("follow")) {
      await followLogs({ runtime: opened.runtime, id, clock: systemClock, signal }, write);
      return signal.aborted ? exitCodes.interrupted : exitCodes.done;
    }
    const logs = await opened.runtime.logs(id);
    if (json) output.json({ logs });
    else for (const line of logs) await write(line);
    return exitCodes.done;
  },
);
