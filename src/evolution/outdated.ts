// Members of generations that are retained no longer. It is about individuals, not names: one that is born later under the
// id of a dead member is none.

export interface OutdatedParts {
  readonly isDead: (id: string) => boolean;
  /** Whether a retained generation of any population has it. */
  readonly isRetained: (id: string) => boolean;
  /** The most that are remembered; beyond that the oldest are forgotten, and stay alive. */
  readonly max: number;
  /** Called at every change. */
  readonly onChange: (id: string, standing: Standing | undefined) => void;
}

/** What is known of a name beside the populations: a member of a past generation, or one that is retained and dead. */
export type Standing = "outdated" | "over";

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
    for (const id of ids) this.#set(id, this.#parts.isDead(id) ? "over" : undefined);
  }

  /** They are members no longer, and that is all. */
  leave(ids: Iterable<string>): void {
    for (const id of ids) if (this.#over.has(id) && !this.#parts.isRetained(id)) this.#set(id, undefined);
  }

  /** Their generation is retained no longer. */
  outdate(ids: Iterable<string>): void {
    for (const id of ids) if (!this.#over.has(id)) this.#set(id, "outdated");
    this.leave(ids);
    for (const id of this.#ids) {
      if (this.#ids.size <= this.#parts.max) break;
      this.#set(id, undefined);
    }
  }

  died(id: string): void {
    if (this.#parts.isRetained(id)) this.#set(id, "over");
    else if (this.#ids.has(id)) this.#set(id, undefined);
  }

  /** Whether it is a member that is retained and dead. */
  isOver(id: string): boolean {
    return this.#over.has(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** As it was when it was persisted. */
  restore(id: string, standing: Standing): void {
    (standing === "over" ? this.#over : this.#ids).add(id);
  }

  #set(id: string, standing: Standing | undefined): void {
    const before = this.#over.has(id) ? "over" : this.#ids.has(id) ? "outdated" : undefined;
    if (before === standing) return;
    this.#ids.delete(id);
    this.#over.delete(id);
    if (standing !== undefined) this.restore(id, standing);
    this.#parts.onChange(id, standing);
  }
}
