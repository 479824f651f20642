// Fair turns: each process that has a message takes one, then the next has its turn. The scheduler always knows whose
// step it is, so that the cell can cut one that never ends and the rest goes on.
import { apply } from "../../model/wire/intrinsics.ts";
import type { ProcessHost } from "./core.ts";
import { Chain } from "./mailbox.ts";
import type { Proc } from "./proc.ts";
import { end, endThrown } from "./process.ts";
import type { Pid } from "./types.ts";

const promiseThen = Promise.prototype.then;
const settled = Promise.resolve();
const stepsPerLook = 16;
/** How long one turn lasts at most, so that the last step in it has nearly its whole time. */
const turnMs = 5;
/** Under a clock that stands still, steps are counted instead. */
const stepsPerTurnMax = 10_000;

const ready = new Chain<Proc>();
let host: ProcessHost;
let isTurning = false;
let isWoken = false;
let current: Proc | undefined;
// Who was resumed last: what runs after a step, in promises, is laid at its door.
let last: Proc | undefined;

export function connectScheduler(given: ProcessHost): void {
  host = given;
}

/** What runs from here on is nobody's, until a process has its turn. */
export function forgetLast(): void {
  last = undefined;
}

/** The process whose step it is. */
export function currentProc(): Proc | undefined {
  return current;
}

/** Does something in the name of a process: what it sets off is its own. */
export function inNameOf<T>(proc: Proc | undefined, act: () => T): T {
  const before = current;
  current = proc;
  if (proc !== undefined) last = proc;
  try {
    return act();
  } finally {
    current = before;
  }
}

/**
 * Has a process go on: `act` settles what it waits for. What runs right after that await is its own step; a process that
 * is dead does not go on.
 */
export function resume(proc: Proc | undefined, act: () => void): void {
  if (proc === undefined) return act();
  if (proc.status === "dead") return;
  later(() => {
    current = proc;
    last = proc;
  });
  act();
  later(() => {
    if (current === proc) current = undefined;
  });
}

/** As `resume`, for what is settled before anyone can wait for it. */
export function resumeLater(proc: Proc | undefined, act: () => void): void {
  later(() => resume(proc, act));
}

// In the order in which they are asked for, as all that waits for promises.
function later(act: () => void): void {
  void apply(promiseThen, settled, [act]);
}

/** Puts a process into the line. */
export function enqueue(proc: Proc): void {
  if (proc.status !== "idle" || proc.isSuspended || !isReady(proc)) return;
  proc.status = "ready";
  ready.push(proc);
  if (isTurning || isWoken) return;
  isWoken = true;
  host.wake();
}

/** Gives processes their turns, for a moment; true when some still wait. */
export function turn(): boolean {
  isWoken = false;
  isTurning = true;
  const endMs = host.now() + turnMs;
  for (let steps = 1; ready.size > 0; steps++) {
    step(ready.shift() as Proc);
    // Whoever had his turn now would be blamed for what another used up: the rest waits for other fuel.
    if (host.isOutOfFuel()) break;
    if (steps % stepsPerLook === 0 && (host.now() >= endMs || steps >= stepsPerTurnMax)) break;
  }
  isTurning = false;
  isWoken = ready.size > 0;
  return isWoken;
}

/** The cell cut an entry: ends the process whose step it was, or answers undefined when it was nobody's. */
export function cutStep(isInPromise: boolean): Pid | undefined {
  const culprit = current ?? (isInPromise ? last : undefined);
  current = undefined;
  isTurning = false;
  isWoken = ready.size > 0;
  if (isWoken) host.wake();
  if (culprit === undefined || culprit.status === "dead") return undefined;
  end(culprit, "cut", "cut");
  return culprit.pid;
}

/** Whether anyone waits for a turn. */
export function hasWork(): boolean {
  return ready.size > 0;
}

function step(proc: Proc): void {
  if (proc.status !== "ready" || proc.isSuspended) {
    if (proc.status === "ready") proc.status = "idle";
    return;
  }
  const { behaviour } = proc;
  if (behaviour === undefined || proc.mailbox.size === 0) {
    proc.status = "idle";
    return;
  }
  proc.status = "busy";
  current = proc;
  last = proc;
  try {
    const result = behaviour.take();
    current = undefined;
    if (isPromise(result)) return wait(proc, result);
  } catch (error) {
    current = undefined;
    return crash(proc, error);
  }
  settle(proc);
}

// A step that takes longer: until its promise is settled the process takes no other message.
function wait(proc: Proc, promise: Promise<unknown>): void {
  void apply(promiseThen, promise, [
    () => {
      last = proc;
      settle(proc);
    },
    (error: unknown) => crash(proc, error),
  ]);
}

/** The step is done: the next message may come. */
export function settle(proc: Proc): void {
  if (proc.status !== "busy") return;
  proc.status = "idle";
  if (proc.mailbox.size > 0) enqueue(proc);
}

export function crash(proc: Proc, error: unknown): void {
  if (proc.status !== "dead") endThrown(proc, error);
}

function isReady(proc: Proc): boolean {
  return proc.behaviour?.isReady() ?? true;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
