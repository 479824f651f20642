// A store of the caller's own, which may be slow or gone: writes about one sandbox are made one after the other, in the
// order in which they were asked for, and whoever waits is told in the end.
import type { StateCapture } from "../model/process.ts";
import type { Clock } from "../std/clock.ts";
import { within } from "../std/deadline.ts";
import type { Store, StoredSandbox } from "./store.ts";

/** How long a store may take over one request. */
export const storeMs = 30_000;

type Write =
  | { readonly kind: "save"; readonly sandbox: StoredSandbox }
  | { readonly kind: "state"; readonly id: string; readonly state: StateCapture }
  | { readonly kind: "remove"; readonly id: string };

/** A write that waits, with all who wait for it. */
interface Waiting {
  write: Write;
  readonly done: PromiseWithResolvers<void>;
}

/** The writes about one id: one is under way, the others wait. */
interface Line {
  readonly waiting: Waiting[];
}

export class OrderedStore implements Store {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #lines = new Map<string, Line>();
  readonly saveState?: NonNullable<Store["saveState"]>;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    if (store.saveState !== undefined)
      this.saveState = (id, state) => this.#add("saveState", id, { kind: "state", id, state });
  }

  open(): Promise<readonly StoredSandbox[]> {
    return this.#bounded("open", this.#store.open());
  }

  save(sandbox: StoredSandbox): Promise<void> {
    return this.#add("save", sandbox.id, { kind: "save", sandbox });
  }

  remove(id: string): Promise<void> {
    return this.#add("remove", id, { kind: "remove", id });
  }

  /** Closes the store when all that was asked of it is done, or was waited for long enough. */
  async close(): Promise<void> {
    const open = [...this.#lines.values()].flatMap(({ waiting }) => waiting.map(({ done }) => done.promise));
    // Who waits for a write that is stuck is told so himself.
    if (open.length > 0) await this.#bounded("close", Promise.allSettled(open)).catch(() => {});
    await this.#bounded("close", this.#store.close());
  }

  #add(what: string, id: string, write: Write): Promise<void> {
    const line = this.#lines.get(id);
    if (line === undefined) {
      const first = { write, done: Promise.withResolvers<void>() };
      const begun: Line = { waiting: [first] };
      this.#lines.set(id, begun);
      void this.#work(id, begun);
      return this.#bounded(what, first.done.promise);
    }
    const last = line.waiting.at(-1);
    const isReplaced = last !== undefined && line.waiting.length > 1 && replaces(write, last.write);
    if (isReplaced) last.write = write;
    else line.waiting.push({ write, done: Promise.withResolvers<void>() });
    return this.#bounded(what, (line.waiting.at(-1) as Waiting).done.promise);
  }

  // The next write begins when the store is really done with the last one, however long its callers waited for it.
  async #work(id: string, { waiting }: Line): Promise<void> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      try {
        await this.#write(next.write);
        next.done.resolve();
      } catch (error) {
        next.done.reject(error as Error);
      }
      waiting.shift();
    }
    this.#lines.delete(id);
  }

  async #write(write: Write): Promise<void> {
    if (write.kind === "save") await this.#store.save(write.sandbox);
    else if (write.kind === "remove") await this.#store.remove(write.id);
    else await this.#store.saveState?.(write.id, write.state);
  }

  #bounded<T>(what: string, promise: Promise<T>): Promise<T> {
    const toError = (): Error => new Error(`${what}() must be done within ${storeMs} ms: it was not`);
    return within(this.#clock, { ms: storeMs, toError }, promise);
  }
}

// Whether a write that has not begun is needless as this one comes: it would be written over at once.
function replaces(write: Write, waiting: Write): boolean {
  if (waiting.kind === "remove") return false;
  return write.kind !== "state" || waiting.kind === "state";
}
