// When a request is sent again whose connection broke, and how long that waits.
import { fields, integer, type Read, type Shape } from "../../model/schema.ts";
import { anyShare } from "../../std/portable.ts";

/** How requests are repeated whose connection broke before there was an answer. */
export interface RetryOptions {
  /** How often one is sent in all, 1–100. Default: 6. */
  readonly attempts?: number;
  /** How long the first pause is at most, in milliseconds; each further one is twice as long. Default: 100. */
  readonly firstMs?: number;
  /** How long a pause is at most, in milliseconds. Default: 5,000. */
  readonly pauseMs?: number;
}

export const retryOptions = fields({
  attempts: integer({ min: 1, max: 100, default: 6 }),
  firstMs: integer({ min: 1, max: 600_000, default: 100 }),
  pauseMs: integer({ min: 1, max: 600_000, default: 5_000 }),
} satisfies Shape<RetryOptions>);

export type RetryPlan = Read<typeof retryOptions>;

/** How long to wait after so many attempts. Callers that failed together do not come back together. */
export function pauseAfter(attempts: number, { firstMs, pauseMs }: RetryPlan): number {
  const longestMs = Math.min(firstMs * 2 ** Math.min(attempts - 1, 30), pauseMs);
  return longestMs * (0.5 + anyShare() / 2);
}

/** How deep causes are looked at. */
const causesMax = 5;

/** Whether nobody listened, so that the request was not even sent. Only some machines say so. */
export function wasNotSent(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < causesMax && typeof cause === "object" && cause !== null; depth++) {
    if ("code" in cause && (cause.code === "ECONNREFUSED" || cause.code === "ConnectionRefused")) return true;
    cause = "cause" in cause ? cause.cause : undefined;
  }
  return false;
}
