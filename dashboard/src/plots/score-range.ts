// Which range of scores is worth a look. Programs that are bred are often far worse than the best; drawn to scale they would press
// what matters into one line.
import { quantileOf } from "./scale.ts";

export type RangeChoice = "near" | "all";
export type Direction = "maximise" | "minimise";

export interface ScoreRange {
  readonly from: number;
  readonly to: number;
  /** How many scores lie outside. */
  readonly outside: number;
  /** Whether the part near the best is so much smaller than the whole that there is a choice. */
  readonly differs: boolean;
}

export interface RangeTerms {
  readonly direction: Direction;
  readonly choice: RangeChoice;
  /** The best of the first generation that had a score: all the way from there is shown. NaN where it is not known. */
  readonly firstBest: number;
  /** How much room there is at each end, as a share of the range. Default: 0.04. */
  readonly room?: number;
}

const usualRoom = 0.04;

/**
 * Of scores in ascending order: all of them, or from the best to twice as far as the worse of the median and the first best. Null
 * where there are none.
 */
export function scoreRange(scores: Float64Array, terms: RangeTerms): ScoreRange | null {
  const [lowest, highest] = [scores[0], scores.at(-1)];
  if (lowest === undefined || highest === undefined) return null;
  const isUp = terms.direction === "maximise";
  const best = isUp ? highest : lowest;
  const reach = reachOf(scores, best, terms) * 2;
  const isNear = (score: number): boolean => Math.abs(score / 2 - best / 2) * 2 <= reach;
  const low = isUp ? (scores.find(isNear) ?? lowest) : lowest;
  const high = isUp ? highest : (scores.findLast(isNear) ?? highest);
  const isMuchSmaller = highest / 2 - lowest / 2 > (high / 2 - low / 2) * 1.5 && high > low;
  const [from, to] = terms.choice === "near" && isMuchSmaller ? [low, high] : [lowest, highest];
  const room = terms.room ?? usualRoom;
  const pad = to > from ? (to / 2 - from / 2) * 2 * room : Math.abs(to) * 0.05 || 1;
  const [start, end] = [Math.max(-Number.MAX_VALUE, from - pad), Math.min(Number.MAX_VALUE, to + pad)];
  let outside = 0;
  for (const score of scores) if (score < start || score > end) outside++;
  return { from: start, to: end, outside, differs: isMuchSmaller };
}

// How far from the best half of all are, and the first best is; where half of all are as good as the best, somewhat more of them.
function reachOf(scores: Float64Array, best: number, { direction, firstBest }: RangeTerms): number {
  const distanceTo = (share: number): number =>
    Math.abs(best - quantileOf(scores, direction === "maximise" ? 1 - share : share));
  const first = Number.isNaN(firstBest) ? 0 : Math.abs(firstBest - best);
  return Math.max(first, distanceTo(0.5)) || distanceTo(0.75) || distanceTo(0.9) || distanceTo(1);
}
