// What the scores of each generation come to, and which range of scores is worth a look.
import { quantileOf } from "./scale.ts";

/** Individuals as rows: what a plot of fitness needs of them. */
export interface FitnessRows {
  readonly size: number;
  readonly direction: "maximise" | "minimise";
  generation(row: number): number;
  /** NaN where it has none. */
  score(row: number): number;
  /** The names of populations. */
  readonly populations: readonly string[];
  /** `none`, `ok` or a kind of failure. */
  result(row: number): string;
  /** Its place in `populations`; -1 where it has none. */
  populationNumber(row: number): number;
}

/** The figures are NaN where nobody of a generation has a score. */
export interface GenerationStatistics {
  readonly generation: number;
  readonly scored: number;
  readonly failed: number;
  readonly best: number;
  /** Of this generation and all before. */
  readonly bestSoFar: number;
  readonly q10: number;
  readonly q25: number;
  readonly median: number;
  readonly q75: number;
  readonly q90: number;
}

export interface FitnessStatistics {
  /** In ascending order; generations of which nobody was evaluated are left out. */
  readonly generations: readonly GenerationStatistics[];
  /** All scores, in ascending order. */
  readonly scores: Float64Array;
  /** Kinds of failure, the most frequent first. */
  readonly failures: readonly { readonly kind: string; readonly count: number }[];
  /** How many were not evaluated yet. */
  readonly waiting: number;
  /** How many of the others are in no population. */
  readonly withoutPopulation: number;
}

export function isFailure(result: string): boolean {
  return result !== "ok" && result !== "none";
}

export function fitnessStatistics(rows: FitnessRows): FitnessStatistics {
  const byGeneration = new Map<number, { scores: number[]; failed: number }>();
  const failures = new Map<string, number>();
  let [waiting, withoutPopulation] = [0, 0];
  for (let row = 0; row < rows.size; row++) {
    const result = rows.result(row);
    const score = rows.score(row);
    const failed = isFailure(result);
    if (!failed && Number.isNaN(score)) {
      waiting++;
      continue;
    }
    if (rows.populationNumber(row) < 0) withoutPopulation++;
    const generation = rows.generation(row);
    let group = byGeneration.get(generation);
    if (group === undefined) byGeneration.set(generation, (group = { scores: [], failed: 0 }));
    if (failed) {
      group.failed++;
      failures.set(result, (failures.get(result) ?? 0) + 1);
    } else group.scores.push(score);
  }
  const sign = rows.direction === "maximise" ? 1 : -1;
  let bestSoFar = Number.NaN;
  const all: Float64Array[] = [];
  const generations = [...byGeneration]
    .sort(([one], [other]) => one - other)
    .map(([generation, { scores, failed }]): GenerationStatistics => {
      const sorted = Float64Array.from(scores).sort();
      all.push(sorted);
      const best = (sign > 0 ? sorted.at(-1) : sorted[0]) ?? Number.NaN;
      if (Number.isNaN(bestSoFar) || best * sign > bestSoFar * sign) bestSoFar = best;
      return {
        generation,
        scored: sorted.length,
        failed,
        best,
        bestSoFar,
        q10: quantileOf(sorted, 0.1),
        q25: quantileOf(sorted, 0.25),
        median: quantileOf(sorted, 0.5),
        q75: quantileOf(sorted, 0.75),
        q90: quantileOf(sorted, 0.9),
      };
    });
  return {
    generations,
    scores: joined(all).sort(),
    failures: [...failures]
      .map(([kind, count]) => ({ kind, count }))
      .sort((one, other) => other.count - one.count),
    waiting,
    withoutPopulation,
  };
}

/** The best of the first generation that has a score; NaN where there is none. */
export function firstBestOf(generations: readonly GenerationStatistics[]): number {
  return generations.find(({ best }) => !Number.isNaN(best))?.best ?? Number.NaN;
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
