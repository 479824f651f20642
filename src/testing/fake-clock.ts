// A clock that stands still until a test moves it.
import { fields, number } from "../model/schema.ts";
import type { Clock, Timer } from "../std/clock.ts";

const clockOptions = fields({
  now: number({ isFinite: true, default: 0 }),
  monotonic: number({ isFinite: true, default: 0 }),
});

interface Waiting {
  readonly dueMs: number;
  readonly order: number;
  readonly act: () => void;
}

/** A clock for tests. Time passes only in `advance`; `jump` moves the wall clock alone, as an operator or NTP would. */
export class FakeClock implements Clock {
  #monotonicMs: number;
  #nowMs: number;
  #order = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(options: { readonly now?: number; readonly monotonic?: number } = {}) {
    const { now, monotonic } = clockOptions.read(options, "options");
    this.#nowMs = now;
    this.#monotonicMs = monotonic;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, act: () => void): Timer {
    const waiting = { dueMs: this.#monotonicMs + delayMs, order: ++this.#order, act };
    this.#waiting.add(waiting);
    return { cancel: () => void this.#waiting.delete(waiting) };
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Lets time pass; timers that come due are called in their order, each at its own moment. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#waiting.delete(next);
      this.#moveTo(next.dueMs);
      next.act();
    }
    this.#moveTo(endMs);
  }

  /** Moves the wall clock, forward or back. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }

  #moveTo(monotonicMs: number): void {
    const passedMs = Math.max(0, monotonicMs - this.#monotonicMs);
    this.#monotonicMs += passedMs;
    this.#nowMs += passedMs;
  }

  #next(endMs: number): Waiting | undefined {
    let first: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (waiting.dueMs > endMs) continue;
      const isEarlier =
        first === undefined ||
        waiting.dueMs < first.dueMs ||
        (waiting.dueMs === first.dueMs && waiting.order < first.order);
      if (isEarlier) first = waiting;
    }
    return first;
  }
}
