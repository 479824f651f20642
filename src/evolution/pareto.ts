// Several objectives at a time: which entries no other one dominates.
import { InvalidOptionsError } from "../model/errors.ts";
import { either, integer, required, type Leaf } from "../model/schema.ts";
import { show } from "../model/show.ts";
import { firstWhere } from "./bisection.ts";

export type Direction = "maximise" | "minimise";

const direction: Leaf<Direction | undefined> = either(["maximise", "minimise"]);

/** How good each of several is, by objective. */
export interface ParetoEntry {
  readonly id: string;
  readonly values: readonly number[];
}

/** One is at least as good in everything and better in something. */
export function dominates(
  one: readonly number[],
  other: readonly number[],
  directions: readonly Direction[],
): boolean {
  let isBetter = false;
  for (const [index, direction] of directions.entries()) {
    const sign = direction === "maximise" ? 1 : -1;
    const gain = gapOf(one, other, index) * sign;
    if (gain < 0) return false;
    if (gain > 0) isBetter = true;
  }
  return isBetter;
}

/**
 * The entries in fronts: none in the first one is dominated; none in the next one is, once those before are taken
 * away; and so on. Within a front they stand in the order given. `limit` ends it after so many fronts.
 */
export function paretoFronts(
  entries: readonly ParetoEntry[],
  directions: readonly Direction[],
  limit: number = Infinity,
): readonly (readonly ParetoEntry[])[] {
  if (limit !== Infinity) integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).read(limit, "limit");
  checkEntries(entries, directions);
  // Best in the first objective first, then in the second, and so on: none is dominated by one that stands behind it.
  const numbered = entries.map((entry, index) => ({ entry, index, values: entry.values }));
  numbered.sort((a, b) => compare(a.values, b.values, directions) || a.index - b.index);
  const fronts: (typeof numbered)[] = [];
  for (const each of numbered) {
    // From the end: entries just before in the order dominate more often than those far before.
    const isBeatenIn = (front: typeof numbered): boolean =>
      front.findLast(({ values }) => dominates(values, each.values, directions)) !== undefined;
    // An entry that is dominated in one front is dominated in all before it.
    const place = firstWhere(fronts, (front) => !isBeatenIn(front));
    if (place >= limit) continue;
    const front = fronts[place];
    if (front === undefined) fronts.push([each]);
    else front.push(each);
  }
  return fronts.map((front) => front.sort((a, b) => a.index - b.index).map(({ entry }) => entry));
}

/** How far each entry of a front is from its neighbours: the sum over objectives of the gap between its neighbours, in shares of the whole. */
export function crowdingOf(front: readonly ParetoEntry[]): ReadonlyMap<string, number> {
  const crowding = new Map(front.map(({ id }) => [id, 0]));
  const objectives = front[0]?.values.length ?? 0;
  for (let objective = 0; objective < objectives; objective++) {
    const sorted = front.map(({ id, values }) => ({ id, value: values[objective] ?? Number.NaN }));
    sorted.sort((a, b) => a.value - b.value);
    const whole = (sorted.at(-1)?.value ?? 0) - (sorted.at(0)?.value ?? 0);
    for (const [index, { id }] of sorted.entries()) {
      const [before, after] = [sorted[index - 1], sorted[index + 1]];
      const gap =
        before === undefined || after === undefined
          ? Infinity
          : whole === 0
            ? 0
            : (after.value - before.value) / whole;
      crowding.set(id, (crowding.get(id) ?? 0) + gap);
    }
  }
  return crowding;
}

function compare(one: readonly number[], other: readonly number[], directions: readonly Direction[]): number {
  for (const [index, direction] of directions.entries()) {
    const gap = gapOf(one, other, index);
    if (gap !== 0) return direction === "maximise" ? -gap : gap;
  }
  return 0;
}

/** Not a number where one of them has no such value: then it is neither better nor worse. */
function gapOf(one: readonly number[], other: readonly number[], objective: number): number {
  return (one[objective] ?? Number.NaN) - (other[objective] ?? Number.NaN);
}

function checkEntries(entries: readonly ParetoEntry[], directions: readonly Direction[]): void {
  if (directions.length === 0)
    throw new InvalidOptionsError("Cannot compare as there must be an objective: got none", "directions");
  for (const [index, each] of directions.entries()) required(direction).read(each, `directions[${index}]`);
  for (const { id, values } of entries) {
    if (values.length === directions.length && values.every((value) => Number.isFinite(value))) continue;
    const rule = `have ${directions.length} finite values`;
    throw new InvalidOptionsError(
      `Cannot compare ${show(id)} as it must ${rule}: got ${show(values)}`,
      "entries",
    );
  }
}
