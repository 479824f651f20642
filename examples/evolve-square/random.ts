// Random numbers from a seed: the same seed gives the same run.

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** An integer from 0 up to, not including, `count`. */
  below(count: number): number;
  pick<T>(list: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** Where it is now: `seededRandom(random.state)` continues from here. */
  readonly state: number;
}

/** Mulberry32: small, fast, and good enough to breed programs. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    // No list here is empty.
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    chance: (probability) => next() < probability,
    get state() {
      return state;
    },
  };
}
