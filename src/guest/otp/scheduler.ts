// Round-robin scheduling: each process that has a message handles one, then the next process does. The scheduler always
// knows whose step is running, so that the cell can cut one that never ends and the rest goes on.
import { apply } from "../../model/wire/intrinsics.ts";
import type { ProcessHost } from "./core.ts";
import { Line } from "./line.ts";
import type { Proc } from "./proc.ts";
import { end, endThrown } from "./process.ts";
import type { Pid } from "./types.ts";

const promiseThen = Promise.prototype.then;
const settled = Promise.resolve();
const stepsPerCheck = 16;
/** How long one turn lasts at most, so that its last step still has nearly all of `stepMs`. */
const turnMs = 5;
/** Under a clock that stands still, steps are counted instead. */
const stepsPerTurnMax = 10_000;

const ready = new Line<Proc>();
let host: ProcessHost;
let isTurning = false;
let isWoken = false;
let current: Proc | undefined;
// The process whose turn it is: it is not in the queue, unless it was put back just now.
let turning: Proc | undefined;
// The process that ran last: what runs after a step, in promises, is attributed to it.
let last: Proc | undefined;

export function connectScheduler(given: ProcessHost): void {
  host = given;
}

/** What runs from here on belongs to no process, until the next step. */
export function clearLast(): void {
  last = undefined;
}

/** The process whose step is running. */
export function currentProc(): Proc | undefined {
  return current;
}

/** Runs a function as part of a process's step: timers and messages it causes belong to the process. */
export function runAs<T>(proc: Proc | undefined, act: () => T): T {
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
 * Resumes a process: `act` settles what it awaits, and what runs right after that is its own step. A process that has
 * exited is not resumed.
 */
export function resume(proc: Proc | undefined, act: () => void): void {
  if (proc === undefined) return act();
  if (proc.status === "exited") return;
  inMicrotask(() => {
    current = proc;
    last = proc;
  });
  act();
  inMicrotask(() => {
    if (current === proc) current = undefined;
  });
}

/** As `resume`, for what is settled before it can be awaited. */
export function resumeLater(proc: Proc | undefined, act: () => void): void {
  inMicrotask(() => resume(proc, act));
}

function inMicrotask(act: () => void): void {
  void apply(promiseThen, settled, [act]);
}

/** Puts a process into the queue. */
export function enqueue(proc: Proc): void {
  if (proc.status !== "idle" || proc.isSuspended || !isReady(proc)) return;
  proc.status = "ready";
  ready.push(proc);
  if (isTurning || isWoken) return;
  isWoken = true;
  host.wake();
}

/** Runs steps for at most one turn; true when some processes still wait. */
export function turn(): boolean {
  isWoken = false;
  isTurning = true;
  const endMs = host.now() + turnMs;
  let proc = (turning = ready.shift());
  for (let steps = 1; proc !== undefined; steps++) {
    const isReadyAgain = step(proc);
    // The next step would be blamed for fuel that another used up: the rest waits for more fuel.
    const isOver =
      host.isOutOfFuel() ||
      (steps % stepsPerCheck === 0 && (host.now() >= endMs || steps >= stepsPerTurnMax));
    // Where no other one waits, it goes on without the queue.
    if (isReadyAgain && !isOver && ready.size === 0) continue;
    if (isReadyAgain) ready.push(proc);
    proc = turning = isOver ? undefined : ready.shift();
  }
  isTurning = false;
  isWoken = ready.size > 0;
  return isWoken;
}

/** The cell cut an entry: ends the process whose step was running; undefined when there was none. */
export function cutStep(isInPromise: boolean): Pid | undefined {
  const offender = current ?? (isInPromise ? last : undefined);
  current = undefined;
  isTurning = false;
  putBack();
  isWoken = ready.size > 0;
  if (isWoken) host.wake();
  if (offender === undefined || offender.status === "exited") return undefined;
  end(offender, "cut", "cut");
  return offender.pid;
}

// A turn may have been cut between two steps.
function putBack(): void {
  const proc = turning;
  turning = undefined;
  if (proc === undefined || ready.has(proc)) return;
  if (proc.status === "ready") proc.status = "idle";
  isWoken = true;
  if (proc.mailbox.size > 0) enqueue(proc);
}

/** Whether a process waits for a turn. */
export function hasWork(): boolean {
  return ready.size > 0;
}

/** One step of a process; true when it is ready for another one, and not in the queue. */
function step(proc: Proc): boolean {
  const { behaviour, mailbox } = proc;
  if (proc.status !== "ready" || proc.isSuspended || behaviour === undefined || mailbox.size === 0) {
    if (proc.status === "ready") proc.status = "idle";
    return false;
  }
  proc.status = "busy";
  current = proc;
  last = proc;
  try {
    const result = behaviour.take();
    if (isThenable(result)) wait(proc, result);
    else if (proc.status === "busy") proc.status = "idle";
  } catch (error) {
    current = undefined;
    crash(proc, error);
  }
  current = undefined;
  if (proc.status !== "idle" || mailbox.size === 0 || proc.isSuspended || !behaviour.isReady()) return false;
  proc.status = "ready";
  return true;
}

// A step that takes longer: until its promise is settled the process takes no other message.
function wait(proc: Proc, promise: PromiseLike<unknown>): void {
  void apply(promiseThen, promise, [
    () => {
      last = proc;
      settle(proc);
    },
    (error: unknown) => crash(proc, error),
  ]);
}

/** The step is done: the process may take its next message. */
function settle(proc: Proc): void {
  if (proc.status !== "busy") return;
  proc.status = "idle";
  if (proc.mailbox.size > 0) enqueue(proc);
}

export function crash(proc: Proc, error: unknown): void {
  if (proc.status !== "exited") endThrown(proc, error);
}

function isReady(proc: Proc): boolean {
  return proc.behaviour?.isReady() ?? true;
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
