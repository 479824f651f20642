// Chance that comes from a seed alone. Each purpose has dice of its own, so that taking one thing out of a run leaves the
// others as they were: a failing run can then be made smaller.
import { seededRandom } from "../../src/std/random.ts";

export class Dice {
  readonly #next: () => number;

  constructor(seed: number, purpose: string) {
    let mixed = seed >>> 0;
    for (let i = 0; i < purpose.length; i++) mixed = Math.imul(mixed ^ purpose.charCodeAt(i), 0x01000193);
    this.#next = seededRandom((mixed ^ (mixed >>> 15)) >>> 0);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** A whole number from `least` up to and including `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T;
  }

  /** One of the names, each as often as its weight says. */
  weighted<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T {
    let sum = 0;
    for (const name in weights) sum += weights[name] ?? 0;
    let at = this.#next() * sum;
    let last: T | undefined;
    for (const name in weights) {
      last = name;
      if ((at -= weights[name] ?? 0) < 0) return name;
    }
    return last as T;
  }
}
