// What a list of scores looks like as a whole.

export interface FitnessStatistics {
  /** How many have a score, and how many were evaluated without getting one. */
  readonly scored: number;
  readonly failed: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly median: number | null;
  /** The first and the third quarter. */
  readonly quartiles: readonly [number, number] | null;
  readonly deviation: number | null;
}

/** Statistics of finite scores; all but the counts are null when there are none. */
export function statisticsOf(scores: Float64Array, failed: number): FitnessStatistics {
  const scored = scores.length;
  const sorted = scores.toSorted();
  const [min, max] = [sorted.at(0), sorted.at(-1)];
  if (min === undefined || max === undefined) {
    return {
      scored,
      failed,
      min: null,
      max: null,
      mean: null,
      median: null,
      quartiles: null,
      deviation: null,
    };
  }
  let mean = 0;
  for (const score of sorted) mean += score / scored;
  let squares = 0;
  for (const score of sorted) squares += (score - mean) ** 2;
  return {
    scored,
    failed,
    min,
    max,
    mean,
    median: quantileOf(sorted, 0.5),
    quartiles: [quantileOf(sorted, 0.25), quantileOf(sorted, 0.75)],
    deviation: Math.sqrt(squares / scored),
  };
}

/** Between the two nearest of a sorted list, in proportion. */
function quantileOf(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const [lower = Number.NaN, upper = lower] = sorted.subarray(Math.floor(at), Math.ceil(at) + 1);
  return lower + (upper - lower) * (at - Math.floor(at));
}

export interface Diversity {
  readonly members: number;
  /** Different codes among those whose code is known. */
  readonly codes: number;
  /** From 0, all alike, to 1, all different: the probability that two members drawn differ in code. */
  readonly share: number;
}

export function diversityOf(checksums: readonly (string | null)[]): Diversity {
  const counts = new Map<string, number>();
  for (const checksum of checksums)
    if (checksum !== null) counts.set(checksum, (counts.get(checksum) ?? 0) + 1);
  const known = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const alike = [...counts.values()].reduce((sum, count) => sum + count * (count - 1), 0);
  return {
    members: checksums.length,
    codes: counts.size,
    share: known < 2 ? 0 : 1 - alike / (known * (known - 1)),
  };
}
