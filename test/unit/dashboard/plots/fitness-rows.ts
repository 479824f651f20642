// Individuals for tests of plots, each as generation, score or kind of failure, and population.
import type { FitnessRows } from "../../../../dashboard/src/plots/fitness-statistics.ts";

export type Row = readonly [generation: number, result: number | string, population?: number];

export function fitnessRows(
  rows: readonly Row[],
  direction: FitnessRows["direction"] = "maximise",
): FitnessRows {
  const scoreOf = (row: number): number => {
    const result = rows[row]?.[1];
    return typeof result === "number" ? result : Number.NaN;
  };
  return {
    size: rows.length,
    direction,
    populations: Array.from(
      { length: 1 + Math.max(-1, ...rows.map((row) => row[2] ?? -1)) },
      (_, number) => `island-${number}`,
    ),
    generation: (row) => rows[row]?.[0] ?? 0,
    score: scoreOf,
    result: (row) => {
      const result = rows[row]?.[1] ?? "none";
      return typeof result === "number" ? "ok" : result;
    },
    populationNumber: (row) => rows[row]?.[2] ?? -1,
  };
}
