// Pure: when a process that failed may be tried again, and when trying is given up for a while.
import type { Death } from "../../execution/cell.ts";

export interface FailureRecord {
  /** Failures in a row without a success between them. */
  readonly failures: number;
  readonly lastFailureMs: number;
  readonly why: string;
}

export type StartDecision =
  | { readonly do: "start" }
  | { readonly do: "wait"; readonly forMs: number }
  | { readonly do: "refuse"; readonly forMs: number };

export const noFailures: FailureRecord = { failures: 0, lastFailureMs: 0, why: "" };

const firstBackOffMs = 100;
const backOffMsMax = 10_000;
const failuresMax = 5;
const breakerMs = 10_000;

/** A cell that ends so soon after its start, with no guest inside, counts as a failed start. */
const earlyDeathMs = 1_000;

export function isEarlyEnd({ cause, inside }: Pick<Death, "cause" | "inside">, livedMs: number): boolean {
  return livedMs < earlyDeathMs && cause === "exit" && inside.length === 0;
}

export function afterFailure(record: FailureRecord, nowMs: number, why: string): FailureRecord {
  return { failures: record.failures + 1, lastFailureMs: nowMs, why };
}

/** Whether one more start may be tried. After too many failures the breaker is open; after a pause one start is tried. */
export function decideStart(record: FailureRecord, nowMs: number): StartDecision {
  if (record.failures === 0) return { do: "start" };
  const sinceMs = nowMs - record.lastFailureMs;
  const isOpen = record.failures >= failuresMax;
  const pauseMs = isOpen ? breakerMs : Math.min(backOffMsMax, firstBackOffMs * 2 ** (record.failures - 1));
  if (sinceMs >= pauseMs) return { do: "start" };
  return { do: isOpen ? "refuse" : "wait", forMs: pauseMs - sinceMs };
}

/** Whether something has happened too often: `max` times within the window. */
export function isTooOften(
  timesMs: readonly number[],
  nowMs: number,
  rule: { readonly max: number; readonly windowMs: number },
): boolean {
  return timesMs.filter((time) => nowMs - time < rule.windowMs).length >= rule.max;
}
