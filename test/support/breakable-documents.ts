// A store whose documents fail, or wait, as a test says.
import { MemoryStore, type Documents, type Store } from "../../src/index.ts";

export interface BreakableDocuments {
  readonly store: Store;
  readonly documents: Documents;
  /** Called before each request; what it throws is the store's failure. */
  before: (what: "read" | "write", collection: string) => void | Promise<void>;
  /** Each write that succeeded: its collection and how many rows it had. */
  readonly writes: (readonly [collection: string, rows: number])[];
}

export function breakableDocuments(): BreakableDocuments {
  const memory = new MemoryStore();
  const plain = memory.documents;
  const documents: Documents = {
    read: async (collection, after) => {
      await made.before("read", collection);
      return plain.read(collection, after);
    },
    write: async (collection, rows) => {
      await made.before("write", collection);
      await plain.write(collection, rows);
      made.writes.push([collection, rows.size]);
    },
  };
  const made: BreakableDocuments = {
    store: Object.assign(memory, { documents }),
    documents,
    before: () => {},
    writes: [],
  };
  return made;
}

/** The failure of such a store. */
export const full = (): never => {
  throw new Error("the disk is full");
};
