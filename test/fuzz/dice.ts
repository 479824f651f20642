// Reproducible randomness: everything drawn follows from one seed.
import { seededRandom } from "../../src/std/random.ts";

export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A whole number from 0 up to, and without, the bound. */
  below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  many<T>(max: number, make: () => T): T[] {
    return Array.from({ length: this.below(max + 1) }, make);
  }

  bytes(max: number): Buffer {
    return Buffer.from(this.many(max, () => this.below(256)));
  }
}
