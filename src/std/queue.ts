// First in, first out, in constant time.

export class Queue<T> implements Iterable<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    if (this.#head >= this.#items.length) return undefined;
    const item = this.#items[this.#head];
    // So that the queue does not hold what has left it; `size` never counts this place again.
    this.#items[this.#head++] = undefined as T;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#head; at < this.#items.length; at++) {
      // All behind the head are items.
      yield this.#items[at] as T;
    }
  }

  /** Removes and returns every item for which `isTaken` is true, in order. */
  takeWhere(isTaken: (item: T) => boolean): T[] {
    const taken: T[] = [];
    const rest: T[] = [];
    for (const item of this.#items.slice(this.#head)) (isTaken(item) ? taken : rest).push(item);
    this.#items = rest;
    this.#head = 0;
    return taken;
  }
}
