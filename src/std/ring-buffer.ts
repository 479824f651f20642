// The newest items up to a total weight; older ones are dropped.

/** A queue with a bound on the sum of its items' weights. At the bound the oldest are dropped and counted. */
export class RingBuffer<T> {
  readonly #weightOf: (item: T) => number;
  #items: T[] = [];
  #head = 0;
  #weight = 0;
  #weightMax: number;
  #dropped = 0;

  constructor(weightMax: number, weightOf: (item: T) => number) {
    this.#weightMax = weightMax;
    this.#weightOf = weightOf;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get weight(): number {
    return this.#weight;
  }

  push(item: T): void {
    this.#items.push(item);
    this.#weight += this.#weightOf(item);
    this.#trim();
  }

  /** Changes the bound; what no longer fits is dropped at once. */
  resize(weightMax: number): void {
    this.#weightMax = weightMax;
    this.#trim();
  }

  /** The items, oldest first. */
  toArray(): T[] {
    return this.#items.slice(this.#head);
  }

  #trim(): void {
    while (this.#weight > this.#weightMax && this.#head < this.#items.length) {
      this.#weight -= this.#weightOf(this.#items[this.#head++] as T); // Within bounds by the condition.
      this.#dropped++;
    }
    // Compacted rarely, so that a push costs constant time on average.
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }
}
