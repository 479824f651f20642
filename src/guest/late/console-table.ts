// console.table: rows and columns drawn with lines, bounded in both directions.
import { slice } from "../../model/wire/intrinsics.ts";
import { shownAt } from "./inspect.ts";

const rowsMax = 100;
const columnsMax = 20;
const cellLengthMax = 100;
const cellDepth = 2;
const indexTitle = "(index)";
const valuesTitle = "Values";

/** The table of an object's or a list's parts; undefined where it has none. */
export function tableOf(value: unknown, columns: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return drawn(
      rowsOf(value),
      Array.isArray(columns) ? columns.slice(0, columnsMax).map(String) : undefined,
    );
  } catch {
    return undefined;
  }
}

interface Row {
  readonly index: string;
  readonly value: unknown;
}

function rowsOf(value: object): readonly Row[] {
  if (value instanceof Map)
    return [...value].slice(0, rowsMax).map(([key, item]) => ({ index: cell(key), value: item }));
  if (value instanceof Set)
    return [...value].slice(0, rowsMax).map((item, i) => ({ index: `${i}`, value: item }));
  return Object.keys(value)
    .slice(0, rowsMax)
    .map((index) => ({
      index: slice(index, 0, cellLengthMax),
      value: (value as Record<string, unknown>)[index],
    }));
}

function drawn(rows: readonly Row[], wanted: readonly string[] | undefined): string {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null;
  const keys = new Set<string>(wanted);
  if (wanted === undefined)
    for (const { value } of rows)
      if (isObject(value))
        for (const key of Object.keys(value).slice(0, columnsMax)) if (keys.size < columnsMax) keys.add(key);
  const hasValues = rows.some(({ value }) => !isObject(value));
  const titles = [indexTitle, ...keys, ...(hasValues ? [valuesTitle] : [])].map((title) =>
    slice(title, 0, cellLengthMax),
  );
  const lines = rows.map(({ index, value }) => [
    index,
    ...[...keys].map((key) => (isObject(value) && Object.hasOwn(value, key) ? cell(value[key]) : "")),
    ...(hasValues ? [isObject(value) ? "" : cell(value)] : []),
  ]);
  return grid([titles, ...lines]);
}

function cell(value: unknown): string {
  const text = shownAt(value, cellDepth).replaceAll("\n", " ");
  return text.length > cellLengthMax ? `${slice(text, 0, cellLengthMax)}…` : text;
}

function grid(lines: readonly (readonly string[])[]): string {
  const [titles = []] = lines;
  const widths = titles.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)) + 2);
  const rule = (left: string, middle: string, right: string): string =>
    left + widths.map((width) => "─".repeat(width)).join(middle) + right;
  const row = (line: readonly string[]): string =>
    `│${line.map((text, i) => ` ${text}`.padEnd(widths[i] ?? 0)).join("│")}│`;
  const [head, ...body] = lines.map(row);
  return [rule("┌", "┬", "┐"), head, rule("├", "┼", "┤"), ...body, rule("└", "┴", "┘")].join("\n");
}
