// Counts by kind over time, as the columns that a plot of time wants: evenly spaced, stacked, and not more of them than can be seen.
import type { Slice } from "../model/timeline.ts";

export interface StackedSeries {
  /** Beginnings of the bins, in seconds since 1970. */
  readonly times: readonly number[];
  readonly binMs: number;
  readonly kinds: readonly string[];
  /** By kinds: the counts of bins. */
  readonly counts: readonly (readonly number[])[];
  /** By kinds: the count of it and of all kinds before it. */
  readonly tops: readonly (readonly number[])[];
}

/** The slices are those of a `Timeline`, the kinds its own; `order` says which kind is drawn lowest. */
export function stackSlices(
  slices: readonly Slice[],
  {
    kinds,
    sliceMs,
    binsMax,
  }: { readonly kinds: readonly string[]; readonly sliceMs: number; readonly binsMax: number },
  order: readonly string[] = kinds,
): StackedSeries {
  const [first, last] = [slices[0]?.at, slices.at(-1)?.at];
  if (first === undefined || last === undefined)
    return {
      times: [],
      binMs: sliceMs,
      kinds: order,
      counts: order.map(() => []),
      tops: order.map(() => []),
    };
  const binMs = sliceMs * Math.max(1, Math.ceil(((last - first) / sliceMs + 1) / binsMax));
  const start = Math.floor(first / binMs);
  const bins = Math.floor(last / binMs) - start + 1;
  const counts = order.map(() => Array.from({ length: bins }, () => 0));
  const places = order.map((kind) => kinds.indexOf(kind));
  for (const slice of slices) {
    const bin = Math.floor(slice.at / binMs) - start;
    for (const [series, place] of places.entries()) counts[series]![bin]! += slice.counts[place] ?? 0;
  }
  const tops: number[][] = [];
  for (const [series, column] of counts.entries())
    tops.push(column.map((count, bin) => count + (tops[series - 1]?.[bin] ?? 0)));
  const times = Array.from({ length: bins }, (_, bin) => ((start + bin) * binMs) / 1_000);
  return { times, binMs, kinds: order, counts, tops };
}
