// Guests that hold a given amount of memory, in one kind of thing or another, and how such a run may end.
import type { Outcome } from "../../src/index.ts";

/** One MiB each, beside what was held before. */
const holders = {
  arrays: "kept.push(new Array(131_072).fill(i));",
  buffers: "kept.push(new Uint8Array(1_048_576).fill(1));",
  strings: `kept.push(new Array(65_536).fill("0123456789abcde" + i % 10).join(""));`,
  map: "for (let j = 0; j < 5_000; j++) kept.set(kept.size, new Array(15).fill(i));",
} as const;

export type MemoryKind = keyof typeof holders;

export const memoryKinds: readonly MemoryKind[] = Object.keys(holders) as MemoryKind[];

/** A module with `hold(mib)`, which keeps so much of one kind and answers with it, and `later(mib)`, from a timer. */
export const holding = (kind: MemoryKind): string => `
const kept = ${kind === "map" ? "new Map()" : "[]"};
export function hold(mib) {
  for (let i = 0; i < mib; i++) { ${holders[kind]} }
  return mib;
}
export const later = (mib) => new Promise((resolve, reject) =>
  setTimeout(() => { try { resolve(hold(mib)); } catch (error) { reject(error); } }, 1));`;

/** How a run that held this much ended; undefined where it may not end so. */
export function endOf(outcome: Outcome, kind: MemoryKind): "ok" | "memory" | "refused" | undefined {
  if (outcome.ok) return "ok";
  if (outcome.error.kind === "memory") return "memory";
  // A buffer that cannot be had is told to whoever wants it.
  return kind === "buffers" && outcome.error.thrown?.name === "RangeError" ? "refused" : undefined;
}
