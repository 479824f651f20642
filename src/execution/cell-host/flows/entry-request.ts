// How a flow asks for one entry into its isolate.
import type { Completion } from "../activity.ts";
import { applyLater, applyNow, type AnyReference } from "../isolates/guest-isolate.ts";
import type { EntryResult } from "../lanes.ts";

/** One entry that a flow asks for. */
export interface EntryRequest {
  readonly budgetMs: number;
  readonly now: (timeout: number) => unknown;
  readonly later: (timeout: number) => Promise<unknown>;
  /** It runs no guest code and is short: the main thread does it sooner than another would be woken. */
  readonly isBrief?: boolean;
}

/** `undefined` when the guest waits for its timers. */
export type Flow<T = Completion | undefined> = Generator<EntryRequest, T, EntryResult>;

/** For entries without guest code. They take microseconds, unless the machine is busy elsewhere. */
export const housekeepingMs = 1_000;

export const applying = (
  reference: AnyReference,
  args: readonly unknown[],
  budgetMs: number,
): EntryRequest => ({
  budgetMs,
  now: (timeout) => applyNow(reference, args, { timeout }),
  later: (timeout) => applyLater(reference, args, { timeout }),
});
