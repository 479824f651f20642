// `vivarium gc`: sweeps now.
import { waited } from "../display/waiting.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { counted } from "../display/texts.ts";
import { millisecondsText } from "../display/units.ts";
import { exitCodes } from "../exit-codes.ts";

export const command: CommandFile = {
  place: "living",
  declare: () => undefined,
  examples: ["gc", "gc --data ./run-1 --json"],
  notes: "Collected are sandboxes beyond their lifetimeMs or idleMs, and what is left of failed ones.",
  run: collect,
};

async function collect({ json, output, signal, open }: CommandContext): Promise<number> {
  await using opened = await open();
  const report = await waited("Collecting", () => opened.runtime.collect({ signal }));
  if (json) output.json(report);
  else {
    const { expired, failed, unretained, tombstones, durationMs, policyFailures } = report;
    output.text(
      `${counted(expired, "expired sandbox", "expired sandboxes")}, ${failed} failed and ${unretained} that no policy retains are gone; ` +
        `${counted(tombstones, "tombstone is", "tombstones are")} kept. It took ${millisecondsText(durationMs)}.`,
    );
    for (const sentence of policyFailures) output.note(sentence);
  }
  return exitCodes.done;
}
