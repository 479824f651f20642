// Items by numbers that only grow, most of which leave about in the order in which they came: a few slots that are used again and
// again. A Map would make a table anew every few dozen items; see linked-list.ts.

/** A power of two. More than these, or two that have the same slot, are in a Map. */
const slotCount = 256;

interface Slot<T> {
  readonly number: number;
  readonly item: T;
}

export class NumberTable<T> {
  readonly #numbers = new Float64Array(slotCount).fill(-1);
  readonly #items: (T | undefined)[] = Array.from({ length: slotCount }, () => undefined);
  readonly #others = new Map<number, T>();
  #slotted = 0;

  get size(): number {
    return this.#slotted + this.#others.size;
  }

  get(number: number): T | undefined {
    const slot = slotOf(number);
    if (this.#numbers[slot] === number) return this.#items[slot];
    return this.#others.size === 0 ? undefined : this.#others.get(number);
  }

  set(number: number, item: T): void {
    const slot = slotOf(number);
    const holder = this.#numbers[slot];
    if (holder !== number && (holder !== -1 || this.#others.has(number))) {
      this.#others.set(number, item);
      return;
    }
    if (holder === -1) this.#slotted++;
    this.#numbers[slot] = number;
    this.#items[slot] = item;
  }

  /** Whether it was there. */
  delete(number: number): boolean {
    const slot = slotOf(number);
    if (this.#numbers[slot] !== number) return this.#others.size > 0 && this.#others.delete(number);
    this.#numbers[slot] = -1;
    this.#items[slot] = undefined;
    this.#slotted--;
    return true;
  }

  clear(): void {
    this.#numbers.fill(-1);
    this.#items.fill(undefined);
    this.#others.clear();
    this.#slotted = 0;
  }

  /** All for which `isSuch` is true, by their numbers, the lowest first. */
  where(isSuch: (item: T) => boolean): T[] {
    const found: Slot<T>[] = [];
    for (const [number, item] of this.#others) if (isSuch(item)) found.push({ number, item });
    for (let slot = 0, left = this.#slotted; left > 0; slot++) {
      const number = this.#numbers[slot] ?? -1;
      if (number === -1) continue;
      left--;
      // What has a number is an item.
      const item = this.#items[slot] as T;
      if (isSuch(item)) found.push({ number, item });
    }
    if (found.length > 1) found.sort((one, other) => one.number - other.number);
    return found.map(({ item }) => item);
  }
}

function slotOf(number: number): number {
  return number & (slotCount - 1);
}
