// How fast this machine is at the moment, so that bounds on time hold on one that is slow or busy. What a quiet machine
// needs is asked for in milliseconds, and is given as many times over as the same work takes longer here.
import assert from "node:assert/strict";

/** What one look takes on a quiet machine of today. */
const quietMs = 10;
const lookSteps = 650_000;
const looksAtEnd = 5;

// The worst that this process has seen: load comes and goes, and what was slow a moment ago may have been slowed by it.
let worst = 1;

/** How many times longer work takes here than on a quiet machine: the worst of all looks so far, and never below 1. */
export function machineUnit(looks: number = 1): number {
  for (let look = 0; look < looks; look++) {
    const startedMs = performance.now();
    work();
    worst = Math.max(worst, (performance.now() - startedMs) / quietMs);
  }
  return worst;
}

/** So many milliseconds of a quiet machine, in those of this one. */
export function scaledMs(ms: number): number {
  return ms * machineUnit();
}

export interface Stopwatch {
  /** The time since it was started, in milliseconds. */
  ms(): number;
  /** Fails when more time has passed than so many milliseconds of a quiet machine. */
  assertWithin(ms: number, what: string): void;
}

/** Starts to measure. */
export function stopwatch(): Stopwatch {
  machineUnit();
  const startedMs = performance.now();
  const ms = (): number => performance.now() - startedMs;
  return { ms, assertWithin: (boundMs, what) => assertWithin(ms(), boundMs, what) };
}

/** Fails when something took longer than so many milliseconds of a quiet machine; looks again before it says so. */
export function assertWithin(tookMs: number, boundMs: number, what: string): void {
  if (tookMs <= boundMs * worst) return;
  const allowedMs = boundMs * machineUnit(looksAtEnd);
  assert.ok(tookMs <= allowedMs, `${what}: ${tookMs.toFixed(0)} ms, ${allowedMs.toFixed(0)} ms at most`);
}

function work(): number {
  let x = 1;
  for (let step = 0; step < lookSteps; step++) x = (x * 16_807) % 2_147_483_647;
  return x;
}
