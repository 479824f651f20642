// `vivarium export`: a sandbox as one piece of plain data.
import { waited } from "../display/waiting.ts";
import { writeText } from "../written-file.ts";
import type { CommandFile } from "../command-file.ts";
import { addOption, text } from "../command/options.ts";
import { commandOfOne, handleOf } from "./one.ts";

export const command: CommandFile = commandOfOne(
  {
    declare: (parser) => addOption(parser, ["--output <FILE>", "write there instead of to stdout"], text()),
    examples: [
      "export variant-1 --output variant-1.json",
      "export variant-1 | vivarium import - --url https://other",
    ],
    notes:
      "Its code with all versions, states, limits, character and origin, with a checksum; it is JSON anyway.",
  },
  async (one) => {
    const { given, output, signal } = one.context;
    const individual = await waited(`Exporting ${one.id}`, async () =>
      (await handleOf(one)).export({ signal }),
    );
    const path = given.text("output");
    if (path === undefined) output.json(individual);
    else writeText(path, JSON.stringify(individual, null, 2));
  },
);
