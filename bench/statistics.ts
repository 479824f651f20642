// Medians and spread.

export interface Summary {
  readonly samples: number;
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((one, other) => one - other);
  return {
    samples: sorted.length,
    p10: quantile(sorted, 0.1),
    p50: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1) ?? NaN,
  };
}

/** The median; NaN of nothing. */
export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}

/** The mean of the middle half: as little affected by what came between as a median, and finer than the steps of the values. */
export function middleMean(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const skipped = Math.floor(sorted.length / 4);
  const middle = sorted.slice(skipped, sorted.length - skipped);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

// Linear between the two neighbours, so that few samples give no steps.
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? NaN;
  const high = sorted[Math.ceil(place)] ?? NaN;
  return low + (high - low) * (place - Math.floor(place));
}
