// What the view of the machine says, made of the server's answers and of events. What neither tells is null.
import type { AnyEvent, EventMap, Health, RuntimeMetrics } from "../../../../src/index.ts";
import { jailLayers } from "../../../../src/jail/layers.ts";
import type { EventLog } from "../../model/event-log.ts";

export type Tone = "good" | "warn" | "bad" | "quiet";

/** How the runtime is, in a word with a sign, and what the word means. */
export function statusOf(status: Health["status"]): {
  readonly text: string;
  readonly tone: Tone;
  readonly about: string;
} {
  return statuses[status] ?? { text: status, tone: "quiet", about: "A status that this page does not know." };
}

const statuses: Readonly<
  Partial<Record<string, { readonly text: string; readonly tone: Tone; readonly about: string }>>
> = {
  starting: { text: "◐ starting", tone: "warn", about: "The first cells come up; sandboxes run already." },
  ok: { text: "● ok", tone: "good", about: "All cells are there, and the store can be written." },
  degraded: {
    text: "◐ degraded",
    tone: "warn",
    about: "Fewer cells than there were, or the store cannot be written.",
  },
  down: { text: "✕ down", tone: "bad", about: "There are no cells: nothing can run." },
  closed: { text: "✕ closed", tone: "bad", about: "The runtime was closed." },
};

export interface CellRow {
  readonly number: number;
  readonly pid: number;
  /** Null where it was started before the page was opened. */
  readonly since: number | null;
  /** Null where only events tell of the cell; so is what follows. */
  readonly sandboxes: number | null;
  readonly inFlight: number | null;
  readonly rssBytes: number | null;
  readonly node: string | null;
  /** What is special of it, in words. */
  readonly notes: readonly string[];
}

/** The cells that live, as the server says, or as events do where it says nothing. */
export function cellRows(metrics: Pick<RuntimeMetrics, "cells"> | null, log: EventLog): readonly CellRow[] {
  const started = new Map<number, CellRow>();
  for (const { any } of log.latest(log.size).toReversed()) {
    if (any.name === "cell.started") started.set(any.event.pid, startedRow(any.event, any.at));
    else if (any.name === "cell.exited") started.delete(any.event.pid);
  }
  if (metrics === null) return [...started.values()].sort((one, other) => one.number - other.number);
  return metrics.cells.map(
    ({ number, pid, sandboxes, inFlight, rssBytes, node, reserved, owner, blocked }) => ({
      ...{ number, pid, sandboxes, inFlight, node },
      // A cell that was not measured yet has no memory of 0.
      rssBytes: rssBytes > 0 ? rssBytes : null,
      since: started.get(pid)?.since ?? null,
      notes: [
        ...(reserved ? ["reserved"] : []),
        ...(owner === null ? [] : [`of ${owner}`]),
        ...(blocked ? ["▲ does not answer"] : []),
      ],
    }),
  );
}

function startedRow({ cell, pid }: EventMap["cell.started"], at: number): CellRow {
  const unknown = { sandboxes: null, inFlight: null, rssBytes: null, node: null };
  return { number: cell, pid, since: at, ...unknown, notes: [] };
}

/** The latest events of some names, newest first. */
export function latestOf(
  log: EventLog,
  names: readonly AnyEvent["name"][],
  max: number,
): readonly AnyEvent[] {
  return log.latest(max, ({ any }) => names.includes(any.name)).map(({ any }) => any);
}

export interface LayerRow {
  readonly layer: string;
  readonly isOn: boolean;
  /** What it stops, or why it is off. */
  readonly about: string;
}

/** The layers of the jail: those that hold first. */
export function layerRows({ layers, missing }: Health["jail"]): readonly LayerRow[] {
  const stops = (layer: string): string =>
    Object.hasOwn(jailLayers, layer) ? jailLayers[layer as keyof typeof jailLayers].stops : "more"; // As it has it.
  return [
    ...layers.map((layer) => ({ layer, isOn: true, about: `stops ${stops(layer)}` })),
    ...missing.map(({ layer, why }) => ({
      layer,
      isOn: false,
      about: `${why}; it would stop ${stops(layer)}`,
    })),
  ];
}

export interface DurationBar {
  readonly label: string;
  readonly count: number;
  /** Of the longest bar. */
  readonly share: number;
}

/** How long runs took: one bar between two bounds each, the empty ones at either end left out. */
export function durationBars({ bounds, counts }: RuntimeMetrics["runDurations"]): readonly DurationBar[] {
  const most = Math.max(1, ...counts);
  const bars = counts.map((count, index) => {
    const [from, to] = [bounds[index - 1] ?? 0, bounds[index]];
    const label = to === undefined ? `over ${msText(from)}` : `up to ${msText(to)}`;
    return { label, count, share: count / most };
  });
  const first = bars.findIndex(({ count }) => count > 0);
  return first === -1 ? [] : bars.slice(first, bars.findLastIndex(({ count }) => count > 0) + 1);
}

const msText = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`);

/** The mean of all runs; null before the first. */
export function meanMs({ counts, sumMs }: RuntimeMetrics["runDurations"]): number | null {
  const runs = counts.reduce((sum, count) => sum + count, 0);
  return runs === 0 ? null : sumMs / runs;
}

/** The most frequent first; what never happened is left out. */
export function tally(
  counts: Readonly<Record<string, number | undefined>>,
): readonly (readonly [string, number])[] {
  return Object.entries(counts)
    .filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0)
    .sort(([, one], [, other]) => other - one);
}
