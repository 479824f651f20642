// A store that lasts as long as the process: the default, and the twin that others are measured by.
import type { StateCapture } from "../model/process.ts";
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

  saveState(id: string, state: StateCapture): Promise<void> {
    const kept = this.#kept.get(id);
    if (kept !== undefined) this.#kept.set(id, { ...kept, state });
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
