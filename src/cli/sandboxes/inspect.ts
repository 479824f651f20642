// `vivarium inspect`: all that is known of a sandbox, also of one that is gone.
import type { CommandFile } from "../command-file.ts";
import { folded } from "../display/lines.ts";
import { infoLines } from "./info-lines.ts";
import { commandOfOne } from "./one.ts";

export const command: CommandFile = commandOfOne(
  {
    examples: ["inspect variant-1", "inspect variant-1 --json", "inspect variant-1 --data ./run-1"],
    notes: "Of a sandbox that is gone, what is kept of the latest one of this id is shown.",
  },
  async ({ context: { json, output }, opened, id }) => {
    const info = await opened.runtime.info(id);
    if (json) output.json(info);
    else output.lines(infoLines(info).flatMap((line) => folded(line, output.width)));
  },
);
