// Online bin packing: items come one by one, and each must be put into a bin before the next one is seen.
import { InvalidOptionsError } from "vivarium";
import { seededRandom } from "./random.ts";

/** Instances of one size, to be packed one after the other. */
export interface PackingSet {
  readonly name: string;
  readonly capacity: number;
  readonly instances: readonly (readonly number[])[];
}

export const capacity = 150;
const sizeMin = 20;
const sizeMax = 100;
const shownLengthMax = 80;

/** Instances by the recipe of the OR-Library's u-sets: sizes uniform in 20–100, bins of 150. */
export function generateSet(
  name: string,
  shape: { readonly seed: number; readonly instances: number; readonly items: number },
): PackingSet {
  const random = seededRandom(shape.seed);
  const instances = Array.from({ length: shape.instances }, () =>
    Array.from({ length: shape.items }, () => sizeMin + random.below(sizeMax - sizeMin + 1)),
  );
  return { name, capacity, instances };
}

/** Reads a file of the OR-Library: the number of instances; for each its name, `capacity items best`, and the sizes. */
export function readSet(name: string, text: string): PackingSet {
  const words = text.trim().split(/\s+/);
  let at = 0;
  const next = (what: string): number => {
    const value = Number(words[at++]);
    if (Number.isInteger(value) && value > 0) return value;
    throw new InvalidOptionsError(
      `Cannot read ${show(name)} as ${what} must be a positive integer: got ${show(words[at - 1])}`,
      "dataset",
    );
  };
  const capacities = new Set<number>();
  const instances = Array.from({ length: next("the number of instances") }, () => {
    at++;
    capacities.add(next("a capacity"));
    const items = next("a number of items");
    // The best known number of bins, which is not used: scores refer to the lower bound.
    next("a number of bins");
    return Array.from({ length: items }, () => next("a size"));
  });
  const [capacity, ...others] = capacities;
  if (capacity === undefined || others.length > 0 || at !== words.length) {
    const rule = "it must hold instances of one capacity and nothing else";
    throw new InvalidOptionsError(`Cannot read ${show(name)} as ${rule}: got more`, "dataset");
  }
  return { name, capacity, instances };
}

// A word of a file can be of any length; a message shows its beginning.
function show(word: string | undefined): string {
  if (word === undefined) return "undefined";
  return JSON.stringify(word.length > shownLengthMax ? `${word.slice(0, shownLengthMax)}…` : word);
}

/** How many bins a packing takes; undefined for an invalid one: too few places, or a bin that is too full. */
export function countBins(items: readonly number[], places: unknown, size: number): number | undefined {
  if (!Array.isArray(places) || places.length !== items.length) return undefined;
  const loads: number[] = [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index] ?? Number.NaN;
    const bin: unknown = places[index];
    if (!Number.isInteger(bin) || (bin as number) < 0 || (bin as number) > loads.length) return undefined;
    const load = (loads[bin as number] ?? 0) + item;
    if (load > size) return undefined;
    loads[bin as number] = load;
  }
  return loads.length;
}

/** The arguments of the packer. */
export function packerArgs({ instances, capacity }: PackingSet): readonly unknown[] {
  return [instances, capacity, Math.min(...instances.flat())];
}

/** Bins beyond the lower bound, in percent of it: the figure of the literature. Undefined where a packing is invalid. */
export function excessOf(set: PackingSet, packings: unknown): number | undefined {
  if (!Array.isArray(packings) || packings.length !== set.instances.length) return undefined;
  let [bins, least] = [0, 0];
  for (const [index, items] of set.instances.entries()) {
    const count = countBins(items, packings[index], set.capacity);
    if (count === undefined) return undefined;
    bins += count;
    least += Math.ceil(items.reduce((sum, item) => sum + item, 0) / set.capacity);
  }
  return (bins / least - 1) * 100;
}

/** The excess of Best Fit on a set: each item goes where it leaves the least room. */
export function bestFitOn(set: PackingSet): number {
  const packings = set.instances.map((items) => {
    const rooms: number[] = [];
    return items.map((item) => {
      const fitting = rooms.keys().filter((bin) => (rooms[bin] ?? 0) >= item);
      const bin = fitting.reduce(
        (best, at) => ((rooms[at] ?? 0) < (rooms[best] ?? Infinity) ? at : best),
        rooms.length,
      );
      rooms[bin] = (rooms[bin] ?? set.capacity) - item;
      return bin;
    });
  });
  return excessOf(set, packings) as number;
}

/**
 * The module that calls the candidate in its sandbox: it offers each item to the candidate and returns the bins. A bin with
 * less room than the smallest item is left out, as nothing will ever fit.
 */
export const packer = `
import { priority } from "./candidate.ts";
function choose(rooms: number[], item: number, capacity: number): number {
  let best = rooms.length;
  let highest = -Infinity;
  for (let at = 0; at < rooms.length; at++) {
    const room = rooms[at];
    if (room < item) continue;
    const value = priority(item, room);
    if (value > highest) {
      highest = value;
      best = at;
    }
  }
  return best < rooms.length && priority(item, capacity) > highest ? rooms.length : best;
}
function packOne(items: number[], capacity: number, smallest: number): number[] {
  const open: number[] = [];
  const rooms: number[] = [];
  let bins = 0;
  return items.map((item) => {
    const at = choose(rooms, item, capacity);
    if (at === rooms.length) {
      open.push(bins++);
      rooms.push(capacity);
    }
    const bin = open[at];
    rooms[at] -= item;
    if (rooms[at] < smallest) {
      open.splice(at, 1);
      rooms.splice(at, 1);
    }
    return bin;
  });
}
export const pack = (instances: number[][], capacity: number, smallest: number): number[][] =>
  instances.map((items) => packOne(items, capacity, smallest));`;
