// Wraps a store, which may be slow or unavailable: writes of one sandbox are made one after the other, in the order of the
// requests, and every request settles in bounded time.
import type { StateCapture } from "../model/sandboxes/process.ts";
import type { Clock } from "../std/clock.ts";
import { within } from "../std/deadline.ts";
import type {
  ArtifactTexts,
  Documents,
  Store,
  StoredRecord,
  StoredSandbox,
  StoreStatus,
  Tombstone,
} from "./store.ts";

/** How long a store may take over one request. */
export const storeMs = 30_000;

type Write =
  | { readonly kind: "save"; readonly sandbox: StoredSandbox }
  | { readonly kind: "state"; readonly id: string; readonly state: StateCapture }
  | { readonly kind: "record"; readonly id: string; readonly record: StoredRecord }
  | { readonly kind: "remove"; readonly id: string; readonly tombstone: Tombstone | undefined };

/** A write that waits, and the promise of its callers. */
interface Waiting {
  write: Write;
  readonly done: PromiseWithResolvers<void>;
}

/** The writes of one id: the first is under way, the others wait. */
interface WriteQueue {
  readonly waiting: Waiting[];
}

export class OrderedStore implements Store {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #queues = new Map<string, WriteQueue>();
  readonly #unsettled = new Set<(error: Error) => void>();
  readonly saveState?: NonNullable<Store["saveState"]>;
  readonly saveRecord?: NonNullable<Store["saveRecord"]>;
  readonly documents?: Documents;
  readonly artifacts?: ArtifactTexts;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    if (store.saveState !== undefined)
      this.saveState = (id, state) => this.#add("saveState", id, { kind: "state", id, state });
    if (store.saveRecord !== undefined)
      this.saveRecord = (id, record) => this.#add("saveRecord", id, { kind: "record", id, record });
    const { documents, artifacts } = store;
    if (documents !== undefined)
      this.documents = {
        read: (collection, after) => this.#bounded("read", documents.read(collection, after)),
        write: (collection, rows) => this.#bounded("write", documents.write(collection, rows)),
      };
    if (artifacts !== undefined) this.artifacts = artifacts;
  }

  get status(): StoreStatus {
    return this.#store.status ?? { state: "ok", reason: null };
  }

  get damaged(): readonly string[] {
    return this.#store.damaged ?? [];
  }

  open(): Promise<readonly StoredSandbox[]> {
    return this.#bounded("open", this.#store.open());
  }

  async tombstones(): Promise<readonly Tombstone[]> {
    return (await this.#bounded("tombstones", Promise.resolve(this.#store.tombstones?.()))) ?? [];
  }

  watch(listener: (status: StoreStatus) => void): void {
    this.#store.watch?.(listener);
  }

  save(sandbox: StoredSandbox): Promise<void> {
    return this.#add("save", sandbox.id, { kind: "save", sandbox });
  }

  remove(id: string, tombstone?: Tombstone): Promise<void> {
    return this.#add("remove", id, { kind: "remove", id, tombstone });
  }

  /** Closes the store when all writes are done, or after `storeMs`. */
  async close(): Promise<void> {
    const open = [...this.#queues.values()].flatMap(({ waiting }) => waiting.map(({ done }) => done.promise));
    // A write that does not end rejects for its own callers.
    if (open.length > 0) await this.#bounded("close", Promise.allSettled(open)).catch(() => {});
    // Nobody waits any longer for one that has not ended by now.
    for (const giveUp of [...this.#unsettled])
      giveUp(new Error("it must be done before close(): it was not"));
    await this.#bounded("close", this.#store.close());
  }

  #add(what: string, id: string, write: Write): Promise<void> {
    const queue = this.#queues.get(id);
    if (queue === undefined) {
      const first = { write, done: Promise.withResolvers<void>() };
      const begun: WriteQueue = { waiting: [first] };
      this.#queues.set(id, begun);
      void this.#work(id, begun);
      return this.#bounded(what, first.done.promise);
    }
    const last = queue.waiting.at(-1);
    const isReplaced = last !== undefined && queue.waiting.length > 1 && replaces(write, last.write);
    if (isReplaced) last.write = write;
    else queue.waiting.push({ write, done: Promise.withResolvers<void>() });
    return this.#bounded(what, (queue.waiting.at(-1) as Waiting).done.promise);
  }

  // The next write begins when the store has finished the last one, even if its callers have stopped waiting.
  async #work(id: string, { waiting }: WriteQueue): Promise<void> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      try {
        await this.#write(next.write);
        next.done.resolve();
      } catch (error) {
        next.done.reject(error as Error);
      }
      waiting.shift();
    }
    this.#queues.delete(id);
  }

  async #write(write: Write): Promise<void> {
    if (write.kind === "save") await this.#store.save(write.sandbox);
    else if (write.kind === "remove") await this.#store.remove(write.id, write.tombstone);
    else if (write.kind === "record") await this.#store.saveRecord?.(write.id, write.record);
    else await this.#store.saveState?.(write.id, write.state);
  }

  #bounded<T>(what: string, promise: Promise<T>): Promise<T> {
    const toError = (): Error => new Error(`${what}() must be done within ${storeMs} ms: it was not`);
    const ended = Promise.withResolvers<never>();
    this.#unsettled.add(ended.reject);
    const settled = Promise.race([promise, ended.promise]);
    return within(this.#clock, { ms: storeMs, toError }, settled).finally(() =>
      this.#unsettled.delete(ended.reject),
    );
  }
}

// Whether a waiting write need not be made, as this one would overwrite it at once.
function replaces(write: Write, waiting: Write): boolean {
  if (waiting.kind === "remove") return false;
  return write.kind === "save" || write.kind === "remove" || write.kind === waiting.kind;
}
