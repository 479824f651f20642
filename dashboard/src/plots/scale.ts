// From figures to places and back, and the round figures that stand at an axis.
export interface Scale {
  readonly from: number;
  readonly to: number;
  /** Where a figure lies. */
  at(value: number): number;
}

/** `from` lies at `start`, `to` at `end`; where both are the same figure, it lies in the middle. */
export function scaleOf(range: readonly [number, number], start: number, end: number): Scale {
  const [from, to] = range;
  const step = to === from ? 0 : (end - start) / (to - from);
  const middle = (start + end) / 2;
  return { from, to, at: (value) => (step === 0 ? middle : start + (value - from) * step) };
}

/** Round figures within a range, about as many as asked for. */
export function ticksOf(
  [from, to]: readonly [number, number],
  count: number,
  isWhole = false,
): readonly number[] {
  if (!(to > from)) return Number.isFinite(from) ? [from] : [];
  const rough = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = isWhole ? Math.max(1, Math.round(factor * power)) : factor * power;
  const first = Math.ceil(from / step);
  const ticks: number[] = [];
  // The bound holds where figures are so near each other that a step changes nothing.
  for (let index = first; index * step <= to && ticks.length < 100; index++) ticks.push(tidy(index * step));
  return ticks;
}

// 0.30000000000000004 is 0.3.
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** The same for the same row, evenly spread over -0.5…0.5. */
export function jitterOf(row: number): number {
  let mixed = Math.imul(row + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed ^= mixed >>> 13;
  return (mixed >>> 0) / 2 ** 32 - 0.5;
}

/** Of figures in ascending order; between two of them in proportion. NaN of none. */
export function quantileOf(sorted: ArrayLike<number>, share: number): number {
  const { length } = sorted;
  if (length === 0) return Number.NaN;
  const place = (length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(length - 1, below + 1)] ?? low;
  return low + (high - low) * (place - below);
}
