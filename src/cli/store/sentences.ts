// What was found in a data folder, or done to it, in sentences.
import type { CompactReport } from "../../store/folder/compaction.ts";
import type { BackupReport } from "../../store/folder/maintenance/backup.ts";
import type { CheckReport } from "../../store/folder/maintenance/check.ts";
import type { ExportReport } from "../../store/folder/maintenance/export.ts";
import type { Loss, Problem } from "../../store/folder/maintenance/problem.ts";
import type { RepairReport } from "../../store/folder/maintenance/repair.ts";
import { bytesText, counted, tableText } from "../display/texts.ts";

/** How many problems are shown; `--json` has more. */
const shownMax = 20;

export function checkText(report: CheckReport): string {
  const { path, problems, problemsOmitted, notes, notesOmitted, tables, size } = report;
  const count = problems.length + problemsOmitted;
  const rows = Object.entries(tables).map(([table, { rows, bytes }]) => [
    table,
    rows.toLocaleString("en-US"),
    bytesText(bytes),
  ]);
  const { databaseBytes, walBytes, freeBytes } = size;
  return paragraphs(
    count === 0
      ? `The data folder ${path} is whole.`
      : `The data folder ${path} has ${counted(count, "problem")}.`,
    list(problems, problemsOmitted),
    notes.length === 0 ? "" : `To know, though nothing is lost by it:\n${list(notes, notesOmitted)}`,
    rows.length === 0 ? "" : tableText([["table", "rows", "bytes"], ...rows]),
    `The database has ${bytesText(databaseBytes)}, ${bytesText(freeBytes)} of them empty; its log has ${bytesText(walBytes)}.`,
    count === 0
      ? ""
      : `Close the runtime that has it open, if there is one, and run: vivarium store repair ${path}`,
  );
}

export function repairText({ path, repaired, kept, losses, ...report }: RepairReport): string {
  if (!repaired) return `Nothing is wrong with the data folder ${path}: nothing was changed.`;
  const { lossesOmitted, sandboxes, damagedFiles } = report;
  const rows = Object.entries(kept).map(([table, rows]) => [table, rows.toLocaleString("en-US")]);
  const lost = counted(losses.length + lossesOmitted, "thing");
  return paragraphs(
    `The data folder ${path} is whole again.`,
    losses.length === 0 ? "Nothing was lost." : `${lost} could not be kept as they were:`,
    list(losses, lossesOmitted),
    sandboxes.lost.length === 0 ? "" : `Sandboxes that are gone: ${names(sandboxes.lost)}.`,
    sandboxes.failed.length === 0
      ? ""
      : `Sandboxes that are failed, each with its reason: ${names(sandboxes.failed)}.`,
    tableText([["table", "rows now"], ...rows]),
    `The damaged files are kept: ${damagedFiles.join(", ")}`,
  );
}

export function compactText(path: string, { bytesBefore, bytesAfter }: CompactReport): string {
  return `The data folder ${path} has ${bytesText(bytesAfter)} now; it had ${bytesText(bytesBefore)}.`;
}

export function backupText(path: string, report: BackupReport): string {
  return `The data folder ${path} is copied to ${report.path}: ${bytesText(report.bytes)}.`;
}

export function exportText({ lines, damaged }: ExportReport): string {
  const whole = `${counted(lines, "line")} written.`;
  return damaged === 0 ? whole : `${whole} ${counted(damaged, "of them is", "of them are")} about damage.`;
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function list(problems: readonly (Problem | Loss)[], omitted: number): string {
  const lines = problems.slice(0, shownMax).map((problem) => {
    const remedy = "remedy" in problem ? ` (${problem.remedy})` : "";
    return `- ${problem.message.replaceAll("\n", " ")}${remedy}`;
  });
  const rest = problems.length - lines.length + omitted;
  return [...lines, ...(rest > 0 ? [`- … and ${rest.toLocaleString("en-US")} more: --json`] : [])].join("\n");
}

function names(ids: readonly string[]): string {
  const rest = ids.length - shownMax;
  const shown = ids.slice(0, shownMax).join(", ");
  return rest > 0 ? `${shown} and ${rest.toLocaleString("en-US")} more` : shown;
}
