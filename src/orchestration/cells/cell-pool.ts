// Keeps the wanted number of cells running: shared ones, spares, and a few reserved for sandboxes that must be alone. Starts
// are tried again with growing pauses; when they keep failing, a circuit breaker opens.
import type { CellLauncher, Death } from "../../execution/cell.ts";
import { RuntimeClosedError, VivariumError } from "../../model/errors.ts";
import type { Bus } from "../../observability/bus.ts";
import type { Clock, Timer } from "../../std/clock.ts";
import { CellQueue } from "./cell-queue.ts";
import type { PoolListener } from "./queue-listener.ts";
import { claimed, OwnedCells } from "./owned-cells.ts";
import { choosePlace } from "./cell-choice.ts";
import { afterFailure, decideStart, isEarlyEnd, noFailures, type FailureRecord } from "./restart-policy.ts";

export interface CellPoolOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly launch: CellLauncher;
  readonly nextOp: () => number;
  readonly onBusy: () => void;
  readonly shared: number;
  readonly spare: number;
  readonly sandboxesPerCell: number;
  readonly ownedMax: number;
  readonly asyncLanes: number;
}

const startsAtOnceMax = 2;
/** How long the others wait when the first is there, as their starts take the processors from the first sandbox; a second ends that. */
const othersAfterMs = 250;
const reservedMax = 2;
const sharedMax = 128;

export class CellPool {
  readonly #options: CellPoolOptions;
  readonly #listener: PoolListener<CellQueue>;
  /** All cells, with the moment at which each was started. */
  readonly #members = new Map<CellQueue, number>();
  readonly #spares: CellQueue[] = [];
  readonly #owned: OwnedCells;
  #sharedWanted: number;
  #reservedWanted = 0;
  #starting = 0;
  #lastNumber = 0;
  #record: FailureRecord = noFailures;
  #retry: Timer | undefined;
  /** While the others wait. */
  #delay: Timer | undefined;
  #unavailable: VivariumError | undefined;
  #isOpen = true;
  #onEmpty: (() => void) | undefined;

  constructor(options: CellPoolOptions, listener: PoolListener<CellQueue>) {
    this.#options = options;
    this.#listener = listener;
    this.#sharedWanted = options.shared;
    const { ownedMax, sandboxesPerCell } = options;
    this.#owned = new OwnedCells({
      queues: () => this.queues,
      takeSpare: () => this.#spares.shift(),
      hasSpare: () => this.#spares.length > 0,
      maintain: () => this.#startOthers(),
      ownedMax,
      sandboxesPerCell,
    });
  }

  /** Starts the first cell and waits for it; the others soon after. Rejects when the first cannot start. */
  async start(): Promise<void> {
    this.#starting++;
    this.#admit(await this.#launch().finally(() => this.#starting--));
    if (this.#isOpen) this.#delay = this.#options.clock.after(othersAfterMs, () => this.#startOthers());
  }

  get queues(): CellQueue[] {
    return [...this.#members.keys()];
  }

  /** The memory that all cells together use. */
  rssBytes(): number {
    return this.queues.reduce((sum, queue) => sum + queue.cell.rssBytes(), 0);
  }

  /** Why no cell is started at present; undefined when they are. */
  get unavailable(): VivariumError | undefined {
    return this.#unavailable;
  }

  get isStarting(): boolean {
    return this.#starting > 0;
  }

  /** None has ended or failed: cells that are missing have not been started yet. */
  get isComingUp(): boolean {
    return this.#lastNumber === this.#members.size + this.#starting;
  }

  /** A cell for a sandbox that may share; undefined when none has room yet. */
  pick(): CellQueue | undefined {
    const place = this.#place();
    if (this.#delay !== undefined && place?.sandboxes.size !== 0) this.#startOthers();
    if (place !== undefined) return place;
    if (this.#shared().length >= this.#sharedWanted && this.#sharedWanted < sharedMax) this.#sharedWanted++;
    this.#maintain();
    // A spare may have become a shared cell.
    return this.#place();
  }

  /** Whether a sandbox in this cell could move to another whose main lane is not blocked. */
  hasBetterThan(queue: CellQueue): boolean {
    const { sandboxesPerCell } = this.#options;
    return this.queues.some(
      (other) =>
        other !== queue &&
        other.owner === queue.owner &&
        this.#isOpenTo(other) &&
        !other.isBlocked &&
        other.sandboxes.size < sandboxesPerCell,
    );
  }

  /** A cell that only sandboxes of this owner share; undefined when it has to wait for one. */
  pickOwned(owner: string): CellQueue | undefined {
    return this.#owned.pick(owner);
  }

  /** Ends empty cells that have an owner, and empty shared ones beyond the configured number. */
  endIdle(): void {
    this.#owned.endIdle();
    for (const queue of this.#shared()) {
      if (this.#sharedWanted <= this.#options.shared) return;
      if (queue.sandboxes.size > 0) continue;
      this.#sharedWanted--;
      this.#owned.end(queue);
    }
  }

  /** A cell for a sandbox that must be alone; undefined when it has to wait for one. */
  pickReserved(owner: string | null): CellQueue | undefined {
    const reserved = this.queues.filter((queue) => queue.isReserved);
    const empty = reserved.filter((queue) => queue.sandboxes.size === 0);
    const free = empty.find((queue) => queue.owner === undefined || queue.owner === owner);
    if (free !== undefined) return claimed(free, owner);
    // A cell never changes its owner: empty ones of others are ended.
    for (const queue of empty) this.#owned.end(queue);
    const count = reserved.length - empty.length;
    if (count >= reservedMax) return undefined;
    const spare = this.#spares.shift();
    if (spare !== undefined) spare.isReserved = true;
    else this.#reservedWanted = Math.min(reservedMax - count, this.#reservedWanted + 1);
    this.#startOthers();
    return spare && claimed(spare, owner);
  }

  /** A cell is gone; another takes its place. */
  remove(queue: CellQueue, death: Death): void {
    const startedMs = this.#members.get(queue);
    this.#members.delete(queue);
    const at = this.#spares.indexOf(queue);
    if (at >= 0) this.#spares.splice(at, 1);
    this.#owned.forget(queue);
    this.#checkEmpty();
    if (!this.#isOpen || startedMs === undefined) return;
    if (isEarlyEnd(death, this.#options.clock.monotonic() - startedMs)) this.#noteFailure(death.detail);
    this.#startOthers();
  }

  /** Kills every cell and waits until all are gone, at most `withinMs`. */
  async close(withinMs: number): Promise<void> {
    this.#isOpen = false;
    this.#unavailable = new RuntimeClosedError("find a cell", { isUnderWay: true });
    this.#retry?.cancel();
    this.#delay?.cancel();
    for (const queue of this.queues) queue.cell.kill("unwanted");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    const timer = this.#options.clock.after(withinMs, resolve);
    this.#checkEmpty();
    await promise;
    timer.cancel();
  }

  #place(): CellQueue | undefined {
    const shared = this.#shared();
    const loads = shared.map(({ sandboxes: { size: sandboxes }, inFlight, isBlocked }) => {
      return { sandboxes, inFlight, isBlocked };
    });
    const index = choosePlace(loads, this.#options.sandboxesPerCell);
    return index === undefined ? undefined : shared[index];
  }

  #checkEmpty(): void {
    if (this.#members.size === 0 && this.#starting === 0) this.#onEmpty?.();
  }

  #shared(): CellQueue[] {
    return this.queues.filter((queue) => queue.owner === null && this.#isOpenTo(queue));
  }

  #isOpenTo(queue: CellQueue): boolean {
    return !queue.isReserved && !this.#spares.includes(queue) && !this.#owned.isEnding(queue);
  }

  #startOthers(): void {
    this.#delay?.cancel();
    this.#delay = undefined;
    this.#maintain();
  }

  #maintain(): void {
    if (!this.#isOpen || this.#delay !== undefined) return;
    const missing = Math.max(0, this.#sharedWanted - this.#shared().length);
    for (const spare of this.#spares.splice(0, missing)) spare.owner = null;
    const reserved = this.queues.filter((queue) => queue.isReserved).length + this.#reservedWanted;
    const wanted = this.#sharedWanted + this.#options.spare + reserved + this.#owned.wanted;
    while (
      this.#starting < startsAtOnceMax &&
      this.#members.size - this.#owned.ending + this.#starting < wanted &&
      this.#mayStart()
    )
      void this.#startOne();
  }

  #mayStart(): boolean {
    const decision = decideStart(this.#record, this.#options.clock.monotonic());
    if (decision.do === "start") return true;
    this.#retry ??= this.#options.clock.after(decision.forMs, () => {
      this.#retry = undefined;
      this.#maintain();
    });
    if (decision.do === "refuse" && this.#unavailable === undefined) this.#openBreaker();
    return false;
  }

  async #startOne(): Promise<void> {
    this.#starting++;
    try {
      this.#admit(await this.#launch());
      this.#closeBreaker();
    } catch (error) {
      this.#noteFailure(error instanceof Error ? error.message : String(error));
    } finally {
      this.#starting--;
    }
    this.#checkEmpty();
    this.#maintain();
  }

  async #launch(): Promise<CellQueue> {
    const { clock, bus, launch, nextOp, onBusy, asyncLanes } = this.#options;
    const startedMs = clock.monotonic();
    // A cell reports nothing before it is launched.
    let queue: CellQueue | undefined;
    const cell = await launch(++this.#lastNumber, {
      onReport: (report) => queue?.onReport(report),
      onDeath: (death) => queue?.onDeath(death),
    });
    queue = new CellQueue(cell, { clock, nextOp, onBusy, asyncLanes }, this.#listener);
    bus.emit("cell.started", {
      cell: queue.number,
      pid: cell.facts.pid,
      durationMs: clock.monotonic() - startedMs,
    });
    return queue;
  }

  // A new cell becomes a shared one, a reserved one, an owner's or a spare, whichever is wanted first.
  #admit(queue: CellQueue): void {
    this.#members.set(queue, this.#options.clock.monotonic());
    if (!this.#isOpen) return queue.cell.kill("unwanted");
    if (this.#shared().length < this.#sharedWanted) queue.owner = null;
    else if (this.#reservedWanted > 0) {
      this.#reservedWanted--;
      queue.isReserved = true;
    } else if (!this.#owned.give(queue)) this.#spares.push(queue);
    this.#listener.onReady();
  }

  #noteFailure(why: string): void {
    this.#record = afterFailure(this.#record, this.#options.clock.monotonic(), why);
  }

  #openBreaker(): void {
    const { why, failures } = this.#record;
    this.#unavailable = new VivariumError(
      "CELLS_UNAVAILABLE",
      `Cannot start cells as ${failures} in a row failed, lately: ${why}`,
    );
    this.#options.bus.emit("cell.breaker", { state: "open", why });
    this.#listener.onUnavailable(this.#unavailable);
  }

  #closeBreaker(): void {
    this.#record = noFailures;
    if (this.#unavailable === undefined) return;
    this.#unavailable = undefined;
    this.#options.bus.emit("cell.breaker", { state: "closed", why: "a cell started" });
  }
}
