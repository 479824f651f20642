// `vivarium replay`: runs a recording again, and says whether it came out the same.
import type { Recording } from "../../index.ts";
import type { CommandFile } from "../command-file.ts";
import { wireOutcome } from "../outcome/wire.ts";
import { outcomeLines } from "../outcome/lines.ts";
import { green, red } from "../display/lines.ts";
import { exitCodes } from "../exit-codes.ts";
import { readJson } from "../json-file.ts";
import { commandOfOne, handleOf } from "./one.ts";

export const command: CommandFile = commandOfOne(
  {
    declare: (parser) =>
      void parser.argument("<RECORDING>", "a file with the recording of a run as JSON, or - for stdin"),
    examples: [
      "replay variant-1 recording.json",
      "run variant.ts --target main.f --record recording.json --seed 7",
    ],
    notes: "The recording has its own code, so that the sandbox may have changed since.",
    exits:
      "0 it is the same, 1 it differs or failed, 2 a mistake in the command line, 5 refused by the server, 130 ended by Ctrl-C",
  },
  async (one) => {
    const { json, output, signal } = one.context;
    // What it is, is checked by the runtime.
    const recording = (await readJson("recording", one.rest[0] ?? "")) as Recording;
    const replay = await (await handleOf(one)).replay(recording, { signal });
    const { same, difference, sameCode, outcome } = replay;
    if (json) output.json({ same, difference, sameCode, outcome: wireOutcome(outcome) });
    else {
      const verdict = same ? green("same") : red("different");
      output.lines([
        [
          verdict,
          difference === null ? "" : `: ${difference}`,
          sameCode ? "" : "; the sandbox has other code now",
        ],
        ...outcomeLines(outcome, output.width),
      ]);
    }
    return same ? exitCodes.done : exitCodes.failed;
  },
);
