// A queue as a linked list: an array would go through prototypes that the guest can patch.

interface Link<T> {
  readonly item: T;
  next: Link<T> | undefined;
}

/** A queue that knows its length. */
export class Chain<T> {
  #head: Link<T> | undefined;
  #tail: Link<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    const link: Link<T> = { item, next: undefined };
    if (this.#tail === undefined) this.#head = link;
    else this.#tail.next = link;
    this.#tail = link;
    this.#size++;
  }

  shift(): T | undefined {
    const first = this.#head;
    if (first === undefined) return undefined;
    this.#head = first.next;
    if (this.#head === undefined) this.#tail = undefined;
    this.#size--;
    return first.item;
  }

  /** Takes out the first item for which `isWanted` says so. */
  take(isWanted: (item: T) => boolean): T | undefined {
    let before: Link<T> | undefined;
    for (let link = this.#head; link !== undefined; before = link, link = link.next) {
      if (!isWanted(link.item)) continue;
      if (before === undefined) this.#head = link.next;
      else before.next = link.next;
      if (this.#tail === link) this.#tail = before;
      this.#size--;
      return link.item;
    }
    return undefined;
  }

  each(visit: (item: T) => void): void {
    for (let link = this.#head; link !== undefined; link = link.next) visit(link.item);
  }

  /** As `each`, last first. */
  eachBackwards(visit: (item: T) => void): void {
    let top: Link<T> | undefined;
    this.each((item) => {
      top = { item, next: top };
    });
    for (; top !== undefined; top = top.next) visit(top.item);
  }
}
