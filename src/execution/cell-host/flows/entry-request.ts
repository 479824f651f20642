// How a flow asks for one entry into its isolate.
import type { Completion } from "../activity.ts";
import type { GuestFunction } from "../isolates/references.ts";
import type { EntryPlan, EntryResult } from "../lanes.ts";

/** One entry that a flow asks for. */
export interface EntryRequest extends Pick<EntryPlan, "budgetMs" | "isProbe"> {
  readonly now: (timeout: number) => unknown;
  readonly later: (timeout: number) => Promise<unknown>;
}

/** `undefined` when the guest waits for its timers. */
export type Flow<T = Completion | undefined> = Generator<EntryRequest, T, EntryResult>;

/** For entries without guest code. They take microseconds, unless the machine is busy elsewhere. */
export const housekeepingMs = 1_000;

export const applying = (
  reference: GuestFunction,
  args: readonly unknown[],
  budgetMs: number,
): EntryRequest => ({
  budgetMs,
  now: (timeout) => reference.applySync(undefined, args, { timeout }),
  later: (timeout) => reference.apply(undefined, args, { timeout }),
});

/** An empty entry. What is still queued in the isolate runs in it. */
export const probing = (reference: GuestFunction, budgetMs: number): EntryRequest => ({
  ...applying(reference, [], budgetMs),
  isProbe: true,
});
