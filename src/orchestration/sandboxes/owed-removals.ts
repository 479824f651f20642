// Sandboxes that are gone and could not be removed from the store: that is tried again, so that they do not come back at the
// next start.
import type { SandboxId } from "../../model/ids.ts";
import type { Clock, Timer } from "../../std/clock.ts";
import type { Store, Tombstone } from "../../store/store.ts";

export interface OwedRemovalsParts {
  readonly clock: Clock;
  readonly store: Store;
}

const pauseMsFirst = 1_000;
const pauseMsMax = 10_000;

export class OwedRemovals {
  readonly #parts: OwedRemovalsParts;
  readonly #owed = new Map<SandboxId, Tombstone>();
  #timer: Timer | undefined;
  #pauseMs = pauseMsFirst;
  #isClosed = false;

  constructor(parts: OwedRemovalsParts) {
    this.#parts = parts;
  }

  has(id: SandboxId): boolean {
    return this.#owed.has(id);
  }

  /** Removes a sandbox from the store; where that fails it rejects, and is tried again later. */
  async remove(id: SandboxId, tombstone: Tombstone): Promise<void> {
    this.#owed.set(id, tombstone);
    try {
      await this.#parts.store.remove(id, tombstone);
      if (this.#owed.get(id) === tombstone) this.#owed.delete(id);
    } catch (error) {
      this.#tryLater();
      throw error;
    }
  }

  /** Tries once more what is owed for this id. */
  async retry(id: SandboxId): Promise<void> {
    const tombstone = this.#owed.get(id);
    if (tombstone !== undefined) await this.remove(id, tombstone);
  }

  /** Another sandbox has this id now, and takes its place in the store. */
  forget(id: SandboxId): void {
    this.#owed.delete(id);
  }

  /** Tries once more what is owed: the store waits for that before it is closed. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const id of this.#owed.keys()) this.retry(id).catch(() => {});
  }

  /** Tries once more all that is owed; where that fails, nobody is told. */
  async retryAll(): Promise<void> {
    await Promise.allSettled([...this.#owed.keys()].map((id) => this.retry(id)));
  }

  #tryLater(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#owed.size === 0) return;
    this.#timer = this.#parts.clock.after(this.#pauseMs, () => void this.#tryAll());
    this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMsMax);
  }

  async #tryAll(): Promise<void> {
    await this.retryAll();
    this.#timer = undefined;
    if (this.#owed.size === 0) this.#pauseMs = pauseMsFirst;
    else this.#tryLater();
  }
}
