// A queue in which owners take turns: each gives one item, then the next one does. The items of one owner keep their order.
import { Queue } from "./queue.ts";

interface Owned<K, T> {
  readonly key: K;
  readonly items: Queue<T>;
}

export class RoundQueue<K, T> {
  readonly #keyOf: (item: T) => K;
  /** Those that have items. */
  readonly #byKey = new Map<K, Owned<K, T>>();
  /** The same, in the order of their turns. */
  readonly #turns = new Queue<Owned<K, T>>();
  #size = 0;

  constructor(keyOf: (item: T) => K) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    const key = this.#keyOf(item);
    const owned = this.#byKey.get(key) ?? this.#open(key);
    owned.items.push(item);
    this.#size++;
  }

  peek(): T | undefined {
    return this.#turns.peek()?.items.peek();
  }

  shift(): T | undefined {
    const owned = this.#turns.shift();
    if (owned === undefined) return undefined;
    const item = owned.items.shift();
    this.#size--;
    if (owned.items.size > 0) this.#turns.push(owned);
    else this.#byKey.delete(owned.key);
    return item;
  }

  #open(key: K): Owned<K, T> {
    const owned = { key, items: new Queue<T>() };
    this.#byKey.set(key, owned);
    this.#turns.push(owned);
    return owned;
  }
}
