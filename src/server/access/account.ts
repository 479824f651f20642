// The sums of one owner: a tenant, or the runtime as a whole. What was set aside counts in full, and what lives in it counts with
// it, as far as it is what was set aside.
/** A sandbox that is to be, or one whose limits are to change. */
export interface Need {
  readonly id: string;
  readonly memoryBytes: number;
}

/** What was set aside for one id. */
interface Hold {
  readonly count: number;
  readonly memoryBytes: number;
}

/** Room for fewer sandboxes than have a name in it. */
export type Cover = object;

export class Account {
  readonly #living = new Map<string, number>();
  readonly #held = new Map<string, Hold>();
  /** Ids that nobody but this one reservation has named: with it counts what it makes of them, and nothing else. */
  readonly #covers = new Map<string, Cover>();
  sandboxes = 0;
  memoryBytes = 0;

  /** What lives under this id; null for nothing. */
  set(id: string, memoryBytes: number | null): void {
    this.#change(id, () => {
      if (memoryBytes === null) this.#living.delete(id);
      else this.#living.set(id, memoryBytes);
    });
  }

  /** What the sums would lose if these counted with a reservation. */
  uncounted(needs: readonly Need[]): { readonly sandboxes: number; readonly memoryBytes: number } {
    let [sandboxes, memoryBytes] = [0, 0];
    for (const id of new Set(needs.map((need) => need.id))) {
      if (this.#held.has(id) || this.#covers.has(id)) continue;
      const own = this.#living.get(id);
      if (own === undefined) continue;
      sandboxes++;
      memoryBytes += own;
    }
    return { sandboxes, memoryBytes };
  }

  /** There is room for this one by itself. */
  hold({ id, memoryBytes }: Need): void {
    this.#change(id, () => {
      this.#covers.delete(id);
      const { count = 0, memoryBytes: before = 0 } = this.#held.get(id) ?? {};
      this.#held.set(id, { count: count + 1, memoryBytes: before + memoryBytes });
    });
  }

  letGo({ id, memoryBytes }: Need): void {
    this.#change(id, () => {
      const { count = 0, memoryBytes: before = 0 } = this.#held.get(id) ?? {};
      if (count > 1) this.#held.set(id, { count: count - 1, memoryBytes: before - memoryBytes });
      else this.#held.delete(id);
    });
  }

  /** There is room for some of those that have names in it. One that is there already, or is named by others too, is none of them. */
  cover(id: string, by: Cover): void {
    this.#change(id, () => {
      const other = this.#covers.get(id);
      if (other !== undefined && other !== by) this.#covers.delete(id);
      else if (!this.#held.has(id) && !this.#living.has(id)) this.#covers.set(id, by);
    });
  }

  uncover(id: string, by: Cover): void {
    if (this.#covers.get(id) === by) this.#change(id, () => this.#covers.delete(id));
  }

  #change(id: string, act: () => void): void {
    this.#add(id, -1);
    act();
    this.#add(id, 1);
  }

  #add(id: string, sign: 1 | -1): void {
    const own = this.#living.get(id);
    if (own === undefined || this.#covers.has(id)) return;
    const hold = this.#held.get(id);
    this.sandboxes += hold === undefined ? sign : 0;
    // What is larger than what was set aside, as somebody else made it, or it is to become smaller.
    this.memoryBytes += sign * Math.max(0, own - (hold?.memoryBytes ?? 0));
  }
}
