// A store that lasts as long as the process: the default, and the reference for others.
import type { StateCapture } from "../model/sandboxes/process.ts";
import type { Store, StoredSandbox } from "./store.ts";

export class MemoryStore implements Store {
  readonly #stored = new Map<string, StoredSandbox>();

  open(): Promise<readonly StoredSandbox[]> {
    return Promise.resolve([...this.#stored.values()]);
  }

  save(sandbox: StoredSandbox): Promise<void> {
    this.#stored.set(sandbox.id, sandbox);
    return Promise.resolve();
  }

  saveState(id: string, state: StateCapture): Promise<void> {
    const stored = this.#stored.get(id);
    if (stored !== undefined) this.#stored.set(id, { ...stored, state });
    return Promise.resolve();
  }

  remove(id: string): Promise<void> {
    this.#stored.delete(id);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
