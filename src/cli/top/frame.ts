// One page of `vivarium top` as lines for a terminal of a given size: nothing is wider or higher than that.
import type { RuntimeMetrics, SandboxInfo, Status } from "../../index.ts";
import { styleOfResult } from "../display/failures.ts";
import { bold, cutLine, dim, inverse, lineWidth, padLine, red, yellow, type Line } from "../display/lines.ts";
import type { Size } from "../display/screen.ts";
import { countText, durationText, memoryText } from "../display/units.ts";
import type { Latest } from "./latest.ts";
import type { Sample } from "./sample.ts";
import type { TopState } from "./state.ts";
import { cellLines, sandboxLines, styleOfStatus } from "./tables.ts";

export interface View {
  readonly name: string;
  readonly sample: Sample | undefined;
  /** The listed sandboxes in the order of the page. */
  readonly sandboxes: readonly SandboxInfo[];
  readonly state: TopState;
  readonly latest: readonly Latest[];
  /** What came of the last key, or why there is no new sample. */
  readonly message: Line | undefined;
  readonly intervalMs: number;
}

const smallest: Size = { columns: 40, rows: 12 };
const latestMax = 3;
/** From this height on the latest events are shown. */
const latestFrom = 20;
const nameWidth = 10;

export function frame(view: View, size: Size): readonly Line[] {
  const { columns, rows } = size;
  if (columns < smallest.columns || rows < smallest.rows) return tooSmall(size);
  if (view.state.page === "help") return help(size);
  const bottom = bottomOf(view, columns);
  const top = [
    ...headOf(view, columns),
    ...cellLines(view.sample?.metrics?.cells ?? [], size),
    ...latestOf(view, size),
  ];
  const room = rows - top.length - bottom.length;
  const table = tableOf(view, columns, room);
  const gap = Math.max(0, room - table.length);
  return [...top, ...table, ...Array.from({ length: gap }, (): Line => []), ...bottom].map((line) =>
    cutLine(line, columns),
  );
}

/** How many rows of the table show sandboxes, for keys that go a page further. */
export function tableRows(view: View, size: Size): number {
  const above =
    headOf(view, size.columns).length +
    cellLines(view.sample?.metrics?.cells ?? [], size).length +
    latestOf(view, size).length;
  return Math.max(1, size.rows - above - bottomOf(view, size.columns).length - 1);
}

function tooSmall({ columns, rows }: Size): readonly Line[] {
  const lines: readonly Line[] = [
    ["The terminal is too small:"],
    [`${columns} × ${rows}, needs ${smallest.columns} × ${smallest.rows}.`],
    ["q ends."],
  ];
  return lines.slice(0, rows).map((line) => cutLine(line, columns));
}

function headOf({ name, sample, state, intervalMs }: View, columns: number): readonly Line[] {
  const left: Line = [bold("vivarium top"), ` · ${name}`];
  const pace = state.paused ? yellow("paused") : dim(`every ${intervalMs / 1_000} s`);
  const right: Line = [
    sample === undefined ? "" : `${new Date(sample.at).toTimeString().slice(0, 8)} · `,
    pace,
  ];
  const title: Line = [
    ...padLine(cutLine(left, columns - lineWidth(right) - 2), columns - lineWidth(right)),
    ...right,
  ];
  if (sample === undefined) return [title, [], ["Looks …"], []];
  const { metrics } = sample;
  if (metrics === null)
    return [
      title,
      named("Sandboxes", countText(sample.total)),
      [dim("Figures of the whole runtime are not for this token.")],
      [],
    ];
  return [
    title,
    named("Sandboxes", ...statusesOf(metrics, sample.total)),
    named("Work", ...workOf(sample, metrics)),
    named("Outcomes", ...outcomesOf(metrics)),
    [],
  ];
}

function named(name: string, ...line: Line): Line {
  return [bold(name.padEnd(nameWidth)), ...line];
}

function statusesOf({ sandboxes }: RuntimeMetrics, total: number): Line {
  const parts = Object.entries(sandboxes)
    .filter(([, count]) => count > 0)
    .flatMap(([status, count]): Line => [
      "  ",
      { text: `${countText(count)} ${status}`, style: styleOfStatus(status as Status) },
    ]);
  return [countText(total), ...parts];
}

function workOf({ runsPerSecond, evaluationsPerSecond }: Sample, metrics: RuntimeMetrics): Line {
  const memoryBytes = metrics.cells.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  const cells = metrics.cells.length;
  return [
    `${rateText(evaluationsPerSecond)} evaluations/s  ${rateText(runsPerSecond)} runs/s  `,
    `${countText(metrics.runsUnderway)} underway  `,
    `${memoryText(memoryBytes)} in ${countText(cells)} ${cells === 1 ? "cell" : "cells"}`,
  ];
}

function rateText(rate: number): string {
  return rate >= 10 || rate === 0 ? countText(Math.round(rate)) : rate.toFixed(1);
}

function outcomesOf({ outcomes }: RuntimeMetrics): Line {
  const entries = Object.entries(outcomes).toSorted(([, a], [, b]) => b - a);
  if (entries.length === 0) return [dim("none yet")];
  return entries.flatMap(([result, count], at): Line => [
    at === 0 ? "" : "  ",
    { text: `${result} ${countText(count)}`, style: styleOfResult(result) },
  ]);
}

function latestOf({ latest, sample }: View, { rows }: Size): readonly Line[] {
  if (rows < latestFrom || latest.length === 0) return [];
  const now = sample?.at ?? latest[0]?.at ?? 0;
  const lines = latest
    .slice(0, rows < latestFrom * 2 ? 1 : latestMax)
    .map(({ at, line }): Line => [dim(`${durationText(Math.max(0, now - at))} ago `.padStart(11)), ...line]);
  return [...lines, []];
}

function tableOf(view: View, columns: number, room: number): readonly Line[] {
  const { sandboxes, state, sample } = view;
  if (sample === undefined) return [];
  if (sandboxes.length === 0)
    return [[dim(state.filter === null ? "There are no sandboxes." : `No sandbox is ${state.filter}.`)]];
  const rows = Math.max(1, room - 1);
  const at = Math.max(
    0,
    sandboxes.findIndex(({ id }) => id === state.selected),
  );
  const first = Math.min(Math.max(0, sandboxes.length - rows), Math.max(0, at - rows + 1));
  const shown = sandboxes.slice(first, first + rows);
  const lines = sandboxLines(shown, columns);
  return lines.map((line, row) => (shown[row - 1]?.id === state.selected ? marked(line, columns) : line));
}

/** One style for the whole line, as that is what marks it. */
function marked(line: Line, columns: number): Line {
  const text = padLine(line, columns)
    .map((part) => (typeof part === "string" ? part : part.text))
    .join("");
  return [inverse(text)];
}

function bottomOf({ state, sample, sandboxes, message }: View, columns: number): readonly Line[] {
  if (state.page === "confirm")
    return [[], [red("Destroy "), bold(state.selected ?? ""), red("?"), "  y yes, any other key no"]];
  if (message !== undefined) return [[], message];
  const keys: Line = [
    ...key("q", "quit"),
    ...key("s", `sort: ${state.sort}`),
    ...key("f", `show: ${state.filter ?? "all"}`),
    ...key("k", "kill"),
    ...key("p", state.paused ? "go on" : "pause"),
    ...key("?", "help"),
  ];
  const hidden = sample === undefined || state.filter !== null ? 0 : sample.total - sandboxes.length;
  const rest: Line =
    hidden > 0 ? [dim(`the oldest ${countText(sandboxes.length)} of ${countText(sample?.total ?? 0)}`)] : [];
  const isRoom = lineWidth(keys) + lineWidth(rest) <= columns;
  return isRoom && rest.length > 0
    ? [[], [...padLine(keys, columns - lineWidth(rest)), ...rest]]
    : [rest, keys];
}

function key(name: string, about: string): Line {
  return [bold(name), dim(` ${about}   `)];
}

function help({ columns, rows }: Size): readonly Line[] {
  const keys: readonly (readonly [string, string])[] = [
    ["↑ ↓", "choose a sandbox; also page up, page down, home, end"],
    ["s", "sort by creation, runs, processor time, heap, status, id"],
    ["f", "show all, or those with one status"],
    ["k", "kill: destroys the chosen sandbox, after a question"],
    ["p", "pause, and go on"],
    ["?", "this page"],
    ["q", "quit; also Ctrl-C"],
  ];
  const lines: readonly Line[] = [
    [bold("vivarium top"), " · keys"],
    [],
    ...keys.map(([name, about]): Line => [bold(name.padEnd(5)), about]),
    [],
    [dim("CPU and HEAP are of all runs so far, and of the latest sample.")],
    [dim("Any key goes back.")],
  ];
  return lines.slice(0, rows).map((line) => cutLine(line, columns));
}
