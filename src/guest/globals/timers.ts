// Timers. The cell waits for them on its own clock and says which one is due; under a virtual clock there is no waiting,
// and the one that is due first fires at once.
import { apply, mapDelete, mapEach, mapGet, mapSet, mapSize } from "../../model/wire/intrinsics.ts";
import { advanceTo, steadyNow } from "./clock.ts";
import type { Host } from "../host.ts";

const timersMax = 10_000;
/** The longest delay. */
export const delayMsMax: number = 2 ** 31 - 1;
const { floor } = Math;
const toNumber = Number;

/** The processes that timers belong to, where there are processes. */
export interface TimerOwners {
  current(): unknown;
  /** Fires as part of the owner's step; what it throws ends the owner. */
  fire(owner: unknown, act: () => void): void;
}

interface Timer {
  readonly id: number;
  readonly owner: unknown;
  readonly act: (...args: unknown[]) => unknown;
  readonly args: readonly unknown[];
  readonly delayMs: number;
  readonly repeats: boolean;
  /** On the sandbox's clock; used only where that is virtual. */
  due: number;
}

const live = new Map<number, Timer>();
let lastId = 0;
let whenDone: (() => void) | undefined;
let owners: TimerOwners | undefined;
let host: Pick<Host, "arm" | "disarm"> = { arm: () => {}, disarm: () => {} };

/** Sets the cell's functions for timers. */
export function connectTimers(functions: Pick<Host, "arm" | "disarm">): void {
  host = functions;
}

export function setTimerOwners(given: TimerOwners): void {
  owners = given;
}

export function timerCount(): number {
  return mapSize(live);
}

/** Calls `act` once, when no timer is left. */
export function onTimersDone(act: () => void): void {
  whenDone = act;
}

function noteDone(): void {
  if (whenDone === undefined || timerCount() > 0) return;
  const act = whenDone;
  whenDone = undefined;
  act();
}

export function setTimer(
  act: unknown,
  delay: unknown,
  options: { readonly repeats: boolean; readonly args: readonly unknown[] },
): number {
  if (typeof act !== "function") throw new TypeError("Cannot set a timer as its callback must be a function");
  if (timerCount() >= timersMax) throw new RangeError(`Cannot set a timer as at most ${timersMax} may wait`);
  const delayMs = delayOf(delay);
  const due = steadyNow() + delayMs;
  const owner = owners?.current();
  const timer: Timer = { id: ++lastId, owner, act: act as Timer["act"], delayMs, due, ...options };
  mapSet(live, timer.id, timer);
  host.arm(timer.id, delayMs);
  return timer.id;
}

export function clearTimer(id: unknown): void {
  if (typeof id !== "number" || !mapDelete(live, id)) return;
  host.disarm(id);
  noteDone();
}

/** Fires a timer by its number, or with 0 the one that is due first. */
export function fireTimer(id: number): void {
  const timer = id === 0 ? earliest() : (mapGet(live, id) as Timer | undefined);
  if (timer === undefined) return;
  advanceTo(timer.due);
  if (timer.repeats) {
    timer.due = steadyNow() + timer.delayMs;
    host.arm(timer.id, timer.delayMs);
  } else mapDelete(live, timer.id);
  try {
    if (owners === undefined || timer.owner === undefined) apply(timer.act, undefined, timer.args);
    else owners.fire(timer.owner, () => void apply(timer.act, undefined, timer.args));
  } finally {
    noteDone();
  }
}

// Of timers that are due at the same moment the one that was set first, as a map has that order.
function earliest(): Timer | undefined {
  let first: Timer | undefined;
  mapEach(live, (value) => {
    const timer = value as Timer;
    if (first === undefined || timer.due < first.due) first = timer;
  });
  return first;
}

function delayOf(delay: unknown): number {
  // A text or an object may be a number too, as on the web.
  const number = typeof delay === "number" ? delay : delay === undefined ? 0 : toNumber(delay);
  return number >= 1 && number <= delayMsMax ? floor(number) : 1;
}
