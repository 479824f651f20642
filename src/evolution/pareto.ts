// Several objectives at a time: which entries no other one dominates.
import { InvalidOptionsError } from "../model/errors.ts";
import { either, integer, required, type Leaf } from "../model/schema.ts";
import { show } from "../model/show.ts";

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
    const gain = ((one[index] as number) - (other[index] as number)) * sign;
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
  const order = entries.map((_, index) => index);
  order.sort((a, b) => compare(entries[a] as ParetoEntry, entries[b] as ParetoEntry, directions) || a - b);
  const fronts: number[][] = [];
  for (const index of order) {
    const { values } = entries[index] as ParetoEntry;
    // From the end: entries just before in the order dominate more often than those far before.
    const isBeatenIn = (front: readonly number[]): boolean =>
      front.findLast((other) => dominates((entries[other] as ParetoEntry).values, values, directions)) !==
      undefined;
    const place = firstWhere(fronts.length, (front) => !isBeatenIn(fronts[front] as number[]));
    if (place >= limit) continue;
    if (place === fronts.length) fronts.push([]);
    (fronts[place] as number[]).push(index);
  }
  return fronts.map((front) => front.sort((a, b) => a - b).map((index) => entries[index] as ParetoEntry));
}

/** How far each entry of a front is from its neighbours: the sum over objectives of the gap between its neighbours, in shares of the whole. */
export function crowdingOf(front: readonly ParetoEntry[]): ReadonlyMap<string, number> {
  const crowding = new Map(front.map(({ id }) => [id, 0]));
  const objectives = front[0]?.values.length ?? 0;
  for (let objective = 0; objective < objectives; objective++) {
    const valueOf = (entry: ParetoEntry): number => entry.values[objective] as number;
    const sorted = front.toSorted((a, b) => valueOf(a) - valueOf(b));
    const [first, last] = [sorted[0] as ParetoEntry, sorted.at(-1) as ParetoEntry];
    const whole = valueOf(last) - valueOf(first);
    for (const [index, entry] of sorted.entries()) {
      const [before, after] = [sorted[index - 1], sorted[index + 1]];
      const gap =
        before === undefined || after === undefined
          ? Infinity
          : whole === 0
            ? 0
            : (valueOf(after) - valueOf(before)) / whole;
      crowding.set(entry.id, (crowding.get(entry.id) ?? 0) + gap);
    }
  }
  return crowding;
}

function compare(one: ParetoEntry, other: ParetoEntry, directions: readonly Direction[]): number {
  for (const [index, direction] of directions.entries()) {
    const gap = (one.values[index] as number) - (other.values[index] as number);
    if (gap !== 0) return direction === "maximise" ? -gap : gap;
  }
  return 0;
}

// An entry that is dominated in one front is dominated in all before it: half of them can be passed over at a time.
function firstWhere(count: number, isTrue: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
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
