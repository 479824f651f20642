// What happened when, counted by kind in slices of time. The slices grow when there are too many of them, so that an hour and a
// month take the same room.
import { Names } from "./names.ts";

/** Counts by kind; the kinds are those of `Timeline.kinds`, in their order. */
export interface Slice {
  readonly at: number;
  readonly counts: readonly number[];
}

const slicesMax = 240;
/** There are a few dozen kinds; what a document of others makes up beyond these is one more. */
const kindsMax = 60;
const otherKinds = "other kinds";

export class Timeline {
  /** Grows with every change, so that a view computes nothing twice. */
  changed = 0;
  readonly #kinds = new Names();
  #sliceMs: number;
  readonly #firstMs: number;
  #slices = new Map<number, number[]>();
  #total = 0;

  constructor(sliceMs = 1_000) {
    this.#sliceMs = sliceMs;
    this.#firstMs = sliceMs;
  }

  get kinds(): readonly string[] {
    return this.#kinds.list;
  }

  get sliceMs(): number {
    return this.#sliceMs;
  }

  get total(): number {
    return this.#total;
  }

  /** How many of each kind there were in all. */
  totals(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const counts of this.#slices.values())
      for (const [kind, count] of counts.entries()) {
        const name = this.#kinds.name(kind);
        sums.set(name, (sums.get(name) ?? 0) + (count ?? 0));
      }
    return sums;
  }

  add(kind: string, at: number): void {
    if (!Number.isFinite(at)) return;
    this.#total++;
    this.changed++;
    this.#count(Math.floor(at / this.#sliceMs), this.#kindOf(kind), 1);
    // Slices with nothing in them count too: they are drawn.
    while (this.#slices.size > slicesMax) this.#coarsen();
  }

  /** Oldest first; slices in which nothing happened are left out. */
  slices(): readonly Slice[] {
    const { length } = this.#kinds.list;
    return [...this.#slices]
      .sort(([one], [other]) => one - other)
      .map(([slice, counts]) => ({
        at: slice * this.#sliceMs,
        counts: Array.from({ length }, (_, kind) => counts[kind] ?? 0),
      }));
  }

  /** How many happened in this much time before. */
  since(at: number): number {
    let sum = 0;
    for (const [slice, counts] of this.#slices)
      if ((slice + 1) * this.#sliceMs > at) for (const count of counts) sum += count ?? 0;
    return sum;
  }

  clear(): void {
    this.#slices = new Map();
    this.#sliceMs = this.#firstMs;
    this.#total = 0;
    this.changed++;
  }

  #kindOf(kind: string): number {
    return this.#kinds.number(
      this.#kinds.has(kind) || this.#kinds.list.length < kindsMax ? kind : otherKinds,
    );
  }

  #count(slice: number, kind: number, count: number): void {
    let counts = this.#slices.get(slice);
    if (counts === undefined) this.#slices.set(slice, (counts = []));
    counts[kind] = (counts[kind] ?? 0) + count;
  }

  #coarsen(): void {
    const finer = this.#slices;
    this.#slices = new Map();
    this.#sliceMs *= 2;
    for (const [slice, counts] of finer)
      for (const [kind, count] of counts.entries())
        if (count !== undefined) this.#count(Math.floor(slice / 2), kind, count);
  }
}
