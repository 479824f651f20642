// Cells that have an owner: a tenant, or one exclusive sandbox. A cell never changes its owner; when it is wanted for another,
// it is ended and a new one started.
import type { Placement } from "../../model/sandboxes/placement.ts";
import type { CellQueue } from "./cell-queue.ts";
import { planOwned, type OwnedLoad } from "./cell-choice.ts";

/** The owner of the cells that a sandbox may be in; null for those that all sandboxes without an owner share. */
export function ownerOf({
  key,
  placement,
}: {
  readonly key: number;
  readonly placement: Placement;
}): string | null {
  if (placement.exclusive) return `sandbox ${key}`;
  return placement.tenant === null ? null : `tenant ${placement.tenant}`;
}

export interface OwnedCellsParts {
  readonly queues: () => readonly CellQueue[];
  readonly takeSpare: () => CellQueue | undefined;
  readonly hasSpare: () => boolean;
  /** Starts cells that are wanted. */
  readonly maintain: () => void;
  readonly ownedMax: number;
  readonly sandboxesPerCell: number;
}

export class OwnedCells {
  readonly #parts: OwnedCellsParts;
  /** Owners that a cell is to be started for. */
  readonly #waiting = new Set<string>();
  readonly #ending = new Set<CellQueue>();

  constructor(parts: OwnedCellsParts) {
    this.#parts = parts;
  }

  /** How many cells have an owner, or are to be started for one. */
  get wanted(): number {
    return this.#cells().length + this.#waiting.size;
  }

  /** How many cells are being ended. */
  get ending(): number {
    return this.#ending.size;
  }

  isEnding(queue: CellQueue): boolean {
    return this.#ending.has(queue);
  }

  /** A cell for a sandbox of this owner; undefined when it has to wait for one. */
  pick(owner: string): CellQueue | undefined {
    const cells = this.#cells();
    const plan = planOwned(cells.map(loadOf), {
      owner,
      ownedMax: this.#parts.ownedMax,
      sandboxesMax: this.#parts.sandboxesPerCell,
      starting: this.#waiting.has(owner) ? this.#waiting.size - 1 : this.#waiting.size,
      hasSpare: this.#parts.hasSpare(),
    });
    switch (plan.do) {
      case "use":
        return cells[plan.index];
      case "claim":
        return this.#claim(owner);
      case "end":
        for (const idle of cells.slice(plan.index, plan.index + 1)) this.end(idle);
        this.#waiting.add(owner);
        return undefined;
      case "start":
        this.#waiting.add(owner);
        this.#parts.maintain();
        return undefined;
      case "wait":
        return undefined;
    }
  }

  /** Gives a new cell to the first owner that waits for one; false where none does. */
  give(queue: CellQueue): boolean {
    const [owner] = this.#waiting;
    if (owner === undefined) return false;
    this.#waiting.delete(owner);
    queue.owner = owner;
    return true;
  }

  /** Ends an empty cell; from now on no sandbox gets into it. */
  end(queue: CellQueue): void {
    this.#ending.add(queue);
    queue.isReserved = false;
    queue.cell.kill("unwanted");
  }

  /** Ends every empty cell that has an owner, reserved ones too. */
  endIdle(): void {
    for (const queue of this.#parts.queues()) {
      const isIdle = isOwned(queue) && queue.sandboxes.size === 0;
      if (isIdle && !this.#ending.has(queue)) this.end(queue);
    }
  }

  forget(queue: CellQueue): void {
    this.#ending.delete(queue);
  }

  #claim(owner: string): CellQueue | undefined {
    const spare = this.#parts.takeSpare();
    if (spare === undefined) return undefined;
    this.#waiting.delete(owner);
    spare.owner = owner;
    this.#parts.maintain();
    return spare;
  }

  #cells(): OwnedQueue[] {
    return this.#parts
      .queues()
      .filter(isOwned)
      .filter((queue) => !queue.isReserved && !this.#ending.has(queue));
  }
}

type OwnedQueue = CellQueue & { readonly owner: string };

function isOwned(queue: CellQueue): queue is OwnedQueue {
  return typeof queue.owner === "string";
}

function loadOf(queue: OwnedQueue): OwnedLoad {
  const { owner, sandboxes, inFlight, isBlocked } = queue;
  return { owner, sandboxes: sandboxes.size, inFlight, isBlocked };
}

/** A cell that is this owner's from now on. */
export function claimed(queue: CellQueue, owner: string | null): CellQueue {
  queue.owner = owner;
  return queue;
}
