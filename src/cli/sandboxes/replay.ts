// `vivarium replay ID RECORDING`: runs a recorded run again, and says whether it came out the same.
import type { Recording } from "../../index.ts";
import type { CommandContext } from "../command-file.ts";
import { wireOutcome } from "../outcome/wire.ts";
import { outcomeLines } from "../outcome/lines.ts";
import { green, red } from "../display/lines.ts";
import { exitCodes } from "../exit-codes.ts";
import { readJson } from "../json-file.ts";
import { handleOf } from "./one.ts";

/** The recording has its own code, so that the sandbox may have changed since. */
export async function replayRun(context: CommandContext, id: string, path: string): Promise<number> {
  const { json, output, signal } = context;
  // What it is, is checked by the runtime.
  const recording = (await readJson("recording", path)) as Recording;
  await using opened = await context.open();
  const handle = await handleOf({ context, opened, id, rest: [path] });
  const { same, difference, sameCode, outcome } = await handle.replay(recording, { signal });
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
}
