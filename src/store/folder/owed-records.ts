// Records that could not be written, for whose sake nobody asks again: the latest of each sandbox is written once the store is
// well, unless something later about it was.
import type { StoredRecord } from "../store.ts";
import type { KnownVersions } from "./known-versions.ts";
import type { Refusal } from "./waiting-requests.ts";

export class OwedRecords {
  readonly #known: KnownVersions;
  /** By the id of its sandbox; bounded by those that are stored. */
  readonly #owed = new Map<string, StoredRecord>();
  /** By id: how many requests about it are under way. What is owed must not overtake them. */
  readonly #underway = new Map<string, number>();

  constructor(known: KnownVersions) {
    this.#known = known;
  }

  /** A request about a sandbox is sent; what it returns is called with the answer. */
  begin(id: string, record?: StoredRecord): (refusal?: Refusal) => void {
    this.#underway.set(id, (this.#underway.get(id) ?? 0) + 1);
    return (refusal) => {
      const others = (this.#underway.get(id) ?? 1) - 1;
      if (others === 0) this.#underway.delete(id);
      else this.#underway.set(id, others);
      if (refusal === undefined) this.#owed.delete(id);
      else if (record !== undefined && mayPass(refusal) && this.#known.has(id)) this.#owed.set(id, record);
    };
  }

  /** Takes out what may be written now. */
  take(): readonly (readonly [id: string, record: StoredRecord])[] {
    if (this.#owed.size === 0) return [];
    const due = [...this.#owed].filter(([id]) => !this.#underway.has(id));
    for (const [id] of due) this.#owed.delete(id);
    return due;
  }
}

function mayPass({ isDisk, isLasting = false }: Refusal): boolean {
  return isDisk && !isLasting;
}
