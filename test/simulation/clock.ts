// Simulated time: a heap of timers, and the way from one to the next. Time passes only when nothing else can happen.
import type { Clock, Timer } from "../../src/std/clock.ts";

interface Waiting {
  readonly dueMs: number;
  readonly order: number;
  readonly life: Life | undefined;
  act: (() => void) | undefined;
}

/** Time as one runtime sees it. When that runtime is gone, its timers are too. */
export class Life implements Clock {
  readonly #clock: SimulatedClock;
  isOver = false;
  /** Timers that were set and neither fired nor were cancelled. */
  pending = 0;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.nowMs;
  }

  after(delayMs: number, act: () => void): Timer {
    return this.isOver ? { cancel: () => {} } : this.#clock.set(delayMs, act, this);
  }
}

const epochMs = 1_700_000_000_000;

export class SimulatedClock {
  nowMs = 1_000;
  #order = 0;
  readonly #heap: Waiting[] = [];
  #fired = 0;

  now(): number {
    return epochMs + this.nowMs;
  }

  monotonic(): number {
    return this.nowMs;
  }

  /** How many timers have fired so far. */
  get fired(): number {
    return this.#fired;
  }

  /** Sets a timer of the world's own. */
  after(delayMs: number, act: () => void): Timer {
    return this.set(delayMs, act, undefined);
  }

  set(delayMs: number, act: () => void, life: Life | undefined): Timer {
    const waiting: Waiting = {
      dueMs: this.nowMs + Math.max(0, delayMs),
      order: ++this.#order,
      life,
      act,
    };
    if (life !== undefined) life.pending++;
    this.#push(waiting);
    return { cancel: () => void this.#take(waiting) };
  }

  /** Resolves after so long. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Goes on to the next timer and lets it act; false when there is none. */
  step(): boolean {
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) {
      const act = this.#take(next);
      if (act === undefined || next.life?.isOver === true) continue;
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      this.#fired++;
      act();
      return true;
    }
    return false;
  }

  #take(waiting: Waiting): (() => void) | undefined {
    const { act, life } = waiting;
    if (act === undefined) return undefined;
    waiting.act = undefined;
    if (life !== undefined) life.pending--;
    return act;
  }

  #push(waiting: Waiting): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(waiting);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(waiting, heap[above] as Waiting)) break;
      heap[at] = heap[above] as Waiting;
      at = above;
    }
    heap[at] = waiting;
  }

  #pop(): Waiting | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = at * 2 + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Waiting, heap[below] as Waiting)) below++;
      if (!isBefore(heap[below] as Waiting, last)) break;
      heap[at] = heap[below] as Waiting;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
