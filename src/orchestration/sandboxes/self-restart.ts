// Sandboxes that begin again by themselves when they fail, as often as their rule allows.
import type { Clock } from "../../std/clock.ts";
import type { Resident } from "./resident.ts";
import { isTooOften } from "../cells/restart-policy.ts";

export interface SelfRestartParts {
  readonly clock: Clock;
  readonly restart: (resident: Resident) => Promise<void>;
}

export class SelfRestart {
  readonly #parts: SelfRestartParts;

  constructor(parts: SelfRestartParts) {
    this.#parts = parts;
  }

  /** A sandbox failed: restarts it where its rule says so. One that never ran stays what it is. */
  onFailed(resident: Resident): void {
    const nowMs = this.#parts.clock.monotonic();
    if (!mayRestart(resident, nowMs)) return;
    resident.restartsMs = [...resident.restartsMs, nowMs].slice(-(resident.restartRule?.max ?? 0));
    // After whoever told of the failure is done with it. A failure of the restart is told as any other.
    queueMicrotask(() => {
      if (resident.status === "failed") this.#parts.restart(resident).catch(() => {});
    });
  }
}

/** Pure: whether a sandbox that failed may begin again. */
export function mayRestart(resident: Resident, nowMs: number): boolean {
  const { restartRule, restartsMs, lastError } = resident;
  const wasLoading = resident.statusBefore === "creating";
  // What fails at its creation is told to whoever wanted it.
  if (restartRule === null || (wasLoading && resident.restarts === 0)) return false;
  const kind = wasLoading ? "load" : lastError?.failure?.kind;
  const isMeant = (restartRule.on as readonly unknown[]).includes(kind);
  return isMeant && !isTooOften(restartsMs, nowMs, restartRule);
}
