// What every kind of fuzzing has in common: one round after the other, each with a seed of its own.
import assert from "node:assert/strict";
import { Dice } from "./dice.ts";

export interface Fuzz {
  readonly seed: number;
  readonly ms: number;
}

/** How many were done. */
export type Subject = (fuzz: Fuzz) => Promise<number>;

/** After so long a promise counts as one that stays pending. */
export const settleMsMax = 60_000;

/** How a run may end. */
export const knownKinds = new Set<string>([
  "ok",
  "timeout",
  "cpu",
  "memory",
  "crashed",
  "unserializable",
  "output-limit",
  "cell-lost",
  "not-found",
  "not-running",
  "cancelled",
]);

/** Repeats something until the time is up; a failure names the seed that reproduces it. */
export async function repeat(
  { seed, ms }: Fuzz,
  act: (dice: Dice, seed: number) => Promise<void>,
): Promise<number> {
  const endMs = performance.now() + ms;
  let count = 0;
  for (; performance.now() < endMs; count++) {
    const own = (seed + count) >>> 0;
    try {
      await act(new Dice(own), own);
    } catch (error) {
      throw new assert.AssertionError({
        message: `with seed ${own}: ${error instanceof Error ? error.stack : String(error)}`,
      });
    }
  }
  return count;
}
