// Scores of any scale in few numbers. Buckets grow with the distance from zero, eight to a doubling; where they become too
// many, neighbours are put together, so that edges that stay keep their meaning.

/** Values by size: how many lie up to each bound and above the one before, with one more count for those beyond the last. */
export interface Histogram {
  /** Ascending. */
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

export interface Scores extends Histogram {
  readonly sum: number;
  /** Null where there is no score. */
  readonly min: number | null;
  readonly max: number | null;
}

const perDoubling = 8;
const bucketsMax = 100;

export class ScoreHistogram {
  /** By the upper edge of each bucket, which belongs to it. */
  #counts = new Map<number, number>();
  /** How many of the finest buckets make one. */
  #stride = 1;
  #sum = 0;
  #min = Infinity;
  #max = -Infinity;

  add(score: number): void {
    this.#count(score, 1);
    this.#sum += score;
    this.#min = Math.min(this.#min, score);
    this.#max = Math.max(this.#max, score);
    while (this.#counts.size > bucketsMax) this.#coarsen();
  }

  toScores(): Scores {
    const bounds: number[] = [];
    const counts: number[] = [];
    let beyond = 0;
    for (const [upper, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      if (upper === Infinity) beyond = count;
      else {
        const lower = this.#edgeBelow(upper);
        if (lower < upper && lower > (bounds.at(-1) ?? -Infinity)) add(lower, 0);
        add(upper, count);
      }
    }
    const isEmpty = this.#counts.size === 0;
    return {
      bounds,
      counts: [...counts, beyond],
      sum: this.#sum,
      min: isEmpty ? null : this.#min,
      max: isEmpty ? null : this.#max,
    };

    function add(bound: number, count: number): void {
      bounds.push(bound);
      counts.push(count);
    }
  }

  #count(score: number, count: number): void {
    const edge = this.#edgeAbove(score);
    this.#counts.set(edge, (this.#counts.get(edge) ?? 0) + count);
  }

  // An edge lies in the bucket that it ends, and so in the wider one that takes its place.
  #coarsen(): void {
    const counts = this.#counts;
    this.#counts = new Map();
    this.#stride *= 2;
    for (const [edge, count] of counts) this.#count(edge, count);
  }

  // The logarithm only guesses: what counts is the comparison with the edge as it is shown.
  #edgeAbove(score: number): number {
    if (score === 0 || score === Infinity) return score;
    const size = Math.abs(score);
    let place = this.#placeOf(size);
    if (score > 0) {
      while (this.#edge(place) < size) place++;
      while (this.#edge(place - 1) >= size) place--;
      return this.#edge(place);
    }
    while (this.#edge(place) > size) place--;
    while (this.#edge(place + 1) <= size) place++;
    return -this.#edge(place);
  }

  #edgeBelow(upper: number): number {
    const place = this.#placeOf(Math.abs(upper));
    if (upper === 0) return 0;
    return upper > 0 ? this.#edge(place - 1) : -this.#edge(place + 1);
  }

  #placeOf(size: number): number {
    return Math.round((Math.log2(size) * perDoubling) / this.#stride);
  }

  #edge(place: number): number {
    return 2 ** ((place * this.#stride) / perDoubling);
  }
}
