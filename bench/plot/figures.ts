// The figures that show how things grow, each drawn of the rows that belong to it.
import type { Result } from "../measure.ts";
import { chartSvg, type Chart, type Series } from "./chart.ts";

/** The words of each figure. A row says by name to which it belongs. */
export const figures: Readonly<Record<string, Omit<Chart, "series">>> = {
  "evaluate-rate": {
    title: "New programs created, evaluated and destroyed",
    xLabel: "programs in the batch",
    yLabel: "programs per second",
  },
  "evaluate-memory": {
    title: "Memory of cells and host for evaluated programs",
    xLabel: "programs in the batch",
    yLabel: "MB for each program",
  },
  "call-latency": {
    title: "One call at a time, into all sandboxes in turn",
    xLabel: "live sandboxes",
    yLabel: "µs for each call (lines: most calls)",
  },
};

export interface FigureFile {
  readonly name: string;
  readonly text: string;
}

/** The files of all figures that the results say something about. */
export function figureFiles(results: readonly Result[]): readonly FigureFile[] {
  return Object.entries(figures).flatMap(([name, words]) => {
    const rows = results.filter(({ scale }) => scale?.figure === name);
    if (rows.length === 0) return [];
    return [{ name: `${name}.svg`, text: chartSvg({ ...words, series: seriesOf(rows) }) }];
  });
}

// Where a row was measured several times, its last result counts.
function seriesOf(rows: readonly Result[]): readonly Series[] {
  const names = [...new Set(rows.flatMap(({ summaries }) => Object.keys(summaries)))];
  return names.map((name) => {
    const byCount = new Map(
      rows.flatMap(({ scale, summaries }) => {
        const summary = summaries[name];
        return scale === undefined || summary === undefined ? [] : [[scale.count, summary] as const];
      }),
    );
    const points = [...byCount]
      .toSorted(([one], [other]) => one - other)
      .map(([x, { p50, p10, p90 }]) => ({ x, y: p50, low: p10, high: p90 }));
    return { name, points };
  });
}
