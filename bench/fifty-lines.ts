// A module that several rows compile and load.

/** Fifty lines of the kind that people write. */
export const fiftyLines = `
interface Item { readonly weight: number; readonly value: number; readonly name: string }
interface Pick { readonly taken: readonly Item[]; readonly value: number }

export class Knapsack {
  readonly #items: Item[] = [];
  readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  add(item: Item): this {
    this.#items.push(item);
    return this;
  }

  get density(): number[] {
    return this.#items.map(({ weight, value }: Item): number => value / weight);
  }

  greedy(): Pick {
    const order = [...this.#items].sort((a, b) => b.value / b.weight - a.value / a.weight);
    let room = this.capacity;
    const taken: Item[] = [];
    for (const item of order) {
      if (item.weight > room) continue;
      room -= item.weight;
      taken.push(item);
    }
    return { taken, value: taken.reduce((sum, { value }) => sum + value, 0) };
  }

  exact(): number {
    const best = new Array<number>(this.capacity + 1).fill(0);
    for (const { weight, value } of this.#items) {
      for (let room = this.capacity; room >= weight; room--) {
        best[room] = Math.max(best[room] ?? 0, (best[room - weight] ?? 0) + value);
      }
    }
    return best[this.capacity] ?? 0;
  }
}

export function score(items: readonly Item[], capacity: number): number {
  const sack = new Knapsack(capacity);
  for (const item of items) sack.add(item);
  const exact: number = sack.exact();
  return exact === 0 ? 1 : sack.greedy().value / exact;
}
`;
