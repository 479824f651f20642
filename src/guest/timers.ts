// Timers on the sandbox's clock. The guest keeps them; the cell only knows when to come back.
import { apply, create, mapDelete, mapGet, mapSet, mapSize } from "../model/wire/intrinsics.ts";
import { reachMoment, steadyNow } from "./clock.ts";

const timersMax = 10_000;
const delayMsMax = 2 ** 31 - 1;
const { floor } = Math;

interface Timer {
  readonly id: number;
  readonly act: (...args: unknown[]) => unknown;
  readonly args: readonly unknown[];
  readonly everyMs: number | undefined;
  due: number;
  order: number;
}

const live = new Map<number, Timer>();
// A binary heap by due time and order of setting. It may hold timers that were cleared; `live` tells.
const heap = create(null) as Record<number, Timer>;
let heapSize = 0;
let lastId = 0;
let lastOrder = 0;
let arm: (delayMs: number) => void = () => {};

/** Tells how to ask the cell to come back. */
export function onArm(act: (delayMs: number) => void): void {
  arm = act;
}

export function timerCount(): number {
  return mapSize(live);
}

export function setTimer(
  act: unknown,
  delay: unknown,
  options: { readonly repeats: boolean; readonly args: readonly unknown[] },
): number {
  if (typeof act !== "function") throw new TypeError("Cannot set a timer as its callback must be a function");
  if (timerCount() >= timersMax) throw new RangeError(`Cannot set a timer as at most ${timersMax} may wait`);
  const delayMs = delayOf(delay);
  const timer: Timer = {
    id: ++lastId,
    act: act as Timer["act"],
    args: options.args,
    everyMs: options.repeats ? delayMs : undefined,
    due: steadyNow() + delayMs,
    order: ++lastOrder,
  };
  mapSet(live, timer.id, timer);
  push(timer);
  if (heap[0] === timer) arm(delayMs);
  return timer.id;
}

export function clearTimer(id: unknown): void {
  if (typeof id === "number") mapDelete(live, id);
}

/** Milliseconds until the next timer is due, or -1 when none waits. */
export function nextDelay(): number {
  const next = peek();
  if (next === undefined) return -1;
  const delay = next.due - steadyNow();
  return delay > 0 ? delay : 0;
}

/** Fires the timer that is due first; the cell has waited for it, so the clock is not asked again. */
export function fireTimer(): void {
  const timer = peek();
  if (timer === undefined) return;
  pop();
  reachMoment(timer.due);
  if (timer.everyMs === undefined) {
    mapDelete(live, timer.id);
  } else {
    timer.due = steadyNow() + timer.everyMs;
    timer.order = ++lastOrder;
    push(timer);
  }
  apply(timer.act, undefined, timer.args);
}

function peek(): Timer | undefined {
  while (heapSize > 0) {
    const first = heap[0] as Timer;
    if (mapGet(live, first.id) === first) return first;
    pop();
  }
  return undefined;
}

function push(timer: Timer): void {
  let at = heapSize++;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(timer, heap[parent] as Timer)) break;
    heap[at] = heap[parent] as Timer;
    at = parent;
  }
  heap[at] = timer;
}

function pop(): void {
  const last = heap[--heapSize] as Timer;
  delete heap[heapSize];
  if (heapSize === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heapSize) break;
    if (child + 1 < heapSize && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child++;
    if (!isBefore(heap[child] as Timer, last)) break;
    heap[at] = heap[child] as Timer;
    at = child;
  }
  heap[at] = last;
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function delayOf(delay: unknown): number {
  const number = typeof delay === "number" ? delay : 0;
  return number >= 1 && number <= delayMsMax ? floor(number) : 1;
}
