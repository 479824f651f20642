// Statistics over repeated measurements.
import type { Noise } from "../../model/fitness.ts";
import { assert } from "../../std/assert.ts";

export type Summary = "mean" | "median" | "min" | "max";

export const summaries: readonly Summary[] = ["mean", "median", "min", "max"];

/** The statistics of measurements, at least one and all finite. */
export function noiseOf(samples: readonly number[]): Noise {
  const sorted = samples.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  assert(min !== undefined && max !== undefined, "noise needs a sample");
  const constant = min === max;
  // The mean of equal samples is exact, without the rounding of a sum.
  const mean = constant ? min : samples.reduce((sum, sample) => sum + sample / samples.length, 0);
  const squares = samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0);
  const deviation = constant ? 0 : Math.sqrt(squares / (samples.length - 1));
  return {
    samples,
    mean,
    median: medianOf(sorted),
    deviation,
    standardError: deviation / Math.sqrt(samples.length),
    min,
    max,
    constant,
  };
}

function medianOf(sorted: readonly number[]): number {
  const [lower = NaN, upper] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return upper === undefined ? lower : lower + (upper - lower) / 2;
}
