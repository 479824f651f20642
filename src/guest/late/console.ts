// `console` for guests: formats on this side, writes through the cell, and stops when the run's output is used up.
import { slice } from "../../model/wire/intrinsics.ts";
import { formatted } from "./console-format.ts";
import { tableOf } from "./console-table.ts";
import { connectInspection, lineMax, shown, shownAt } from "./inspect.ts";
import type { Made, Needs } from "./needs.ts";

const levels = { debug: 0, log: 1, info: 2, warn: 3, error: 4 } as const;
/** Groups below this depth are not indented further. */
const indentedMax = 20;
/** So many labels of counters, and of timers, are kept; the earliest make room. */
const labelsMax = 1_000;
const labelLengthMax = 200;
const depthMax = 20;

/** The guest's console. Beyond `outputBytes` every write throws. */
export function make(needs: Needs): Made {
  const { write, sinceOrigin } = needs;
  connectInspection(needs);
  let groups = 0;
  const writeText = (level: number, text: string): void => {
    const indent = "  ".repeat(Math.min(groups, indentedMax));
    const cut = text.length > lineMax ? `${slice(text, 0, lineMax)}…` : text;
    const line = indent === "" ? cut : indent + cut.replaceAll("\n", `\n${indent}`);
    if (!write(level, line))
      throw new RangeError("Cannot write to the console as this run's output is used up");
  };
  const log = (level: number, parts: readonly unknown[]): void => writeText(level, formatted(parts));
  const group = (...parts: readonly unknown[]): void => {
    if (parts.length > 0) log(levels.log, parts);
    groups++;
  };
  const api: Record<string, unknown> = {
    assert: (condition: unknown, ...parts: readonly unknown[]) => {
      if (!condition)
        writeText(
          levels.error,
          ["Assertion failed", ...(parts.length > 0 ? [formatted(parts)] : [])].join(" "),
        );
    },
    clear: () => {
      groups = 0;
    },
    dir: (value: unknown, options?: { readonly depth?: unknown } | null) => {
      const depth = options?.depth;
      const wanted = depth === null ? depthMax : Number(depth);
      writeText(
        levels.log,
        depth === undefined || Number.isNaN(wanted) ? shownAt(value) : shownAt(value, within(wanted)),
      );
    },
    dirxml: (...parts: readonly unknown[]) => log(levels.log, parts),
    group,
    groupCollapsed: group,
    groupEnd: () => {
      if (groups > 0) groups--;
    },
    table: (value: unknown, columns?: unknown) =>
      writeText(levels.log, tableOf(value, columns) ?? shown(value)),
    trace: (...parts: readonly unknown[]) => {
      // A function of the guest's is below, where it is called from one.
      const [, ...frames] = String(new Error("trace").stack).split("\n");
      writeText(levels.debug, [formatted(parts), ...frames].join("\n"));
    },
    ...countersOf(writeText),
    ...timersOf(writeText, sinceOrigin),
  };
  for (const [name, level] of Object.entries(levels))
    api[name] = (...parts: readonly unknown[]) => log(level, parts);
  Object.defineProperty(api, Symbol.toStringTag, { value: "console", configurable: true });
  return { console: api };
}

type WriteText = (level: number, text: string) => void;

function countersOf(write: WriteText): Record<string, unknown> {
  const counts = new Map<string, number>();
  return {
    count: (given?: unknown) => {
      const label = labelOf(given);
      const count = (counts.get(label) ?? 0) + 1;
      keep(counts, label, count);
      write(levels.log, `${label}: ${count}`);
    },
    countReset: (given?: unknown) => {
      const label = labelOf(given);
      if (!counts.delete(label))
        write(levels.warn, `Cannot reset counter ${label} as there must be one: there is none`);
    },
  };
}

function timersOf(write: WriteText, now: () => number): Record<string, unknown> {
  const started = new Map<string, number>();
  const tell = (label: string, parts: readonly unknown[]): void => {
    const startedMs = started.get(label);
    if (startedMs === undefined)
      return write(levels.warn, `Cannot read timer ${label} as there must be one: there is none`);
    write(levels.log, [`${label}: ${now() - startedMs}ms`, ...parts.map(shown)].join(" "));
  };
  return {
    time: (given?: unknown) => {
      const label = labelOf(given);
      if (started.has(label))
        return write(levels.warn, `Cannot start timer ${label} as there must be none: there is one`);
      keep(started, label, now());
    },
    timeLog: (given?: unknown, ...parts: readonly unknown[]) => tell(labelOf(given), parts),
    timeEnd: (given?: unknown) => {
      tell(labelOf(given), []);
      started.delete(labelOf(given));
    },
  };
}

function keep(map: Map<string, number>, label: string, value: number): void {
  map.set(label, value);
  if (map.size <= labelsMax) return;
  for (const first of map.keys()) {
    map.delete(first);
    return;
  }
}

function labelOf(given: unknown): string {
  return slice(given === undefined ? "default" : `${given as string}`, 0, labelLengthMax);
}

// With depth 0 a value's own parts are shown, and nothing of theirs.
function within(depth: number): number {
  return Math.min(Math.max(0, depth), depthMax) + 1;
}
