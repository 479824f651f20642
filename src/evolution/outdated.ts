// Members of generations that are retained no longer. It is about individuals, not names: one that is born later under the
// id of a dead member is none.

export interface OutdatedParts {
  readonly isDead: (id: string) => boolean;
  /** Whether a retained generation of any population has it. */
  readonly isRetained: (id: string) => boolean;
  /** The most that are remembered; beyond that the oldest are forgotten, and stay alive. */
  readonly max: number;
}

export class Outdated {
  readonly #parts: OutdatedParts;
  readonly #ids = new Set<string>();
  /** Members that are retained and dead. */
  readonly #over = new Set<string>();

  constructor(parts: OutdatedParts) {
    this.#parts = parts;
  }

  /** They are members from now on. */
  join(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#ids.delete(id);
      if (this.#parts.isDead(id)) this.#over.add(id);
      else this.#over.delete(id);
    }
  }

  /** They are members no longer, and that is all. */
  leave(ids: Iterable<string>): void {
    for (const id of ids) if (this.#over.has(id) && !this.#parts.isRetained(id)) this.#over.delete(id);
  }

  /** Their generation is retained no longer. */
  outdate(ids: Iterable<string>): void {
    for (const id of ids) if (!this.#over.has(id)) this.#ids.add(id);
    this.leave(ids);
    for (const id of this.#ids) {
      if (this.#ids.size <= this.#parts.max) break;
      this.#ids.delete(id);
    }
  }

  died(id: string): void {
    this.#ids.delete(id);
    if (this.#parts.isRetained(id)) this.#over.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
