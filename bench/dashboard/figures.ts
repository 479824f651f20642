// Medians and what lies around them.
export function medianOf(values: readonly number[]): number {
  return quantileOf(values, 0.5);
}

export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function spreadText(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)} of ${values.length}`;
}
