// Pure: a timer's turn between runs is cut when it takes too long; a sandbox whose turns are cut too often fails.
import type { CellVerdict } from "../../execution/protocol/messages.ts";
import type { LimitName } from "../../model/limits.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { isTooOften } from "../cells/restart-policy.ts";

const rule = { max: 3, windowMs: 60_000 };

interface Cut {
  readonly reason: "timeout" | "memory" | "cpu";
  readonly limit: LimitName;
}

const overStep: Cut = { reason: "timeout", limit: "stepMs" };
const cuts: Partial<Record<CellVerdict, Cut>> = {
  memory: { reason: "memory", limit: "memoryBytes" },
  "cpu-share": { reason: "cpu", limit: "cpuPercent" },
};

/** What follows from a cut, given those before it. */
export interface AfterCut {
  readonly reason: Cut["reason"];
  readonly cutsMs: readonly number[];
  /** The failure of the sandbox, where there were too many. */
  readonly failure: GuestFailure | undefined;
}

/** A timer's turn was cut. */
export function afterBackgroundCut(verdict: CellVerdict, cutsMs: readonly number[], nowMs: number): AfterCut {
  const { reason, limit } = cuts[verdict] ?? overStep;
  const all = [...cutsMs.slice(1 - rule.max), nowMs];
  if (!isTooOften(all, nowMs, rule)) return { reason, cutsMs: all, failure: undefined };
  const message = `Cannot go on as its timers were cut ${rule.max} times within ${rule.windowMs} ms, lately for ${reason}`;
  return { reason, cutsMs: all, failure: { kind: reason, limit, message } };
}
