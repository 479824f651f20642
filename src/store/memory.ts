// A store that lasts as long as the process: the default, and the twin that others are measured by.
import type { Store, StoredSandbox } from "./store.ts";

export class MemoryStore implements Store {
  readonly #kept = new Map<string, StoredSandbox>();

  open(): Promise<readonly StoredSandbox[]> {
    return Promise.resolve([...this.#kept.values()]);
  }

  save(sandbox: StoredSandbox): Promise<void> {
    this.#kept.set(sandbox.id, sandbox);
    return Promise.resolve();
  }

  remove(id: string): Promise<void> {
    this.#kept.delete(id);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
