// A store that stops writing at a chosen moment, as one does whose process is killed: what came before is there for the
// next runtime, what comes after is lost.
import { createRuntime, type Documents, type MemoryStore, type Runtime, type Store } from "vivarium";

/** Which write is the last one. */
export interface Cut {
  readonly of: "sandboxes" | "documents";
  readonly after: number;
}

class CutStore implements Store {
  readonly #store: MemoryStore;
  readonly #cut: Cut;
  readonly #onCut: () => void;
  readonly documents: Documents;
  readonly #writes = { sandboxes: 0, documents: 0 };
  #isCut = false;

  constructor(store: MemoryStore, cut: Cut, onCut: () => void) {
    this.#store = store;
    this.#cut = cut;
    this.#onCut = onCut;
    this.documents = {
      read: (collection, after) => store.documents.read(collection, after),
      write: async (collection, rows) => {
        const act = (): Promise<void> => store.documents.write(collection, rows);
        // Those of the runtime itself and of a tracker come when they come.
        if (!/^(?:vivarium|tracker)\./.test(collection)) return this.#write("documents", act);
        if (!this.#isCut) await act();
      },
    };
  }

  open: Store["open"] = () => this.#store.open();
  save: Store["save"] = (sandbox) => this.#write("sandboxes", () => this.#store.save(sandbox));
  remove: Store["remove"] = (id) => this.#write("sandboxes", () => this.#store.remove(id));
  close: Store["close"] = () => Promise.resolve();

  async #write(what: Cut["of"], act: () => Promise<void>): Promise<void> {
    if (this.#isCut) return;
    this.#writes[what]++;
    this.#isCut = this.#writes[this.#cut.of] === this.#cut.after;
    const isLast = this.#isCut;
    await act();
    if (isLast) this.#onCut();
  }
}

/** Opens a runtime on a store, and closes it when `use` is done. */
export async function withStore<T>(store: Store, use: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await createRuntime({ store, cells: { count: 2, spare: 0, warm: 2 } });
  try {
    return await use(runtime);
  } finally {
    await runtime.close();
  }
}

/** Uses a runtime on `store` until the cut; `use` is asked to end then. */
export async function interruptedAt(
  store: MemoryStore,
  cut: Cut,
  use: (runtime: Runtime, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const interruption = new AbortController();
  const { signal } = interruption;
  await withStore(new CutStore(store, cut, () => interruption.abort()), (runtime) => use(runtime, signal));
  if (!signal.aborted) throw new Error(`it must be interrupted: it made fewer than ${cut.after} writes`);
}
