// Results of rows, as the tests of the benchmark's own parts need them.
import type { Result } from "../../../bench/measure.ts";
import { noTimes } from "../../../bench/processor-time.ts";
import { summarise } from "../../../bench/statistics.ts";

/** A result with these values of each entrant, and the cells' processor time of some. */
export function resultOf(
  values: Readonly<Record<string, readonly number[]>>,
  cellsMs: Readonly<Record<string, number>> = {},
): Result {
  return {
    name: "call",
    about: "a call",
    unit: "ms",
    summaries: Object.fromEntries(Object.entries(values).map(([name, taken]) => [name, summarise(taken)])),
    processorMs: Object.fromEntries(
      Object.entries(cellsMs).map(([name, cells]) => [name, { ...noTimes, "this process": 0.25, cells }]),
    ),
    verdicts: [],
  };
}
