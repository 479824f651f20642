// A store of the caller's own, which may be gone: whoever waits for it is told so in the end.
import type { Clock } from "../std/clock.ts";
import { within } from "../std/deadline.ts";
import type { Store, StoredSandbox } from "./store.ts";

/** How long a store may take over one request. */
export const storeMs = 30_000;

export class BoundedStore implements Store {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  open(): Promise<readonly StoredSandbox[]> {
    return this.#bounded("open", this.#store.open());
  }

  save(sandbox: StoredSandbox): Promise<void> {
    return this.#bounded("save", this.#store.save(sandbox));
  }

  remove(id: string): Promise<void> {
    return this.#bounded("remove", this.#store.remove(id));
  }

  close(): Promise<void> {
    return this.#bounded("close", this.#store.close());
  }

  #bounded<T>(what: string, promise: Promise<T>): Promise<T> {
    const toError = (): Error => new Error(`${what}() must be done within ${storeMs} ms: it was not`);
    return within(this.#clock, { ms: storeMs, toError }, promise);
  }
}
