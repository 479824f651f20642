// Sizes, counts and tables as text for a person. A table may quote what guests wrote, which a terminal must not obey.
import { printable } from "../../model/printable.ts";

const units = ["B", "kB", "MB", "GB", "TB"];

export function bytesText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1_000 ** power).toFixed(1)} ${units[power]}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** Rows below each other in columns; the first row is their heading. */
export function tableText(rows: readonly (readonly string[])[]): string {
  // Each cell on one line, and of no more than this many characters.
  const cells = rows.map((row) => row.map((cell) => oneLine(cell)));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const cellLengthMax = 60;

function oneLine(text: string): string {
  const line = printable(text).replaceAll("\n", "\\n");
  return line.length > cellLengthMax ? `${line.slice(0, cellLengthMax - 1)}…` : line;
}
