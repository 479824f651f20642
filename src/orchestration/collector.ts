// Takes away what has had its time: sandboxes past their lifetime or idle for too long, and failed ones.
import type { Bus } from "../observability/bus.ts";
import { every, type Clock, type Timer } from "../std/clock.ts";
import type { Registry } from "./registry.ts";
import type { Resident } from "./resident.ts";

export interface SweepReport {
  readonly expired: number;
  readonly failed: number;
  /** Tombstones that are kept. */
  readonly tombstones: number;
  readonly durationMs: number;
}

export interface CollectorParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly registry: Registry;
  readonly destroy: (resident: Resident, reason: string) => Promise<void>;
  readonly intervalMs: number;
}

export interface Doomed {
  readonly resident: Resident;
  readonly reason: "lifetime" | "idle" | "failed";
}

/** Pure: who has to go. A failed sandbox stays for one interval, so that it can be looked at. */
export function planSweep(residents: Iterable<Resident>, nowMs: number, failedMs: number): Doomed[] {
  const doomed: Doomed[] = [];
  for (const resident of residents) {
    const reason = reasonToGo(resident, nowMs, failedMs);
    if (reason !== undefined) doomed.push({ resident, reason });
  }
  return doomed;
}

function reasonToGo(resident: Resident, nowMs: number, failedMs: number): Doomed["reason"] | undefined {
  const { lifetimeMs, idleMs } = resident.limits;
  if (resident.status === "failed")
    return nowMs - (resident.failedMs ?? nowMs) >= failedMs ? "failed" : undefined;
  if (resident.status !== "running" && resident.status !== "suspended") return undefined;
  if (lifetimeMs !== null && nowMs - resident.createdMs >= lifetimeMs) return "lifetime";
  const isIdle = idleMs !== null && resident.runsUnderway === 0 && nowMs - resident.lastUsedMs >= idleMs;
  return isIdle ? "idle" : undefined;
}

export class Collector {
  readonly #parts: CollectorParts;
  readonly #timer: Timer;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
    this.#timer = every(parts.clock, parts.intervalMs, () => void this.sweep().catch(() => {}));
  }

  async sweep(): Promise<SweepReport> {
    const { clock, bus, registry, destroy, intervalMs } = this.#parts;
    const startedMs = clock.monotonic();
    const doomed = planSweep(registry.all(), startedMs, intervalMs);
    await Promise.allSettled(doomed.map(({ resident, reason }) => destroy(resident, `collected: ${reason}`)));
    const failed = doomed.filter(({ reason }) => reason === "failed").length;
    const report = {
      expired: doomed.length - failed,
      failed,
      tombstones: registry.tombstones,
      durationMs: clock.monotonic() - startedMs,
    };
    bus.emit("gc.collected", report);
    return report;
  }

  close(): void {
    this.#timer.cancel();
  }
}
