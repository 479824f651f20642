// `vivarium runs`: what a data folder has, who owns it, and which evolutions ran in it.
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { describeFolder, type FolderContents, type RunRow } from "../../store/folder/maintenance/contents.ts";
import { addOption } from "../command/options.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { bytesText, counted, tableText } from "../display/texts.ts";
import { exitCodes } from "../exit-codes.ts";

export const command: CommandFile = {
  usage: "DIR [--json]",
  description:
    "Shows what a data folder has: its owner, its sandboxes, its size, and the evolutions that ran in it.",
  place: "none",
  declare: (parser) => {
    parser.argument("[DIR...]", "the folder");
    addOption(parser, ["--json", "everything as JSON"]);
  },
  examples: ["runs ./run-1", "runs ./run-1 --json"],
  notes: `Nothing is changed, and a runtime that has the folder open is not disturbed.
An evolution is a row of the collection "runs" of runtime.documents: its key is its name, and its value an object with
title, seed, state ("running" or "done"), generation, evaluations, best, updatedAt and options, each of them optional.`,
  exits: "0 done, 1 the folder cannot be read, 2 a wrong option",
  run: runRuns,
};

function runRuns({ given: { args }, json, output }: CommandContext): number {
  const [path, ...others] = args;
  if (path === undefined || others.length > 0) {
    const got = args.length === 0 ? "nothing" : args.map(show).join(", ");
    throw new InvalidOptionsError(`Cannot show runs as there must be one DIR: got ${got}`, "path");
  }
  const contents = describeFolder(path);
  if (json) output.json(contents);
  else output.text(contentsText(contents));
  return exitCodes.done;
}

function contentsText(contents: FolderContents): string {
  const { path, size, lastWriteAt, runs } = contents;
  const bytes = bytesText(size.databaseBytes + size.walBytes);
  return [
    `Data folder ${path}: ${bytes}, last written ${timeText(lastWriteAt)}.`,
    ownerText(contents),
    sandboxesText(contents),
    runs.length === 0 ? "No evolution has said anything about itself." : `\n${runsText(runs)}`,
  ].join("\n");
}

function ownerText({ running, owner }: FolderContents): string {
  if (!running) return "No process has it open.";
  if (owner === null) return "A process has it open.";
  const since = timeText(owner.startedAt);
  return `It is open in ${show(owner.name)}, process ${owner.pid} on ${show(owner.host)}, since ${since}.`;
}

function sandboxesText({ sandboxes, tombstones, documents }: FolderContents): string {
  const count = Object.values(sandboxes).reduce((sum, each) => sum + each, 0);
  const parts = Object.entries(sandboxes).map(
    ([status, each]) => `${each.toLocaleString("en-US")} ${status}`,
  );
  const rows = Object.values(documents).reduce((sum, each) => sum + each, 0);
  const byStatus = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  return `${counted(count, "sandbox", "sandboxes")}${byStatus}, ${counted(tombstones, "tombstone")}, ${counted(rows, "document")}.`;
}

const columns = ["title", "seed", "state", "generation", "evaluations", "best", "updatedAt"] as const;

function runsText(runs: readonly RunRow[]): string {
  const rows = runs.map((run) => [run.name, ...columns.map((column) => cellText(column, run[column]))]);
  return tableText([
    ["run", ...columns.map((column) => (column === "updatedAt" ? "updated" : column))],
    ...rows,
  ]);
}

function cellText(column: (typeof columns)[number], value: unknown): string {
  if (value === undefined || value === null) return "–";
  if (column === "updatedAt" && typeof value === "number") return timeText(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function timeText(ms: unknown): string {
  // It may be no time at all.
  const time = new Date(typeof ms === "number" ? ms : Number.NaN);
  return Number.isNaN(time.getTime()) ? "at an unknown time" : time.toISOString();
}
