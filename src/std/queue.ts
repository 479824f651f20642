// First in, first out, in constant time. One that is filled and emptied again and again allocates nothing.

/** A queue that was longer than this gives back its memory as it becomes shorter. */
const spareMax = 1_024;

export class Queue<T> implements Iterable<T> {
  /** Items from `#head` up to `#tail`; all other places are undefined, so that the queue does not hold what has left it. */
  #items: (T | undefined)[] = [];
  #head = 0;
  #tail = 0;

  get size(): number {
    return this.#tail - this.#head;
  }

  push(item: T): void {
    if (this.#tail < this.#items.length) this.#items[this.#tail] = item;
    else this.#items.push(item);
    this.#tail++;
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    if (this.#head === this.#tail) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#tail) {
      if (this.#items.length > spareMax) this.#items = [];
      this.#head = 0;
      this.#tail = 0;
    } else if (this.#head > spareMax && this.#head * 2 > this.#tail)
      this.#keep(this.#items.slice(this.#head, this.#tail));
    return item;
  }

  *[Symbol.iterator](): Iterator<T> {
    // All from the head to the tail are items.
    for (let at = this.#head; at < this.#tail; at++) yield this.#items[at] as T;
  }

  /** Removes and returns every item for which `isTaken` is true, in order. */
  takeWhere(isTaken: (item: T) => boolean): T[] {
    const taken: T[] = [];
    const rest: T[] = [];
    for (const item of this) (isTaken(item) ? taken : rest).push(item);
    this.#keep(rest);
    return taken;
  }

  #keep(items: (T | undefined)[]): void {
    this.#items = items;
    this.#head = 0;
    this.#tail = items.length;
  }
}
