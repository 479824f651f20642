// `vivarium restart`: begins a sandbox anew at its current revision.
import type { CommandFile } from "../command-file.ts";
import { commandOfOne } from "./one.ts";

export const command: CommandFile = commandOfOne(
  {
    examples: ["restart variant-1"],
    notes: "Variables of its modules begin anew; processes begin with their last checkpoint.",
  },
  async ({ context: { json, output, signal }, opened, id }) => {
    await opened.runtime.restart(id, { signal });
    const info = await opened.runtime.info(id);
    if (json) output.json(info);
    else output.text(`${id} is ${info.status} at revision ${info.revision}.`);
  },
);
