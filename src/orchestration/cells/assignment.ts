// Where one sandbox's isolate is: no cell yet, a cell in which it is being loaded, or one in which it is loaded.
import { isOfOthers, type Command, type DoneItem } from "../../execution/protocol/messages.ts";
import { SandboxNotRunningError, VivariumError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { every, type Clock } from "../../std/clock.ts";
import type { AgainHow, ControlResult, Dropped, LoadTicket, Place, RunTicket } from "../runs/ticket.ts";
import type { Assigner, CellSeeker } from "./assigner.ts";
import type { CellQueue } from "./cell-queue.ts";
import type { FaultRecord } from "./fault-record.ts";
import { loadFailure } from "./load-failure.ts";
import type { LoadPaces } from "./load-paces.ts";
import type { SandboxInCell } from "./sandbox-in-cell.ts";

/** A place with the cell that it is in. */
export interface AssignedPlace extends Place {
  readonly queue: CellQueue;
  /** The memory limit that its isolate was made with. */
  readonly memoryBytes: number;
}

export interface AssignmentParts {
  readonly clock: Clock;
  readonly assigner: Assigner;
  /** How long a sandbox may wait for a cell. */
  readonly waitMs: number;
  readonly paces: LoadPaces;
  readonly faults: Pick<FaultRecord, "isApart" | "noteSharedLoss">;
}

/** What the sandbox does when its assignment changes. */
export interface AssignmentListener {
  /** It has a place: runs that waited can be sent behind its load. */
  onAssigned(): void;
  /** It is loaded. Short runs behind the load may have been answered already. */
  onLoaded(): void;
  /** Runs that were sent behind a load that failed: they have not begun. */
  onReturned(tickets: readonly RunTicket[]): void;
  /** Its modules failed to load, by their own fault. */
  onLoadFailed(failure: GuestFailure): void;
  /** No cell can be had. */
  onUnavailable(error: VivariumError): void;
}

/** How often a load is tried again whose cell was lost. */
const deathsMax = 3;
/** How often a command is tried again whose cell was lost at the moment at which the sandbox was loaded. */
const settlingMax = 10;

type Mutable = { -readonly [K in keyof AssignedPlace]: AssignedPlace[K] };

export class Assignment implements CellSeeker {
  readonly #sandbox: SandboxInCell;
  readonly #listener: AssignmentListener;
  readonly #parts: AssignmentParts;
  #place: Mutable | undefined;
  /** A slice was too short for its load. */
  #needsOwnLane = false;
  /** Cells that died while it was being loaded, in a row. */
  #deaths = 0;
  #hasLoaded = false;
  #controls = 0;
  #loading: PromiseWithResolvers<void> | undefined;
  #waiting = new Set<PromiseWithResolvers<AssignedPlace>>();
  /** Why nothing waits for a place any more. */
  #closedBy: VivariumError | undefined;

  constructor(sandbox: SandboxInCell, listener: AssignmentListener, parts: AssignmentParts) {
    this.#sandbox = sandbox;
    this.#listener = listener;
    this.#parts = parts;
  }

  get place(): AssignedPlace | undefined {
    return this.#place;
  }

  /** Commands about it that are under way or wait for its cell. */
  get controls(): number {
    return this.#controls;
  }

  /** Whether it was ever loaded. */
  get hasLoaded(): boolean {
    return this.#hasLoaded;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** Gives the sandbox a place as soon as there is one; where its status admits no place, it gets none. */
  assign(): void {
    if (!this.#sandbox.mayBeAssigned) return this.#parts.assigner.forget(this);
    if (this.#place !== undefined) return this.#parts.assigner.forget(this);
    const found = this.#parts.assigner.find(this, this.#sandbox);
    // Making room for it may have given it a place already.
    if (this.place !== undefined) return this.#parts.assigner.forget(this);
    if (found === undefined) return;
    if (found instanceof VivariumError) return this.refuse(found);
    const { limits, placement } = this.#sandbox;
    const { memoryBytes } = limits;
    const isShared = placement.dense && !this.#parts.faults.isApart;
    const key = this.#parts.assigner.nextKey();
    this.#place = { queue: found, key, isLoaded: false, isPristine: true, isShared, memoryBytes };
    found.sandboxes.set(key, this.#sandbox);
    this.#sendLoad(this.#place);
    this.#listener.onAssigned();
  }

  /** Assigns it and waits until it is loaded. `waitMs` bounds the wait for a cell, `loadMs` the load itself. */
  async load(): Promise<void> {
    const loading = Promise.withResolvers<void>();
    this.#loading = loading;
    await this.#assignAndWait(loading).finally(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
  }

  /** Ends the wait for the load with this error. */
  failLoad(error: Error): void {
    this.#loading?.reject(error);
  }

  /** Resolves with its place once it is loaded there; rejects when no cell can be had. */
  async whenLoaded(): Promise<AssignedPlace> {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    if (this.#place?.isLoaded === true) return this.#place;
    if (!this.#sandbox.mayBeAssigned) throw new SandboxNotRunningError("assign a cell to", this.#sandbox);
    const waiting = Promise.withResolvers<AssignedPlace>();
    this.#waiting.add(waiting);
    return this.#assignAndWait(waiting).finally(() => this.#waiting.delete(waiting));
  }

  /** The same, where its cell may die at the moment at which it is loaded, and would not answer. */
  async whenSettled(): Promise<AssignedPlace> {
    for (let tries = 0; tries < settlingMax; tries++) {
      const place = await this.whenLoaded();
      if (this.place === place) return place;
    }
    const why = `it must stay in its cell: it lost it ${settlingMax} times in a row`;
    throw new VivariumError("CELLS_UNAVAILABLE", `Cannot reach sandbox "${this.#sandbox.id}" as ${why}`);
  }

  /** Sends a command about it to its cell: at once where it is loaded, so that what is sent later comes behind it. */
  async control(budgetMs: number, commandOf: (op: number, key: number) => Command): Promise<ControlResult> {
    this.#controls++;
    try {
      const place = this.#place?.isLoaded === true ? this.#place : await this.whenSettled();
      return await new Promise((settle) => {
        const sent = { sandbox: this.#sandbox, place, lane: "async", op: 0, sentMs: 0 } as const;
        place.queue.control({ kind: "control", ...sent, budgetMs, settle }, (op) => commandOf(op, place.key));
      });
    } finally {
      this.#controls--;
    }
  }

  // Rejects where there is no cell after `waitMs`.
  async #assignAndWait<T>({ promise, reject }: PromiseWithResolvers<T>): Promise<T> {
    const { clock, waitMs } = this.#parts;
    const timer = every(clock, waitMs, () => {
      if (this.#place === undefined) reject(noCellError(this.#sandbox, waitMs));
    });
    try {
      this.assign();
      return await promise;
    } finally {
      timer.cancel();
    }
  }

  /** The runtime closes: what waits for a place is refused, and so is what would begin to. */
  close(error: VivariumError): void {
    this.#closedBy = error;
    this.refuse(error);
  }

  /** Takes the sandbox out of its cell, which is then free for others; returns the runs that it had there. */
  release(): Dropped {
    const { queue } = this.#place ?? {};
    const dropped = this.unassign();
    const isOwned = queue !== undefined && (queue.isReserved || typeof queue.owner === "string");
    if (isOwned) this.#parts.assigner.onRoom();
    return dropped;
  }

  /** As `release`, without offering the cell to others. */
  unassign(): Dropped {
    const place = this.#leave();
    return place === undefined ? { sent: [], waiting: [] } : place.queue.drop(place.key);
  }

  /** Its isolate is gone already, or its whole cell. */
  lose(what: "isolate" | "cell"): void {
    const place = this.#place;
    this.#place = undefined;
    this.#sandbox.grants.abandon("the sandbox lost its isolate");
    if (what === "isolate") place?.queue.forget(place.key);
    else place?.queue.sandboxes.delete(place.key);
  }

  /** It needs no place any more: waits for one reject. */
  giveUp(): Dropped {
    this.#parts.assigner.forget(this);
    for (const { reject } of this.#takeWaiting())
      reject(new SandboxNotRunningError("assign a cell to", this.#sandbox));
    return this.release();
  }

  /** No cell can be had. */
  refuse(error: VivariumError): void {
    for (const { reject } of this.#takeWaiting()) reject(error);
    if (this.#loading !== undefined) this.#loading.reject(error);
    else this.#listener.onUnavailable(error);
  }

  /** Something runs in the isolate, which is not pristine any more. Returns whether it was until now. */
  touch(): boolean {
    const place = this.#place;
    if (place === undefined || !place.isPristine) return false;
    place.isPristine = false;
    return true;
  }

  /** The cell died while it was being loaded there. */
  loadAgain({ isAlone, needsOwnLane }: AgainHow): void {
    this.#deaths++;
    if (isAlone) this.#parts.paces.noteSlow(this.#sandbox);
    this.#needsOwnLane ||= needsOwnLane;
    this.assign();
  }

  onLoadDone(ticket: LoadTicket, item: DoneItem): void {
    const place = this.#place;
    if (place === undefined || place !== ticket.place || place.isLoaded) return;
    if (item.verdict === "sliced" || item.verdict === "spared") {
      // A slice was too short for it, or it has not begun: once more, on a lane of its own.
      this.#needsOwnLane = true;
      if (item.verdict === "sliced") this.#parts.paces.noteSlow(this.#sandbox);
      return this.#sendLoad(place);
    }
    const mayTryAgain = isOfOthers(item.verdict) || this.#isInDoubt(place, item);
    if (mayTryAgain && this.#deaths < deathsMax) return this.#reassign();
    const failure = loadFailure(this.#sandbox, item);
    if (failure !== undefined) return this.#listener.onLoadFailed(failure);
    this.#deaths = 0;
    this.#parts.paces.note(this.#sandbox, item.wallUs / 1_000);
    place.isLoaded = true;
    this.#hasLoaded = true;
    this.#loading?.resolve();
    for (const { resolve } of this.#takeWaiting()) resolve(place);
    this.#listener.onLoaded();
  }

  // In an isolate that it shares, the memory may have been that of others: once more, in one of its own.
  #isInDoubt({ isShared }: AssignedPlace, { verdict }: DoneItem): boolean {
    if (!isShared || verdict !== "memory") return false;
    this.#parts.faults.noteSharedLoss();
    return true;
  }

  // The isolate could not be prepared, by no fault of the guest.
  #reassign(): void {
    const { sent, waiting } = this.release();
    this.loadAgain({ isAlone: false, needsOwnLane: false });
    this.#listener.onReturned([...sent, ...waiting]);
  }

  #sendLoad(place: AssignedPlace): void {
    const sandbox = this.#sandbox;
    const pace = this.#parts.paces.paceOf(sandbox);
    const isProven = pace === "quick";
    const mayUseMainLane =
      isProven || (pace === "unknown" && place.queue.mainLane.isOpenTo(0, this.#parts.clock.monotonic()));
    const lane = this.#needsOwnLane || !mayUseMainLane ? "async" : sandbox.loadLane;
    const ticket = { kind: "load", sandbox, place, lane, deaths: this.#deaths, isProven } as const;
    place.queue.load({ ...ticket, op: 0, sentMs: 0 }, sandbox);
  }

  #leave(): AssignedPlace | undefined {
    const place = this.#place;
    if (place === undefined) return undefined;
    this.#place = undefined;
    this.#sandbox.grants.abandon("the sandbox was taken out of its cell");
    return place;
  }

  #takeWaiting(): PromiseWithResolvers<AssignedPlace>[] {
    const taken = [...this.#waiting];
    this.#waiting.clear();
    return taken;
  }
}

function noCellError({ id }: { readonly id: string }, waitMs: number): VivariumError {
  const why = `it must get a cell within ${waitMs} ms: none had room`;
  return new VivariumError("CELLS_UNAVAILABLE", `Cannot load sandbox "${id}" as ${why}`);
}
