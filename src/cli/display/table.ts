// Rows below each other in columns, within a width: the columns that may shrink share what the others leave.
import { cutTo, fitTo, neutralised, widthOf } from "./neutralise.ts";
import { bold, cutLine, type Line, type Span } from "./lines.ts";

export interface Column {
  readonly title: string;
  /** Numbers stand on the right. Default: left. */
  readonly side?: "left" | "right";
  /** It may be cut down to so many columns where room is scarce. Default: it keeps its width. */
  readonly widthMin?: number;
  /** It is never wider. */
  readonly widthMax?: number;
}

export type Cell = string | Span;

const gap = "  ";

const textOf = (cell: Cell): string => neutralised(typeof cell === "string" ? cell : cell.text);

/** A heading and one line for each row, of at most `width` columns each. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
): readonly Line[] {
  const texts = rows.map((row) => row.map(textOf));
  const widths = widthsOf(columns, texts, width);
  const heading = rowLine(
    columns.map(({ title }) => bold(title)),
    columns,
    widths,
  );
  return [heading, ...rows.map((row) => rowLine(row, columns, widths))].map((line) => cutLine(line, width));
}

function widthsOf(
  columns: readonly Column[],
  texts: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  const widths = columns.map(({ title, widthMax = Infinity }, at) => {
    const widest = texts.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), widthOf(title));
    return Math.min(widest, widthMax);
  });
  let surplus = widths.reduce((sum, one) => sum + one, gap.length * (columns.length - 1)) - width;
  // The widest gives first, so that short columns stay whole.
  while (surplus > 0) {
    const at = shrinkable(columns, widths);
    if (at === undefined) break;
    widths[at] = (widths[at] ?? 0) - 1;
    surplus--;
  }
  return widths;
}

function shrinkable(columns: readonly Column[], widths: readonly number[]): number | undefined {
  let best: number | undefined;
  for (const [at, { widthMin }] of columns.entries()) {
    const own = widths[at] ?? 0;
    if (widthMin === undefined || own <= widthMin) continue;
    if (best === undefined || own > (widths[best] ?? 0)) best = at;
  }
  return best;
}

function rowLine(cells: readonly Cell[], columns: readonly Column[], widths: readonly number[]): Line {
  return cells.flatMap((cell, at): Line => {
    const width = widths[at] ?? 0;
    const { side = "left" } = columns[at] ?? {};
    // No spaces at the end of a line.
    const isLast = at === cells.length - 1 && side === "left";
    const text = isLast ? cutTo(textOf(cell), width) : fitTo(textOf(cell), width, side);
    const styled: Cell = typeof cell === "string" ? text : { text, style: cell.style };
    return at === 0 ? [styled] : text === "" ? [] : [gap, styled];
  });
}
