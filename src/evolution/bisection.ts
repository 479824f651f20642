// Finds a place in a sorted list by halving it.

/** The index of the first item for which `isTrue`, or the length; it must be true for all items after that one too. */
export function firstWhere<T extends {}>(sorted: readonly T[], isTrue: (item: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = sorted[middle];
    if (item === undefined || isTrue(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
