// The first Pareto front of two objectives: whoever nobody beats in one without being worse in the other.
export type Better = "more" | "less";

export interface Objectives {
  /** By row; NaN where it is not known: such a row is neither in the front nor beats anybody. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly betterX: Better;
  readonly betterY: Better;
}

/** Rows from the best of the first objective to the best of the second. Equals are all in it. */
export function paretoFront({ x, y, betterX, betterY }: Objectives): readonly number[] {
  const signX = betterX === "more" ? -1 : 1;
  const signY = betterY === "more" ? -1 : 1;
  const rows: number[] = [];
  for (let row = 0; row < x.length; row++) if (!Number.isNaN(x[row]) && !Number.isNaN(y[row])) rows.push(row);
  const valueX = (row: number): number => (x[row] ?? 0) * signX;
  const valueY = (row: number): number => (y[row] ?? 0) * signY;
  const compared = (one: number, other: number): number => (one === other ? 0 : one < other ? -1 : 1);
  rows.sort(
    (one, other) =>
      compared(valueX(one), valueX(other)) || compared(valueY(one), valueY(other)) || one - other,
  );
  const front: number[] = [];
  let leastY = Infinity;
  for (const row of rows) {
    const last = front.at(-1);
    const isEqual = last !== undefined && valueX(last) === valueX(row) && valueY(last) === valueY(row);
    if (!isEqual && last !== undefined && valueY(row) >= leastY) continue;
    leastY = valueY(row);
    front.push(row);
  }
  return front;
}

/** The two components of all, and how many lack one of them. */
export function objectivesOf(
  size: number,
  component: (row: number, name: string) => number | undefined,
  [nameX, nameY]: readonly [string, string],
): { readonly x: Float64Array; readonly y: Float64Array; readonly unknown: number } {
  const x = new Float64Array(size).fill(Number.NaN);
  const y = new Float64Array(size).fill(Number.NaN);
  let unknown = 0;
  for (let row = 0; row < size; row++) {
    const [atX, atY] = [component(row, nameX), component(row, nameY)];
    if (atX === undefined || atY === undefined || !Number.isFinite(atX) || !Number.isFinite(atY)) unknown++;
    else [x[row], y[row]] = [atX, atY];
  }
  return { x, y, unknown };
}
