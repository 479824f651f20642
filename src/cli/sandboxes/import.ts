// `vivarium import`: creates a sandbox from what was exported.
import { waited } from "../display/waiting.ts";
import type { Individual } from "../../index.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { addOption, text } from "../command/options.ts";
import { exitCodes } from "../exit-codes.ts";
import { readJson } from "../json-file.ts";

export const command: CommandFile = {
  place: "living",
  declare: (parser) => {
    parser.argument("<FILE>", "what vivarium export wrote, or - for stdin");
    addOption(parser, ["--id <ID>", "its id here (default: one is made up)"], text());
    addOption(
      parser,
      ["--profile <NAME>", "its security profile (default: its own, where that is as strict)"],
      text(),
    );
    addOption(parser, ["--tenant <NAME>", "its tenant, which it must have where it had one"], text());
  },
  examples: ["import variant-1.json --id variant-2", "import - --data ./run-2 < variant-1.json"],
  notes: "What was changed since it was exported is refused. Limits are lowered to those of the runtime.",
  run: importFile,
};

async function importFile({ given, json, output, signal, open }: CommandContext): Promise<number> {
  // What it is, is checked by the runtime.
  const individual = (await readJson("individual", given.args[0] ?? "")) as Individual;
  const [id, profile, tenant] = [given.text("id"), given.text("profile"), given.text("tenant")];
  await using opened = await open();
  const spec = {
    signal,
    ...(id === undefined ? {} : { id }),
    ...(profile === undefined ? {} : { profile }),
    ...(tenant === undefined ? {} : { placement: { tenant } }),
  };
  const sandbox = await waited("Importing", () => opened.runtime.import(individual, spec));
  const info = await sandbox.info();
  if (json) output.json(info);
  else output.text(`${info.id} is ${info.status} at revision ${info.revision}.`);
  return exitCodes.done;
}
