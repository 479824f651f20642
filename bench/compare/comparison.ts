// What two builds differ in: the medians of several measurements of each, taken in turn.
import type { Result } from "../measure.ts";
import { processKinds } from "../processor-time.ts";
import { figure, shownMsMin } from "../report.ts";
import { median } from "../statistics.ts";

/** One measurement of a row with each build; one that could not be measured is missing. */
export interface Pair {
  readonly before: Result | undefined;
  readonly after: Result | undefined;
}

export interface Side {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface Comparison {
  readonly what: string;
  readonly before: Side;
  readonly after: Side;
  /** The median of the ratios within the pairs: load that comes and goes affects both of a pair. */
  readonly ratio: number;
}

/** Compares the medians of every entrant, and its processor time where that was measured: in all, and by what used it. */
export function compare(pairs: readonly Pair[]): readonly Comparison[] {
  const whole = pairs.flatMap(({ before, after }) => (before && after ? [[before, after] as const] : []));
  const results = whole.flat();
  const entrants = new Set(results.flatMap(({ summaries }) => Object.keys(summaries)));
  const measured = new Set(results.flatMap(({ processorMs }) => Object.keys(processorMs)));
  return [
    ...[...entrants].map((name) => compareBy(whole, name, (result) => result.summaries[name]?.p50)),
    ...[...measured].flatMap((name) => [
      compareBy(whole, `${name}, processor ms per operation`, (result) => processorSum(result, name)),
      ...processKinds
        .filter((kind) => results.some(({ processorMs }) => (processorMs[name]?.[kind] ?? 0) >= shownMsMin))
        .map((kind) => compareBy(whole, `· ${kind}`, (result) => result.processorMs[name]?.[kind])),
    ]),
  ].filter((comparison) => comparison !== undefined);
}

/** The comparisons as aligned lines under the name of their row. */
export function comparisonText(name: string, unit: string, comparisons: readonly Comparison[]): string {
  const head =
    `${name} [${unit}]`.padEnd(nameWidth) + ["before", "after"].map(pad).join("") + "   after/before";
  const lines = comparisons.map(
    ({ what, before, after, ratio }) =>
      `  ${what.padEnd(nameWidth - 2)}${pad(sideText(before))}${pad(sideText(after))}   ${figure(ratio)} ×`,
  );
  return [head, ...lines].join("\n");
}

const nameWidth = 52;
const sideWidth = 28;

function pad(text: string): string {
  return text.padStart(sideWidth);
}

function sideText({ median: middle, least, most }: Side): string {
  return `${figure(middle)} (${figure(least)}–${figure(most)})`;
}

function compareBy(
  whole: readonly (readonly [Result, Result])[],
  what: string,
  read: (result: Result) => number | undefined,
): Comparison | undefined {
  const figures = whole.flatMap(([before, after]) => {
    const [one, other] = [read(before), read(after)];
    return one === undefined || other === undefined ? [] : [{ one, other }];
  });
  if (figures.length === 0) return undefined;
  return {
    what,
    before: sideOf(figures.map(({ one }) => one)),
    after: sideOf(figures.map(({ other }) => other)),
    ratio: median(figures.map(({ one, other }) => other / one)),
  };
}

function sideOf(values: readonly number[]): Side {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

function processorSum({ processorMs }: Result, entrant: string): number | undefined {
  const times = processorMs[entrant];
  return times && processKinds.reduce((sum, kind) => sum + times[kind], 0);
}
