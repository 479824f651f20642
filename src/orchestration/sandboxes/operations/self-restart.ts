// Pure: whether a sandbox that failed is restarted by its rule.
import { isTooOften } from "../../cells/restart-policy.ts";
import type { RestartRule } from "../../../model/sandboxes/process.ts";
import type { LastError } from "../../../model/sandboxes/sandbox-info.ts";
import type { Status } from "../../../model/sandboxes/status.ts";

/** What is known of a sandbox that just failed. */
export interface FailedFacts {
  readonly restartRule: RestartRule | null;
  /** The latest times at which it was restarted by its rule. */
  readonly restartsMs: readonly number[];
  readonly restarts: number;
  readonly statusBefore: Status;
  readonly lastError: LastError | null;
}

export function mayRestart(failed: FailedFacts, nowMs: number): boolean {
  const { restartRule, restartsMs, lastError } = failed;
  const wasLoading = failed.statusBefore === "creating";
  // A failed creation rejects instead.
  if (restartRule === null || (wasLoading && failed.restarts === 0)) return false;
  const kind = wasLoading ? "load" : lastError?.failure?.kind;
  const isMeant = restartRule.on.some((meant) => meant === kind);
  return isMeant && !isTooOften(restartsMs, nowMs, restartRule);
}
