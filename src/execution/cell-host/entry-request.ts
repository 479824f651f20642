// How a flow asks for one entry into its isolate.
import type ivm from "isolated-vm";
import type { Ending } from "./activity.ts";
import { applyLater, applyNow, type EntryResult } from "./lanes.ts";

/** One entry that a flow asks for. */
export interface EntryRequest {
  readonly budgetMs: number;
  readonly now: (timeout: number) => unknown;
  readonly later: (timeout: number) => Promise<unknown>;
}

/** `undefined` when the guest waits for its timers. */
export type Flow<T = Ending | undefined> = Generator<EntryRequest, T, EntryResult>;

/** For entries that run nothing of the guest's. They take microseconds, unless the machine has no time for us. */
export const housekeepingMs = 1_000;

/** A function inside an isolate. */
export type AnyReference = ivm.Reference<(...args: never[]) => unknown>;

export const applying = (
  reference: AnyReference,
  args: readonly unknown[],
  budgetMs: number,
): EntryRequest => ({
  budgetMs,
  now: applyNow(reference, args),
  later: applyLater(reference, args),
});
