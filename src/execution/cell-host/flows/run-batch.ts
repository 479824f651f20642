// A group of runs as the cell works through it, with what is computed once for all of them.
import type { RunGroup } from "../../protocol/messages.ts";
import { allowanceMs } from "../activity.ts";
import type { BatchedRun } from "./run-flow.ts";
import { timeoutOf } from "../lanes.ts";

export interface RunBatch {
  readonly group: RunGroup;
  /** Identifies its target. */
  readonly targetId: string;
  /** How long one entry may last. */
  readonly budgetMs: number;
  readonly options: { readonly timeout: number };
  /** The cases of a series, as the guest runtime reads them. */
  readonly cases: string | undefined;
}

export function toBatch(group: RunGroup, sliceMs: number, cases?: string): RunBatch {
  const budgetMs = allowanceMs({ lane: group.lane, timeoutMs: group.timeoutMs, sliceMs });
  const targetId = `${group.module}\n${group.export}`;
  return { group, targetId, budgetMs, options: { timeout: timeoutOf({ budgetMs }) }, cases };
}

/** One run out of a batch. */
export function runAt(batch: RunBatch, index: number): BatchedRun {
  const { group, targetId } = batch;
  return { op: group.op + index, group, targetId, args: argsAt(batch, index) };
}

/** The isolate of one run; 0, which no isolate has, beyond the last. */
export function keyAt({ group }: RunBatch, index: number): number {
  return group.keys[index] ?? 0;
}

export function argsAt({ group }: RunBatch, index: number): BatchedRun["args"] {
  return group.args[group.isShared === true ? 0 : index] ?? [];
}
