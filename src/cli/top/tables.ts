// The tables of `vivarium top`: cells, and sandboxes.
import type { CellReport, SandboxInfo, Status } from "../../index.ts";
import { dim, red, type Line, type Span, type Style } from "../display/lines.ts";
import type { Size } from "../display/screen.ts";
import { tableLines, type Cell, type Column } from "../display/table.ts";
import { countText, durationText, memoryText, millisecondsText } from "../display/units.ts";

const cellRowsMax = 4;
/** From this height on there is room for them. */
const cellsFrom = 18;
/** From this width on there are all columns. */
const wideFrom = 110;

const cellColumns: readonly Column[] = [
  { title: "CELL", side: "right" },
  { title: "PID", side: "right" },
  { title: "SANDBOXES", side: "right" },
  { title: "RUNS", side: "right" },
  { title: "MEMORY", side: "right" },
  { title: "STATE", widthMin: 5 },
];

/** The cells with most to do, and an empty line; nothing where there are none. */
export function cellLines(cells: readonly CellReport[], { columns, rows }: Size): readonly Line[] {
  if (cells.length === 0 || rows < cellsFrom) return [];
  const most = Math.max(2, Math.min(cellRowsMax, Math.floor(rows / 6)));
  // Those with most to do, and of a crowd the last row says how many more there are.
  const busiest = cells.toSorted((a, b) => b.inFlight - a.inFlight || b.sandboxes - a.sandboxes);
  const shown = cells.length <= most ? cells : busiest.slice(0, most - 1);
  const lines = tableLines(cellColumns, shown.map(cellRow), columns);
  const left = cells.length - shown.length;
  return [...lines, ...(left > 0 ? [[dim(`… ${countText(left)} more cells`)]] : []), []];
}

function cellRow({
  number,
  pid,
  sandboxes,
  inFlight,
  rssBytes,
  owner,
  blocked,
  reserved,
}: CellReport): readonly Cell[] {
  const state: Cell = blocked
    ? red("blocked")
    : inFlight > 0
      ? "busy"
      : dim(reserved ? "in reserve" : "idle");
  const text = typeof state === "string" ? state : state.text;
  const whole: Cell = owner === null ? state : `${text} for ${owner}`;
  return [
    String(number),
    String(pid),
    countText(sandboxes),
    countText(inFlight),
    memoryText(rssBytes),
    whole,
  ];
}

const narrowColumns: readonly Column[] = [
  { title: "SANDBOX", widthMin: 10 },
  { title: "STATUS" },
  { title: "CELL", side: "right" },
  { title: "RUNS", side: "right" },
  { title: "CPU", side: "right" },
  { title: "HEAP", side: "right" },
  { title: "SCORE", side: "right", widthMax: 10 },
];
const wideColumns: readonly Column[] = [
  ...narrowColumns,
  { title: "REVISION", side: "right" },
  { title: "RESTARTS", side: "right" },
  { title: "UP", side: "right" },
  { title: "PROFILE", widthMin: 6 },
];

/** A heading and one line for each of these sandboxes. */
export function sandboxLines(sandboxes: readonly SandboxInfo[], columns: number): readonly Line[] {
  const isWide = columns >= wideFrom;
  const rows = sandboxes.map((info) => sandboxRow(info, isWide));
  return tableLines(isWide ? wideColumns : narrowColumns, rows, columns);
}

function sandboxRow(info: SandboxInfo, isWide: boolean): readonly Cell[] {
  const { id, status, cell, usage, fitness, revision, restarts, rebuilds, uptimeMs, profile } = info;
  const score = fitness?.score ?? null;
  const narrow: readonly Cell[] = [
    id,
    { text: status, style: styleOfStatus(status) } satisfies Span,
    cell === null ? "–" : String(cell),
    countText(usage.runs),
    millisecondsText(usage.cpuMs),
    memoryText(usage.heapBytes),
    score === null ? "–" : figure(score),
  ];
  if (!isWide) return narrow;
  return [...narrow, String(revision), String(restarts + rebuilds), durationText(uptimeMs), profile];
}

function figure(value: number): string {
  if (value === 0) return "0";
  const isExtreme = Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3;
  return isExtreme ? value.toExponential(2) : String(Number(value.toPrecision(6)));
}

export function styleOfStatus(status: Status): Style {
  if (status === "running") return "green";
  return status === "failed" ? "red" : status === "suspended" ? "dim" : "yellow";
}
