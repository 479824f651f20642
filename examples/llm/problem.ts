// The problem: a rule that packs items into few bins, one by one, as they come. Packings are checked on the host.
import { unwrap, type FitnessFunction } from "vivarium";

export const capacity = 150;
const instances = 6;
const itemsPerInstance = 200;

/** The module that calls the candidate in its sandbox. The best possible packing never enters it. */
export const packer = `
import { priority } from "./candidate.ts";

/** The bin of each item: of those it fits into, the one with the highest priority; the empty one comes last. */
export function pack(items: number[], capacity: number): number[] {
  const rooms: number[] = [];
  return items.map((item) => {
    let chosen = rooms.length;
    let highest = priority(item, capacity);
    for (let bin = rooms.length - 1; bin >= 0; bin--) {
      if (rooms[bin] < item) continue;
      const worth = priority(item, rooms[bin]);
      if (worth >= highest) [chosen, highest] = [bin, worth];
    }
    rooms[chosen] = (rooms[chosen] ?? capacity) - item;
    return chosen;
  });
}`;

/** The seed of the search: the fullest bin that has room. */
export const seedSource = `export function priority(item: number, room: number): number {
  return item - room;
}`;

export const task = `Items of 20 to 100 come one by one and are put into bins of ${capacity} at once; few bins are wanted.
Write a TypeScript module that exports
  function priority(item: number, room: number): number
It gives the priority of a bin with so much room left for this item. Of the bins that have room, and one empty one (room
${capacity}), the item goes into the one with the highest priority.`;

const sets: readonly (readonly number[])[] = drawSets(1);

/** Bins beyond the lower bound, in percent of it. NaN, which is no score, for an invalid packing. */
export const excess: FitnessFunction = async (candidate) => {
  let sum = 0;
  for (const items of sets)
    sum += excessOf(unwrap(await candidate.call("packer.pack", { args: [items, capacity] })), items);
  return sum / sets.length;
};

function excessOf(bins: unknown, items: readonly number[]): number {
  if (!Array.isArray(bins) || bins.length !== items.length) return Number.NaN;
  const filled = new Map<unknown, number>();
  for (const [index, item] of items.entries()) filled.set(bins[index], (filled.get(bins[index]) ?? 0) + item);
  if ([...filled.values()].some((sum) => sum > capacity)) return Number.NaN;
  const least = Math.ceil(items.reduce((sum, item) => sum + item, 0) / capacity);
  return (filled.size / least - 1) * 100;
}

function drawSets(seed: number): readonly (readonly number[])[] {
  let state = seed;
  const draw = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const item = (): number => 20 + Math.floor(draw() * 81);
  return Array.from({ length: instances }, () => Array.from({ length: itemsPerInstance }, item));
}
