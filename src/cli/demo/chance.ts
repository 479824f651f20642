// Chance from a seed, in the forms that breeding needs.
import { seededRandom } from "../../std/random.ts";

export interface Chance {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** An integer from 0 up to, not including, `count`. */
  below(count: number): number;
  pick<T>(list: readonly T[]): T;
}

export function chanceFrom(seed: number): Chance {
  const next = seededRandom(seed);
  const below = (count: number): number => Math.floor(next() * count);
  return { next, below, pick: (list) => list[below(list.length)] as (typeof list)[number] };
}
