// A store that does what a test tells it to when it is asked to save or to remove.
import {
  MemoryStore,
  type StoredRecord,
  type StoredSandbox,
  type StoreStatus,
  type Tombstone,
} from "../../src/index.ts";

type Act = () => void | Promise<void>;

export class FlakyStore extends MemoryStore {
  /** Called once, before the next save; what it throws is the store's failure. */
  beforeNextSave: Act | undefined;
  /** The same, for a record. */
  beforeNextRecord: Act | undefined;
  /** The same, for a removal. */
  beforeNextRemove: Act | undefined;

  override async save(sandbox: StoredSandbox): Promise<void> {
    await this.#once("beforeNextSave");
    return super.save(sandbox);
  }

  override async saveRecord(id: string, record: StoredRecord): Promise<void> {
    await this.#once("beforeNextRecord");
    return super.saveRecord(id, record);
  }

  override async remove(id: string, tombstone?: Tombstone): Promise<void> {
    await this.#once("beforeNextRemove");
    return super.remove(id, tombstone);
  }

  watch(listener: (status: StoreStatus) => void): void {
    this.tell = listener;
  }

  /** Tells whoever watches it of a status. */
  tell: (status: StoreStatus) => void = () => {};

  #once(name: "beforeNextSave" | "beforeNextRecord" | "beforeNextRemove"): ReturnType<Act> {
    const act = this[name];
    this[name] = undefined;
    return act?.();
  }
}
