// Waits for a condition in the world, looked at again and again up to a generous bound.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

const lookMs = 5;
const generousMs = 20_000;

/** Resolves with the first answer that is not undefined or false; fails when none comes in time. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs: number = generousMs,
): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > endMs) assert.fail(`waited ${withinMs} ms in vain until ${what}`);
    await pause(lookMs);
  }
}
