// How scores are spread: counts in bins of equal width over the part that is worth a look, and what lies outside of it.
import type { FitnessRows } from "../../plots/fitness-statistics.ts";
import { scoreRange } from "../../plots/score-range.ts";
import { quantileOf } from "../../plots/scale.ts";

export interface Histogram {
  readonly from: number;
  readonly to: number;
  readonly counts: readonly number[];
  /** How many scores lie below and above. */
  readonly below: number;
  readonly above: number;
  readonly scored: number;
  readonly lowest: number;
  readonly median: number;
  readonly highest: number;
}

const binsMax = 30;

/** Of scores in ascending order. Null where there are none. */
export function histogramOf(scores: Float64Array, direction: "maximise" | "minimise"): Histogram | null {
  const range = scoreRange(scores, { choice: "near", direction, firstBest: Number.NaN });
  if (range === null) return null;
  const [lowest, highest] = [scores[0] ?? Number.NaN, scores.at(-1) ?? Number.NaN];
  // The room that a plot has around its points would be bins of scores that nobody has.
  const isOne = lowest === highest;
  const [from, to] = isOne
    ? [range.from, range.to]
    : [Math.max(range.from, lowest), Math.min(range.to, highest)];
  const bins = Math.min(binsMax, Math.max(5, Math.ceil(Math.sqrt(scores.length))));
  const counts = Array.from({ length: bins }, () => 0);
  let [below, above] = [0, 0];
  for (const score of scores)
    if (score < from) below++;
    else if (score > to) above++;
    else counts[Math.min(bins - 1, Math.floor(((score - from) / (to - from)) * bins))]!++;
  return {
    from,
    to,
    counts,
    below,
    above,
    scored: scores.length,
    lowest,
    median: quantileOf(scores, 0.5),
    highest,
  };
}

/** The scores of a generation, in ascending order. */
export function scoresOfGeneration(rows: FitnessRows, generation: number): Float64Array {
  const scores: number[] = [];
  for (let row = 0; row < rows.size; row++) {
    const score = rows.score(row);
    if (rows.generation(row) === generation && !Number.isNaN(score)) scores.push(score);
  }
  return Float64Array.from(scores).sort();
}
