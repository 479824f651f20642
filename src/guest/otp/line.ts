// A queue of objects that are linked by a field of their own, so that one in the queue costs nothing besides itself. An object
// is in one such queue at a time. Neither goes through prototypes that the guest can patch.

/** An object that can wait in a line. */
export interface Linked<T> {
  next: T | undefined;
}

/** A queue that knows its length. */
export class Line<T extends Linked<T>> {
  #head: T | undefined;
  #tail: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    item.next = undefined;
    if (this.#tail === undefined) this.#head = item;
    else this.#tail.next = item;
    this.#tail = item;
    this.#size++;
  }

  shift(): T | undefined {
    const first = this.#head;
    if (first === undefined) return undefined;
    this.#head = first.next;
    if (this.#head === undefined) this.#tail = undefined;
    else first.next = undefined;
    this.#size--;
    return first;
  }

  /** Takes out the first item for which `isWanted` says so. That may be a guest's code, which may take items out itself. */
  take(isWanted: (item: T) => boolean): T | undefined {
    let before: T | undefined;
    for (let item = this.#head; item !== undefined; before = item, item = item.next) {
      if (!isWanted(item)) continue;
      if (before === undefined) this.#head = item.next;
      else before.next = item.next;
      if (this.#tail === item) this.#tail = before;
      this.#size--;
      return item;
    }
    return undefined;
  }

  has(wanted: T): boolean {
    let item = this.#head;
    while (item !== undefined && item !== wanted) item = item.next;
    return item !== undefined;
  }
}
