// A queue in which owners take turns: each gives one item, then the next one does. The items of one owner keep their order.
import { Queue } from "./queue.ts";

interface Owned<K, T> {
  readonly key: K;
  readonly items: Queue<T>;
}

/** So many more than needed may be among the turns before they are cleaned up. */
const staleMax = 64;

export class RoundQueue<K, T> {
  readonly #keyOf: (item: T) => K;
  /** Those that have items. */
  readonly #byKey = new Map<K, Owned<K, T>>();
  /** Whose turn is next; among them some that have no items any more. */
  readonly #turns = new Queue<Owned<K, T>>();
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
    const owned = this.#byKey.get(key) ?? this.#open(key);
    owned.items.push(item);
    this.#size++;
  }

  peek(): T | undefined {
    return this.#next()?.items.peek();
  }

  shift(): T | undefined {
    const owned = this.#next();
    if (owned === undefined) return undefined;
    this.#turns.shift();
    const item = owned.items.shift();
    this.#size--;
    if (owned.items.size > 0) this.#turns.push(owned);
    else this.#byKey.delete(owned.key);
    return item;
  }

  /** Removes and returns all items of one owner, in order. */
  takeOf(key: K): T[] {
    const owned = this.#byKey.get(key);
    return owned === undefined ? [] : this.#takeFrom(owned, () => true);
  }

  /** Removes an item. */
  remove(item: T): void {
    const owned = this.#byKey.get(this.#keyOf(item));
    if (owned !== undefined) this.#takeFrom(owned, (other) => other === item);
  }

  /** Removes and returns every item for which `isTaken` is true, owner by owner. */
  takeWhere(isTaken: (item: T) => boolean): T[] {
    return [...this.#byKey.values()].flatMap((owned) => this.#takeFrom(owned, isTaken));
  }

  #open(key: K): Owned<K, T> {
    const owned = { key, items: new Queue<T>() };
    this.#byKey.set(key, owned);
    this.#turns.push(owned);
    return owned;
  }

  #takeFrom(owned: Owned<K, T>, isTaken: (item: T) => boolean): T[] {
    const taken = owned.items.takeWhere(isTaken);
    this.#size -= taken.length;
    if (owned.items.size > 0) return taken;
    this.#byKey.delete(owned.key);
    if (this.#turns.size > 2 * this.#byKey.size + staleMax)
      this.#turns.takeWhere(({ items }) => items.size === 0);
    return taken;
  }

  #next(): Owned<K, T> | undefined {
    while (this.#turns.peek()?.items.size === 0) this.#turns.shift();
    return this.#turns.peek();
  }
}
