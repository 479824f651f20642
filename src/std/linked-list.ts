// Items in the order in which they were added, any of which can be taken out in constant time. Where thousands come and go, what
// was in a Set was seen to survive the collections of young garbage, and what was in such a list not (see Decisions in
// ARCHITECTURE.md).

/** The place of an item in its list. */
export interface Link<T> {
  readonly item: T;
}

interface OwnLink<T> extends Link<T> {
  before: OwnLink<T> | undefined;
  after: OwnLink<T> | undefined;
  isIn: boolean;
}

export class LinkedList<T> implements Iterable<T> {
  #first: OwnLink<T> | undefined;
  #last: OwnLink<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an item at the end; the link is what it is removed by. */
  add(item: T): Link<T> {
    const link: OwnLink<T> = { item, before: this.#last, after: undefined, isIn: true };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    this.#size++;
    return link;
  }

  /** Takes an item out; nothing happens where it is not in the list any more. */
  remove(given: Link<T>): void {
    // Links are made by `add` alone.
    const link = given as OwnLink<T>;
    if (!link.isIn) return;
    const { before, after } = link;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    link.isIn = false;
    // It keeps nothing of the list alive.
    link.before = undefined;
    link.after = undefined;
    this.#size--;
  }

  /** The items that there are now, whatever is added and removed meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    const items: T[] = [];
    for (let link = this.#first; link !== undefined; link = link.after) items.push(link.item);
    return items.values();
  }
}
