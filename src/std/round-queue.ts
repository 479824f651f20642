// A queue in which owners take turns: each gives one item, then the next one does. The items of one owner keep their order.
import { Queue } from "./queue.ts";

export class RoundQueue<K, T> {
  readonly #keyOf: (item: T) => K;
  /** In the order of their turns. */
  readonly #byKey = new Map<K, Queue<T>>();
  #size = 0;

  constructor(keyOf: (item: T) => K) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether an item of this owner waits. */
  has(key: K): boolean {
    return this.#byKey.has(key);
  }

  push(item: T): void {
    const key = this.#keyOf(item);
    const own = this.#byKey.get(key) ?? new Queue<T>();
    if (own.size === 0) this.#byKey.set(key, own);
    own.push(item);
    this.#size++;
  }

  peek(): T | undefined {
    for (const own of this.#byKey.values()) return own.peek();
    return undefined;
  }

  shift(): T | undefined {
    for (const [key, own] of this.#byKey) {
      const item = own.shift();
      this.#size--;
      // Its next turn comes after those of all others.
      this.#byKey.delete(key);
      if (own.size > 0) this.#byKey.set(key, own);
      return item;
    }
    return undefined;
  }

  /** Removes and returns all items of one owner, in order. */
  takeOf(key: K): T[] {
    const taken = this.#byKey.get(key)?.takeWhere(() => true) ?? [];
    this.#byKey.delete(key);
    this.#size -= taken.length;
    return taken;
  }

  /** Removes and returns every item for which `isTaken` is true, owner by owner. */
  takeWhere(isTaken: (item: T) => boolean): T[] {
    const taken: T[] = [];
    for (const [key, own] of this.#byKey) {
      taken.push(...own.takeWhere(isTaken));
      if (own.size === 0) this.#byKey.delete(key);
    }
    this.#size -= taken.length;
    return taken;
  }
}
