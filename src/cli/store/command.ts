// `vivarium store`: looks after a data folder: checks, repairs, compacts, exports and copies it.
import type { Command } from "commander";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { backupFolder } from "../../store/folder/maintenance/backup.ts";
import { checkFolder } from "../../store/folder/maintenance/check.ts";
import { compactFolder } from "../../store/folder/maintenance/compact.ts";
import { exportFolder, type ExportReport } from "../../store/folder/maintenance/export.ts";
import { repairFolder } from "../../store/folder/maintenance/repair.ts";
import { addOption, integer, text } from "../command/options.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { exitCodes } from "../exit-codes.ts";
import { waited } from "../display/waiting.ts";
import { refuseOwnFile } from "./own-files.ts";
import { backupText, checkText, compactText, exportText, repairText } from "./sentences.ts";
import { writeWhole } from "./whole-file.ts";

const brokenCode = exitCodes.failed;
const tombstonesMax = 10_000_000;

export const command: CommandFile = {
  usage: "ACTION DIR [options]",
  description: "Looks after a data folder, the one of createRuntime({ data: DIR }).",
  place: "none",
  declare: (parser) => {
    add(
      parser,
      "check",
      "looks for everything that is wrong; changes nothing; also while a runtime has the folder open",
    );
    add(parser, "repair", "saves what can be saved into a new database; the damaged one stays beside it");
    const compacting = add(
      parser,
      "compact",
      "drops what nothing refers to, and gives its room back to the disk",
    );
    addOption(
      compacting,
      ["--tombstones <N>", "keep the last N tombstones (default 10000)"],
      integer(0, tombstonesMax),
    );
    const exporting = add(
      parser,
      "export",
      "writes sandboxes, tombstones and documents as lines of JSON; also while a runtime has it open",
    );
    addOption(exporting, ["--output <FILE>", "write there instead of to stdout"], text());
    add(
      parser,
      "backup",
      "copies what was committed to the new folder TO; also while a runtime has it open",
    ).argument("<TO>");
  },
  examples: [
    "store check ./run-1",
    "store backup ./run-1 ./run-1-copy",
    "store export ./run-1 --output run-1.jsonl",
    "store repair ./run-1",
  ],
  notes: `With --json, check, repair, compact and backup print the whole report as JSON; export writes lines of JSON anyway.
Options: compact --tombstones N keeps the last N tombstones (default 10000); export --output FILE writes to a file.
repair and compact need a folder that nobody has open.`,
  exits: "0 done and nothing is wrong, 1 something is wrong, was lost or failed, 2 a wrong option",
  run: ({ action = "", given, json, output }) =>
    actions[action]?.(given.args, { given, json, output }) ?? exitCodes.failed,
};

function add(parser: Command, name: string, about: string): Command {
  return parser.command(name).description(about).argument("<DIR>");
}

type Wanted = Pick<CommandContext, "given" | "json" | "output">;

const actions: Readonly<
  Record<string, (paths: readonly string[], wanted: Wanted) => Promise<number> | number>
> = {
  check,
  repair,
  compact,
  export: exportAll,
  backup: backUp,
};

function check([path = ""]: readonly string[], { json, output }: Wanted): number {
  const report = checkFolder(path);
  if (json) output.json(report);
  else output.text(checkText(report));
  return report.problems.length === 0 ? 0 : brokenCode;
}

function repair([path = ""]: readonly string[], { json, output }: Wanted): number {
  const report = repairFolder(path);
  if (json) output.json(report);
  else output.text(repairText(report));
  return report.losses.length === 0 ? 0 : brokenCode;
}

function compact([path = ""]: readonly string[], { given, json, output }: Wanted): number {
  const left = given.number("tombstones");
  const report = compactFolder(path, left === undefined ? {} : { tombstonesMax: left });
  if (json) output.json({ path, ...report });
  else output.text(compactText(path, report));
  return 0;
}

async function exportAll(
  [path = ""]: readonly string[],
  { given, output: streams }: Wanted,
): Promise<number> {
  const output = given.text("output");
  let report: ExportReport;
  try {
    report = await (output === undefined ? exportFolder(path, process.stdout) : exportTo(path, output));
  } catch (error) {
    const { code } = error as { readonly code?: string };
    // Who read the output has enough.
    if (output === undefined && code === "EPIPE") return 0;
    const isPlace = output !== undefined && ["ENOENT", "EACCES", "EISDIR", "ENOTDIR"].includes(code ?? "");
    if (!isPlace) throw error;
    const message = `Cannot write to ${show(output)} as it must be a place for a file: ${String(error)}`;
    throw new InvalidOptionsError(message, "output");
  }
  // Beside the lines, which may be what stdout is for.
  streams.note(exportText(report));
  return report.damaged === 0 ? 0 : brokenCode;
}

function exportTo(path: string, output: string): Promise<ExportReport> {
  refuseOwnFile(path, output, "output");
  return writeWhole(output, (to) => exportFolder(path, to));
}

async function backUp([path = "", to = ""]: readonly string[], { json, output }: Wanted): Promise<number> {
  const report = await waited(`Copying ${path}`, () => backupFolder(path, to));
  if (json) output.json(report);
  else output.text(backupText(path, report));
  return 0;
}
