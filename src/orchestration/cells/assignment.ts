// Finds every sandbox a cell and loads it there: at creation, after a verdict that cost its isolate, and when its cell is
// gone. A sandbox that brought down a cell, or may have, gets one for itself.
import { answerLetters } from "../../model/answer-letters.ts";
import type { DoneItem } from "../../execution/protocol/messages.ts";
import { SandboxNotRunningError, type VivariumError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/outcome.ts";
import type { Clock } from "../../std/clock.ts";
import { within } from "../../std/deadline.ts";
import type { CellPool } from "./cell-pool.ts";
import type { CellQueue } from "./cell-queue.ts";
import { noCellError } from "./loadings.ts";
import { memoryFailure, processLimitFailure, thrownFailure } from "../runs/outcome-of.ts";
import { ownerOf } from "./owned-cells.ts";
import type { Resident } from "../sandboxes/resident.ts";
import { LoadTicket, type RunTicket } from "../runs/ticket.ts";

export interface HomingListener {
  /** It has a home; what waits for it can be sent behind its load. */
  onHoused(resident: Resident): void;
  onLoaded(resident: Resident): void;
  /** Its modules failed to load; the machine is not to blame. */
  onLoadFailed(resident: Resident, failure: GuestFailure): void;
  /** No cell can be had. */
  onUnavailable(resident: Resident, error: VivariumError): void;
}

/** How long a sandbox may wait for a cell. */
export interface Patience {
  readonly clock: Clock;
  readonly waitMs: number;
}

interface Waiting {
  readonly resident: Resident;
  readonly resolve: (queue: CellQueue) => void;
  readonly reject: (error: VivariumError) => void;
}

export class Homing {
  readonly #pool: CellPool;
  readonly #listener: HomingListener;
  readonly #patience: Patience;
  readonly #homeless = new Set<Resident>();
  #waiting: Waiting[] = [];

  constructor(pool: CellPool, listener: HomingListener, patience: Patience) {
    this.#pool = pool;
    this.#listener = listener;
    this.#patience = patience;
  }

  /** Gives a sandbox without a home one, as soon as there is one. */
  house(resident: Resident): void {
    if (resident.home !== undefined) return;
    const queue = this.#pick(resident);
    if (queue === undefined) {
      const { unavailable } = this.#pool;
      if (unavailable === undefined) this.#homeless.add(resident);
      else this.#refuse(resident, unavailable);
      return;
    }
    this.#homeless.delete(resident);
    const { memoryBytes } = resident.limits;
    resident.home = { queue, isLoaded: false, isPristine: true, memoryBytes };
    queue.residents.add(resident);
    queue.load(new LoadTicket(resident), resident);
    for (const waiting of this.#takeWaiting(resident)) waiting.resolve(queue);
    this.#listener.onHoused(resident);
  }

  /** A sandbox has nothing to do: where it has a cell to itself, one that waits for such a cell may have it. */
  onIdle(resident: Resident): void {
    if (this.#homeless.size > 0 && resident.home?.queue.isReserved === true && !isInUse(resident))
      this.houseWaiting();
  }

  #pick(resident: Resident): CellQueue | undefined {
    const owner = ownerOf(resident);
    if (resident.isQuarantined) return this.#pickAlone(owner);
    return owner === null ? this.#pool.pick() : this.#pool.pickOwned(owner);
  }

  // A cell of its own: a free one, or that of a sandbox that is idle at the moment.
  #pickAlone(owner: string | null): CellQueue | undefined {
    const free = this.#pool.pickReserved(owner);
    if (free !== undefined) return free;
    for (const queue of this.#pool.queues) {
      const [occupant] = queue.residents;
      if (!queue.isReserved || occupant === undefined || isInUse(occupant)) continue;
      this.forgetHome(occupant);
      queue.drop(occupant);
      // Now that it is empty it is this owner's to have, or it is ended and another one started.
      return this.#pool.pickReserved(owner);
    }
    return undefined;
  }

  /** The cell that a sandbox has, or is given; rejects when there is none to be had. */
  whenHoused(resident: Resident): Promise<CellQueue> {
    if (resident.home !== undefined) return Promise.resolve(resident.home.queue);
    const { promise, resolve, reject } = Promise.withResolvers<CellQueue>();
    const waiting = { resident, resolve, reject };
    const { clock, waitMs } = this.#patience;
    const toError = (): Error => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      return noCellError(resident, waitMs);
    };
    this.#waiting.push(waiting);
    this.house(resident);
    return within(clock, { ms: waitMs, toError }, promise);
  }

  /** Takes a sandbox out of its cell; answers the runs that it had there. */
  vacate(resident: Resident): RunTicket[] {
    this.#homeless.delete(resident);
    for (const waiting of this.#takeWaiting(resident))
      waiting.reject(new SandboxNotRunningError("house", resident));
    const { home } = resident;
    if (home === undefined) return [];
    resident.home = undefined;
    resident.grants.abandon("the sandbox was taken out of its cell");
    const tickets = home.queue.drop(resident);
    const isOwned = home.queue.isReserved || typeof home.queue.owner === "string";
    if (isOwned && this.#homeless.size > 0) this.houseWaiting();
    return tickets;
  }

  /** Its isolate or its cell is gone already. */
  forgetHome(resident: Resident): void {
    resident.home?.queue.residents.delete(resident);
    resident.home = undefined;
    resident.grants.abandon("the sandbox lost its isolate");
  }

  /** Cells have room again. */
  houseWaiting(): void {
    for (const resident of [...this.#homeless]) this.house(resident);
  }

  failWaiting(error: VivariumError): void {
    for (const resident of [...this.#homeless]) {
      this.#homeless.delete(resident);
      this.#refuse(resident, error);
    }
  }

  #refuse(resident: Resident, error: VivariumError): void {
    for (const waiting of this.#takeWaiting(resident)) waiting.reject(error);
    this.#listener.onUnavailable(resident, error);
  }

  #takeWaiting(resident: Resident): Waiting[] {
    const taken = this.#waiting.filter((waiting) => waiting.resident === resident);
    if (taken.length > 0) this.#waiting = this.#waiting.filter((waiting) => waiting.resident !== resident);
    return taken;
  }

  onLoadDone(ticket: LoadTicket, item: DoneItem): void {
    const { resident } = ticket;
    const { home } = resident;
    if (home === undefined || home !== ticket.home) return;
    if (item.verdict === "sliced") {
      // Too long for the main lane: once more, on a lane of its own.
      resident.loadLane = "async";
      return home.queue.load(new LoadTicket(resident), resident);
    }
    const failure = loadFailure(resident, item);
    if (failure === undefined) {
      resident.loadDeaths = 0;
      home.isLoaded = true;
      this.#listener.onLoaded(resident);
      return this.onIdle(resident);
    }
    this.vacate(resident).forEach((run) => resident.waiting.push(run));
    this.#listener.onLoadFailed(resident, failure);
  }
}

// Nobody else may have its cell: it is being loaded, or has runs there.
function isInUse(resident: Resident): boolean {
  return resident.runsUnderway > 0 || resident.home?.isLoaded === false;
}

/** How a load or reload failed, from what the cell says of it; undefined when it did not. */
export function loadFailure(resident: Resident, item: DoneItem): GuestFailure | undefined {
  const { loadMs, memoryBytes } = resident.limits;
  switch (item.verdict) {
    case "answered":
      return answeredFailure(resident, String(item.answer));
    case "memory":
      return memoryFailure(memoryBytes);
    case "output":
      return {
        kind: "output-limit",
        limit: "outputBytes",
        message: `Cannot write more than outputBytes, ${resident.limits.outputBytes}, while loading`,
      };
    default:
      return {
        kind: "timeout",
        limit: "loadMs",
        message: `Cannot load within loadMs, ${loadMs}: the top level was still running`,
      };
  }
}

function answeredFailure(resident: Resident, answer: string): GuestFailure | undefined {
  if (answer[0] === "V") return undefined;
  if (answer[0] === answerLetters.processLimit) return processLimitFailure(resident);
  if (answer[0] === answerLetters.unmigrated) return unmigrated(resident, answer);
  if (answer[0] !== answerLetters.never) return thrownFailure(resident, answer);
  const message =
    "Cannot finish loading as a top-level await must be able to settle: it has nothing left to wait for";
  return { kind: "timeout", limit: "loadMs", message };
}

// The message says whose state it is, and what was thrown.
function unmigrated(resident: Resident, answer: string): GuestFailure {
  const failure = thrownFailure(resident, answer);
  return { ...failure, message: failure.thrown?.message ?? failure.message };
}
