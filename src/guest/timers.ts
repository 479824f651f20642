// Timers on the sandbox's clock. The guest keeps them; the cell only knows when to come back.
import { apply, mapDelete, mapGet, mapSet, mapSize } from "../model/wire/intrinsics.ts";
import type { SandboxClock } from "./clock.ts";

const timersMax = 10_000;
const delayMsMax = 2 ** 31 - 1;

interface Timer {
  readonly id: number;
  readonly act: (...args: unknown[]) => unknown;
  readonly args: readonly unknown[];
  readonly everyMs: number | undefined;
  due: number;
  order: number;
}

const { floor } = Math;

export class Timers {
  readonly #clock: SandboxClock;
  readonly #arm: (delayMs: number) => void;
  readonly #live = new Map<number, Timer>();
  // A binary heap by due time and order of setting. It may hold timers that were cleared; `#live` tells.
  readonly #heap: Record<number, Timer> = { __proto__: null } as never;
  #heapSize = 0;
  #lastId = 0;
  #lastOrder = 0;

  constructor(clock: SandboxClock, arm: (delayMs: number) => void) {
    this.#clock = clock;
    this.#arm = arm;
  }

  get count(): number {
    return mapSize(this.#live);
  }

  set(act: unknown, delay: unknown, options: { readonly repeats: boolean; readonly args: readonly unknown[] }): number {
    if (typeof act !== "function") throw new TypeError("Cannot set a timer as its callback must be a function");
    if (this.count >= timersMax) throw new RangeError(`Cannot set a timer as at most ${timersMax} may wait`);
    const delayMs = delayOf(delay);
    const timer: Timer = {
      id: ++this.#lastId,
      act: act as Timer["act"],
      args: options.args,
      everyMs: options.repeats ? delayMs : undefined,
      due: this.#clock.steady() + delayMs,
      order: ++this.#lastOrder,
    };
    mapSet(this.#live, timer.id, timer);
    this.#push(timer);
    if (this.#heap[0] === timer) this.#arm(delayMs);
    return timer.id;
  }

  clear(id: unknown): void {
    if (typeof id === "number") mapDelete(this.#live, id);
  }

  /** Milliseconds until the next timer is due, or -1 when none waits. */
  nextDelay(): number {
    const next = this.#peek();
    if (next === undefined) return -1;
    const delay = next.due - this.#clock.steady();
    return delay > 0 ? delay : 0;
  }

  /** Fires the timer that is due first; the cell has waited for it, so the clock is not asked again. */
  fire(): void {
    const timer = this.#peek();
    if (timer === undefined) return;
    this.#pop();
    this.#clock.reach(timer.due);
    if (timer.everyMs === undefined) {
      mapDelete(this.#live, timer.id);
    } else {
      timer.due = this.#clock.steady() + timer.everyMs;
      timer.order = ++this.#lastOrder;
      this.#push(timer);
    }
    apply(timer.act, undefined, timer.args);
  }

  #peek(): Timer | undefined {
    while (this.#heapSize > 0) {
      const first = this.#heap[0] as Timer;
      if (mapGet(this.#live, first.id) === first) return first;
      this.#pop();
    }
    return undefined;
  }

  #push(timer: Timer): void {
    let at = this.#heapSize++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, this.#heap[parent] as Timer)) break;
      this.#heap[at] = this.#heap[parent] as Timer;
      at = parent;
    }
    this.#heap[at] = timer;
  }

  #pop(): void {
    const last = this.#heap[--this.#heapSize] as Timer;
    delete this.#heap[this.#heapSize];
    if (this.#heapSize === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#heapSize) break;
      if (child + 1 < this.#heapSize && isBefore(this.#heap[child + 1] as Timer, this.#heap[child] as Timer)) child++;
      if (!isBefore(this.#heap[child] as Timer, last)) break;
      this.#heap[at] = this.#heap[child] as Timer;
      at = child;
    }
    this.#heap[at] = last;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function delayOf(delay: unknown): number {
  const number = typeof delay === "number" ? delay : 0;
  return number >= 1 && number <= delayMsMax ? floor(number) : 1;
}
