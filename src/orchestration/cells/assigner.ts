// Finds cells for sandboxes, and keeps the list of those that wait for one. A sandbox that brought down a cell, or may have,
// gets a cell to itself.
import type { VivariumError } from "../../model/errors.ts";
import type { CellPool } from "./cell-pool.ts";
import type { CellQueue } from "./cell-queue.ts";
import { ownerOf } from "./owned-cells.ts";
import type { SandboxInCell } from "./sandbox-in-cell.ts";

/** A sandbox's search for a cell. */
export interface CellSeeker {
  /** Looks for a cell again. */
  assign(): void;
  /** No cell can be had. */
  refuse(error: VivariumError): void;
}

export class Assigner {
  readonly #pool: CellPool;
  readonly #unassigned = new Set<CellSeeker>();
  #lastKey = 0;

  constructor(pool: CellPool) {
    this.#pool = pool;
  }

  /** The number of a new isolate. */
  nextKey(): number {
    return ++this.#lastKey;
  }

  /** A cell for a sandbox; undefined where it has to wait for one, an error where none can be had. */
  find(seeker: CellSeeker, sandbox: SandboxInCell): CellQueue | VivariumError | undefined {
    const queue = this.#pick(sandbox);
    if (queue !== undefined) {
      this.#unassigned.delete(seeker);
      return queue;
    }
    // It stays on the list also where no cell can be had now, and gets one when there is one again.
    this.#unassigned.add(seeker);
    return this.#pool.unavailable;
  }

  /** The sandbox needs no cell any more. */
  forget(seeker: CellSeeker): void {
    this.#unassigned.delete(seeker);
  }

  /** Cells have room again: all that wait try once more. */
  assignWaiting(): void {
    for (const seeker of [...this.#unassigned]) seeker.assign();
  }

  /** A cell that was reserved for one sandbox or owner has become free. */
  onRoom(): void {
    if (this.#unassigned.size > 0) this.assignWaiting();
  }

  /** No cell can be had: all that wait are refused now, and stay on the list. */
  refuseWaiting(error: VivariumError): void {
    for (const seeker of [...this.#unassigned]) seeker.refuse(error);
  }

  #pick(sandbox: SandboxInCell): CellQueue | undefined {
    const owner = ownerOf(sandbox);
    if (sandbox.isQuarantined) return this.#pickAlone(owner);
    return owner === null ? this.#pool.pick() : this.#pool.pickOwned(owner);
  }

  // A free reserved cell, or that of an idle sandbox, preferably of one that loses no variables by it.
  #pickAlone(owner: string | null): CellQueue | undefined {
    const free = this.#pool.pickReserved(owner);
    if (free !== undefined) return free;
    const idle = this.#pool.queues
      .filter((queue) => queue.isReserved)
      .flatMap((queue) => [...queue.sandboxes.values()])
      .filter((occupant) => !occupant.isBusy);
    const evicted = idle.find(({ place }) => place?.isPristine === true) ?? idle[0];
    if (evicted === undefined) return undefined;
    evicted.cellEvents.evict();
    // The cell is empty now: it is taken where the owner is the same, and otherwise replaced.
    return this.#pool.pickReserved(owner);
  }
}
