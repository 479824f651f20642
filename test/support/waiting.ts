// Waiting in tests: always for something, never for longer than said. A wait's bound only names what hangs, and costs
// nothing where nothing does: it is long, so that a slow machine does not pass for one that hangs.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const lookMs = 5;
const hangMs = 120_000;

/** Resolves with the first answer that is neither undefined nor false; fails when none comes in time. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs: number = hangMs,
): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > endMs) assert.fail(`waited ${withinMs} ms in vain until ${what}`);
    await sleep(lookMs);
  }
}

/** How a promise ends; fails when it is still pending after so long. */
export async function settled<T>(
  what: string,
  promise: PromiseLike<T>,
  withinMs: number = hangMs,
): Promise<PromiseSettledResult<T>> {
  const pending = Symbol("pending");
  const giveUp = new AbortController();
  const [result] = await Promise.race([
    Promise.allSettled([promise]),
    sleep(withinMs, [pending] as const, { signal: giveUp.signal }),
  ]);
  giveUp.abort();
  assert.notEqual(result, pending, `still pending after ${withinMs} ms: ${what}`);
  return result as PromiseSettledResult<T>;
}

/** The value of a promise that must be fulfilled in time. */
export async function fulfilled<T>(what: string, promise: PromiseLike<T>, withinMs?: number): Promise<T> {
  const result = await settled(what, promise, withinMs);
  assert.equal(result.status, "fulfilled", `${what}: ${String((result as PromiseRejectedResult).reason)}`);
  return (result as PromiseFulfilledResult<T>).value;
}

/** The code of the error with which a promise must be rejected in time. */
export async function rejectionCode(
  what: string,
  promise: PromiseLike<unknown>,
  withinMs?: number,
): Promise<unknown> {
  const result = await settled(what, promise, withinMs);
  assert.equal(result.status, "rejected", `${what} was not rejected`);
  return ((result as PromiseRejectedResult).reason as { code?: unknown }).code;
}

/** The result of some work, and how many turns the event loop had until it was there. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ value: T; turns: number }> {
  let turns = 0;
  let next = setImmediate(turn);
  function turn(): void {
    turns++;
    next = setImmediate(turn);
  }
  try {
    const value = await work();
    return { value, turns };
  } finally {
    clearImmediate(next);
  }
}
