// The main thread of a simulated cell, which does one thing after the other, and the lanes beside it.
import type { Timer } from "../../src/std/clock.ts";
import type { SimulatedClock } from "./clock.ts";

export class FakeThread {
  readonly #clock: SimulatedClock;
  readonly #works: (() => void)[] = [];
  readonly #laneWaiters: ((slot: number) => void)[] = [];
  readonly #freeSlots: number[];
  #isBlocked = false;
  #isPumping = false;
  #isOver = false;
  /** It does nothing any more. */
  isStuck = false;

  constructor(clock: SimulatedClock, asyncLanes: number) {
    this.#clock = clock;
    this.#freeSlots = Array.from({ length: asyncLanes }, (_, index) => index + 1);
  }

  get hasDoneAll(): boolean {
    return this.#works.length === 0 && !this.#isBlocked;
  }

  end(): void {
    this.#isOver = true;
    this.#works.length = 0;
  }

  /** Does something after what there is to do before. */
  do(work: () => void): void {
    if (this.#isOver) return;
    this.#works.push(work);
    this.#pump();
  }

  /** A timer of the cell's own. */
  after(ms: number, act: () => void): Timer {
    return this.#clock.after(ms, () => this.do(act));
  }

  /** Nothing else happens on it for so long; then this. */
  block(ms: number, then: () => void): Timer {
    this.#isBlocked = true;
    return this.#clock.after(ms, () => {
      if (this.#isOver) return;
      this.#isBlocked = false;
      then();
      this.#pump();
    });
  }

  /** Calls `go` with a lane, as soon as there is one. */
  takeLane(go: (slot: number) => void): void {
    const slot = this.#freeSlots.shift();
    if (slot === undefined) this.#laneWaiters.push(go);
    else go(slot);
  }

  giveLane(slot: number): void {
    const next = this.#laneWaiters.shift();
    if (next === undefined) this.#freeSlots.push(slot);
    else next(slot);
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    for (let work = this.#next(); work !== undefined; work = this.#next()) work();
    this.#isPumping = false;
  }

  #next(): (() => void) | undefined {
    return this.#isBlocked || this.isStuck || this.#isOver ? undefined : this.#works.shift();
  }
}
