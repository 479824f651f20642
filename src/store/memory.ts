// A store that lasts as long as the process: the default, and the reference for others.
import type { StateCapture } from "../model/sandboxes/process.ts";
import type { Documents, Store, StoredRecord, StoredSandbox, Tombstone } from "./store.ts";

/** How many rows one read gives. */
export const documentsPage = 10_000;
/** How many tombstones a store has; the oldest make room. */
export const tombstonesMax = 10_000;

export class MemoryStore implements Store {
  readonly #stored = new Map<string, StoredSandbox>();
  readonly #tombstones = new Map<string, Tombstone>();
  readonly #collections = new Map<string, Map<string, string>>();
  /** Of collections that did not change since they were last read. */
  readonly #sortedKeys = new Map<string, readonly string[]>();

  open(): Promise<readonly StoredSandbox[]> {
    return Promise.resolve([...this.#stored.values()]);
  }

  save(sandbox: StoredSandbox): Promise<void> {
    this.#stored.set(sandbox.id, sandbox);
    this.#tombstones.delete(sandbox.id);
    return Promise.resolve();
  }

  saveState(id: string, state: StateCapture): Promise<void> {
    return this.#change(id, { state });
  }

  saveRecord(id: string, record: StoredRecord): Promise<void> {
    return this.#change(id, { record });
  }

  remove(id: string, tombstone?: Tombstone): Promise<void> {
    this.#stored.delete(id);
    this.#tombstones.delete(id);
    if (tombstone !== undefined) this.#tombstones.set(id, tombstone);
    for (const oldest of this.#tombstones.keys()) {
      if (this.#tombstones.size <= tombstonesMax) break;
      this.#tombstones.delete(oldest);
    }
    return Promise.resolve();
  }

  tombstones(): Promise<readonly Tombstone[]> {
    return Promise.resolve([...this.#tombstones.values()]);
  }

  readonly documents: Documents = {
    read: (collection, after = "") => {
      const stored = this.#collections.get(collection) ?? new Map<string, string>();
      const keys = this.#sortedKeys.get(collection) ?? [...stored.keys()].sort();
      this.#sortedKeys.set(collection, keys);
      const page = keys.filter((key) => key > after).slice(0, documentsPage);
      return Promise.resolve(page.map((key) => [key, JSON.parse(stored.get(key) ?? "") as unknown] as const));
    },
    write: (collection, rows) => {
      const stored = this.#collections.get(collection) ?? new Map<string, string>();
      this.#collections.set(collection, stored);
      this.#sortedKeys.delete(collection);
      for (const [key, value] of rows)
        if (value === undefined) stored.delete(key);
        else stored.set(key, JSON.stringify(value));
      return Promise.resolve();
    },
  };

  close(): Promise<void> {
    return Promise.resolve();
  }

  #change(id: string, change: Partial<StoredSandbox>): Promise<void> {
    const stored = this.#stored.get(id);
    if (stored !== undefined) this.#stored.set(id, { ...stored, ...change });
    return Promise.resolve();
  }
}
