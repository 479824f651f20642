// Random numbers from a seed, in the forms that breeding needs: the same seed gives the same sequence on every machine.

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** An integer from 0 up to, not including, `count`. */
  below(count: number): number;
  pick<T>(list: readonly T[]): T;
  /** Where it is now: `seededRandom(random.state)` continues from here. */
  readonly state: number;
}

/** Mulberry32: small, fast, and good enough to breed programs. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  // No list here is empty.
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return {
    next,
    below,
    pick,
    get state() {
      return state;
    },
  };
}
