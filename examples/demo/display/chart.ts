// Values over generations as a row of blocks, or a few rows, with the axes that say what they are.
import { dim, figure, type Line } from "./text.ts";

const blocks = " ▁▂▃▄▅▆▇█";
const steps = blocks.length - 1;

export interface ChartShape {
  readonly width: number;
  /** Rows of blocks; the axis below takes one more. */
  readonly rows: number;
}

/** The highest value is at the top, the lowest at the bottom. One row is a sparkline with the same labels. */
export function chart(values: readonly number[], { width, rows }: ChartShape): readonly Line[] {
  if (values.length === 0) return [];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (high === low && rows > 1) return chart(values, { width, rows: 1 });
  const range = high === low ? figure(low) : `${figure(low)} … ${figure(high)}`;
  const labels = rows === 1 ? [range] : [figure(high), figure(low)];
  const margin = Math.max(...labels.map((label) => label.length)) + 2;
  const room = Math.max(1, width - margin - 1);
  const shown = inColumns(values, room);
  // From one step for the lowest value, so that it is seen, to all steps for the highest.
  const heights = shown.map((value) =>
    high === low ? 1 : 1 + Math.round(((value - low) / (high - low)) * (rows * steps - 1)),
  );
  const body = Array.from({ length: rows }, (_, row): Line => {
    const below = (rows - 1 - row) * steps;
    const cells = heights.map((height) => blocks[Math.min(steps, Math.max(0, height - below))]).join("");
    return [dim(`${labelOf(row, rows, labels).padStart(margin - 1)} ┤`), cells];
  });
  return [...body, axis({ count: values.length, columns: shown.length, margin, width })];
}

function labelOf(row: number, rows: number, [high = "", low = ""]: readonly string[]): string {
  return row === 0 ? high : row === rows - 1 ? low : "";
}

function axis(shape: {
  readonly count: number;
  readonly columns: number;
  readonly margin: number;
  readonly width: number;
}): Line {
  const { count, columns, margin, width } = shape;
  const last = String(count - 1);
  // The number of the last generation is below its column, where there is room for both numbers.
  const between = "─".repeat(Math.max(1, columns - last.length - 2));
  const line = `${" ".repeat(margin)}└${count === 1 ? "0" : `0${between} ${last}`}`;
  const named = `${line} ${count <= 2 ? "generation" : "generations"}`;
  return [dim(named.length <= width ? named : line.slice(0, width))];
}

/** As many values as there are columns, the latest always among them. */
function inColumns(values: readonly number[], columns: number): readonly number[] {
  if (values.length <= columns) return values;
  const last = values.length - 1;
  return Array.from({ length: columns }, (_, at) => {
    const index = columns === 1 ? last : Math.round((at / (columns - 1)) * last);
    // The index is one of the list.
    return values[index] as number;
  });
}
