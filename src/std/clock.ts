// The only file that uses the machine's clocks and timers.

/** A timer that was set. Cancelling twice is harmless. */
export interface Timer {
  cancel(): void;
}

/** Time as the runtime sees it. Deadlines use `monotonic`, so that a wall clock that jumps moves none of them. */
export interface Clock {
  /** Milliseconds since the epoch. May jump. */
  now(): number;
  /** Milliseconds since some fixed moment of this machine. Never goes back. */
  monotonic(): number;
  /** Calls `act` once after at least `delayMs`. */
  after(delayMs: number, act: () => void): Timer;
}

const delayMsMax = 2 ** 31 - 1;

// The machine-wide monotonic clock, so that its values are the same in cells and in the orchestrator.
const originMs = originMsOf();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => originMs + performance.now(),
  after(delayMs, act) {
    const handle = setTimeout(act, Math.min(delayMs, delayMsMax));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** The same, but for its timers, which do not keep the process alive: what is awaited does that (`std/keep-alive.ts`). */
export const idleClock: Clock = {
  ...systemClock,
  after(delayMs, act) {
    const handle = setTimeout(act, Math.min(delayMs, delayMsMax)).unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

// By the quickest of some looks at both clocks: Node loads `performance` at the first, and another process may come in between.
function originMsOf(): number {
  let [bestMs, tookMs] = [0, Infinity];
  for (let look = 0; look < 5; look++) {
    const beforeMs = machineMs();
    const nowMs = performance.now();
    const afterMs = machineMs();
    if (afterMs - beforeMs < tookMs)
      [bestMs, tookMs] = [(beforeMs + afterMs) / 2 - nowMs, afterMs - beforeMs];
  }
  return bestMs;
}

function machineMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Milliseconds since the epoch with fractions, by the clock that `now` has; may jump as that does. */
export function preciseNow(): number {
  const nowMs = Date.now();
  return Math.min(Math.max(performance.timeOrigin + performance.now(), nowMs), nowMs + 0.999);
}

/** Calls `act` after the event loop has read what arrived while it was blocked. */
export function afterTurn(act: () => void): void {
  setImmediate(act);
}

/** Resolves after the event loop has read what arrived while it was blocked. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => afterTurn(resolve));
}

/** As `clock.after`, repeated until cancelled; the next turn is set when the last one is done. */
export function every(clock: Clock, intervalMs: number, act: () => void): Timer {
  let timer = clock.after(intervalMs, turn);
  function turn(): void {
    timer = clock.after(intervalMs, turn);
    act();
  }
  return { cancel: () => timer.cancel() };
}
