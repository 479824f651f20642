// A store that does what a test tells it to when it is asked to save or to remove.
import { MemoryStore, type StoredSandbox } from "../../src/index.ts";

type Act = () => void | Promise<void>;

export class FlakyStore extends MemoryStore {
  /** Called once, before the next save; what it throws is the store's failure. */
  beforeNextSave: Act | undefined;
  /** The same, for a removal. */
  beforeNextRemove: Act | undefined;

  override async save(sandbox: StoredSandbox): Promise<void> {
    await this.#once("beforeNextSave");
    return super.save(sandbox);
  }

  override async remove(id: string): Promise<void> {
    await this.#once("beforeNextRemove");
    return super.remove(id);
  }

  #once(name: "beforeNextSave" | "beforeNextRemove"): ReturnType<Act> {
    const act = this[name];
    this[name] = undefined;
    return act?.();
  }
}
