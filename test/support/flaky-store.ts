// A store that does what a test tells it to when it is asked to save or to remove.
import { MemoryStore, type StoredSandbox } from "../../src/index.ts";

export class FlakyStore extends MemoryStore {
  /** Called once, before the next save; what it throws is the store's failure. */
  beforeNextSave: (() => void | Promise<void>) | undefined;

  override async save(sandbox: StoredSandbox): Promise<void> {
    const act = this.beforeNextSave;
    this.beforeNextSave = undefined;
    await act?.();
    return super.save(sandbox);
  }

  /** As `beforeNextSave`, for a removal. */
  beforeNextRemove: (() => void | Promise<void>) | undefined;

  override async remove(id: string): Promise<void> {
    const act = this.beforeNextRemove;
    this.beforeNextRemove = undefined;
    await act?.();
    return super.remove(id);
  }
}
