// `vivarium store`: looks after a data folder: checks, repairs, compacts, exports and copies it.
import { join } from "node:path";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { identityOf, isSameFile } from "../../store/folder/file-identity.ts";
import { backupFolder } from "../../store/folder/maintenance/backup.ts";
import { checkFolder } from "../../store/folder/maintenance/check.ts";
import { compactFolder } from "../../store/folder/maintenance/compact.ts";
import { exportFolder, type ExportReport } from "../../store/folder/maintenance/export.ts";
import { repairFolder } from "../../store/folder/maintenance/repair.ts";
import { fileNames } from "../../store/folder/schema.ts";
import { readArguments, type Arguments, type OptionRule } from "../arguments.ts";
import { print, printJson } from "./output.ts";
import { backupText, checkText, compactText, exportText, repairText } from "./sentences.ts";
import { writeWhole } from "./whole-file.ts";

const brokenCode = 1;
const tombstonesMax = 10_000_000;

interface Action {
  /** The names of its arguments. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, OptionRule>>;
  readonly run: (paths: readonly string[], given: Arguments) => Promise<number> | number;
}

const { database, lock, owner } = fileNames;
const ownFiles = [database, `${database}-wal`, `${database}-shm`, lock, owner];
const json = { json: { kind: "flag" } } as const;

const actions: Readonly<Record<string, Action>> = {
  check: { args: ["DIR"], options: json, run: check },
  repair: { args: ["DIR"], options: json, run: repair },
  compact: {
    args: ["DIR"],
    options: { ...json, tombstones: { kind: "integer", min: 0, max: tombstonesMax } },
    run: compact,
  },
  export: { args: ["DIR"], options: { output: { kind: "text" } }, run: exportAll },
  backup: { args: ["DIR", "TO"], options: json, run: backUp },
};

export async function runStore(args: readonly string[]): Promise<number> {
  const [name = "", ...others] = args;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) {
    const rule = `its action must be one of ${Object.keys(actions).join(", ")}`;
    throw new InvalidOptionsError(`Cannot run store as ${rule}: got ${show(name)}`, "action");
  }
  const given = readArguments(others, action.options, { takesOthers: true });
  if (given.rest.length !== action.args.length) {
    const rule = `it takes ${action.args.join(" and ")}`;
    const got = given.rest.length === 0 ? "nothing" : given.rest.map(show).join(", ");
    throw new InvalidOptionsError(`Cannot run store ${name} as ${rule}: got ${got}`, "path");
  }
  return action.run(given.rest, given);
}

function check([path = ""]: readonly string[], { flags }: Arguments): number {
  const report = checkFolder(path);
  if (flags.has("json")) printJson(report);
  else print(checkText(report));
  return report.problems.length === 0 ? 0 : brokenCode;
}

function repair([path = ""]: readonly string[], { flags }: Arguments): number {
  const report = repairFolder(path);
  if (flags.has("json")) printJson(report);
  else print(repairText(report));
  return report.losses.length === 0 ? 0 : brokenCode;
}

function compact([path = ""]: readonly string[], { flags, integers }: Arguments): number {
  const left = integers.get("tombstones");
  const report = compactFolder(path, left === undefined ? {} : { tombstonesMax: left });
  if (flags.has("json")) printJson({ path, ...report });
  else print(compactText(path, report));
  return 0;
}

async function exportAll([path = ""]: readonly string[], { texts }: Arguments): Promise<number> {
  const output = texts.get("output")?.at(-1);
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
  console.error(exportText(report));
  return report.damaged === 0 ? 0 : brokenCode;
}

function exportTo(path: string, output: string): Promise<ExportReport> {
  const file = identityOf(output);
  const own = ownFiles.find((name) => isSameFile(file, identityOf(join(path, name))));
  if (own === undefined) return writeWhole(output, (to) => exportFolder(path, to));
  const rule = "it must be no file of the data folder itself";
  throw new InvalidOptionsError(`Cannot write to ${show(output)} as ${rule}: got its ${own}`, "output");
}

async function backUp([path = "", to = ""]: readonly string[], { flags }: Arguments): Promise<number> {
  const report = await backupFolder(path, to);
  if (flags.has("json")) printJson(report);
  else print(backupText(path, report));
  return 0;
}
