// Positions in a source as people read them: line and column, and the code around them.
import type { Position } from "../stacks/source-map.ts";

const linesAround = 2;
const lineLengthMax = 160;

/** Line and column, both from 1, of an offset into a text. */
export function positionAt(source: string, offset: number): Position {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** A few lines around a position with a mark under it. */
export function codeFrame(source: string, at: Position): string {
  const lines = source.split("\n");
  const first = Math.max(1, at.line - linesAround);
  const last = Math.min(lines.length, at.line + linesAround);
  const width = String(last).length;
  const rows: string[] = [];
  for (let line = first; line <= last; line++) {
    rows.push(
      `${line === at.line ? ">" : " "} ${String(line).padStart(width)} | ${(lines[line - 1] ?? "").slice(0, lineLengthMax)}`,
    );
    if (line === at.line && at.column <= lineLengthMax)
      rows.push(`  ${" ".repeat(width)} | ${" ".repeat(at.column - 1)}^`);
  }
  return rows.join("\n");
}
