// The columns of the list of sandboxes.
import type { TableColumn } from "../../controls/table.ts";
import { bytesText, countText, durationText, numberText, oneLine } from "../../text.ts";
import type { SandboxRow } from "./list.ts";

const known = (value: number | null, text: (value: number) => string): string | null =>
  value === null ? null : text(value);

/** How a status is coloured, beside its word. */
export function toneOf(status: string): "good" | "warn" | "bad" | "quiet" {
  if (status === "running") return "good";
  if (status === "failed") return "bad";
  return status === "stopped" || status === "stopping" ? "quiet" : "warn";
}

const marks: Readonly<Record<string, string>> = { good: "●", warn: "◐", bad: "✕", quiet: "○" };

export function statusText(status: string): string {
  return `${marks[toneOf(status)]} ${status}`;
}

export function columnsAt(now: number): readonly TableColumn<SandboxRow>[] {
  const columns: TableColumn<SandboxRow>[] = [
    { key: "id", title: "Id", width: 180, text: (row) => oneLine(row.id, 100) },
    {
      key: "status",
      title: "Status",
      width: 130,
      text: (row) => (row.status === "stopped" ? "○ gone" : statusText(row.status)),
      tone: (row) => toneOf(row.status),
    },
    {
      key: "generation",
      title: "Generation",
      width: 115,
      figure: true,
      text: (row) => known(row.generation, countText),
    },
    { key: "score", title: "Score", width: 110, figure: true, text: (row) => known(row.score, numberText) },
    { key: "memory", title: "Memory", width: 180, figure: true, text: memoryText },
    { key: "runs", title: "Runs", width: 90, figure: true, text: (row) => known(row.runs, countText) },
    { key: "cell", title: "Cell", width: 90, figure: true, text: cellText },
    {
      key: "restarts",
      title: "Restarts",
      width: 100,
      figure: true,
      text: (row) => known(row.restarts, countText),
    },
    {
      key: "age",
      title: "Age",
      width: 120,
      figure: true,
      text: (row) => known(row.createdAt, (at) => durationText(Math.max(0, now - at))),
    },
  ];
  return columns.map((column) => ({ ...column, sortable: true }));
}

function memoryText({ heapBytes, memoryBytes }: SandboxRow): string | null {
  if (memoryBytes === null) return null;
  return `${bytesText(heapBytes)} of ${bytesText(memoryBytes)}`;
}

function cellText({ cell, status }: SandboxRow): string | null {
  if (cell !== null) return String(cell);
  return status === "stopped" ? null : "none";
}
