// Destroys sandboxes past their lifetime or idle for too long, failed ones, and those that no retention policy wants.
import type { Bus } from "../../../observability/bus.ts";
import { every, type Clock, type Timer } from "../../../std/clock.ts";
import type { Registry } from "../registry.ts";
import type { ManagedSandbox } from "../managed-sandbox.ts";
import { Retention } from "./retention.ts";

/** What causes a sweep: its timer, a caller, or cells that use nearly all the memory they may. */
export type SweepCause = "timer" | "call" | "pressure";

export interface SweepReport {
  readonly cause: SweepCause;
  readonly expired: number;
  readonly failed: number;
  /** Those that a retention policy named. */
  readonly unretained: number;
  /** Why policies failed, one sentence each. */
  readonly policyFailures: readonly string[];
  /** How many tombstones there are. */
  readonly tombstones: number;
  readonly durationMs: number;
}

export interface CollectorParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly registry: Registry;
  readonly intervalMs: number;
  /** The memory that all cells together may use. */
  readonly memoryBytes: number;
  /** Empties caches. */
  readonly shed: () => void;
}

/** What decides whether a sandbox is collected. */
export type SweepFacts = Pick<
  ManagedSandbox,
  "id" | "status" | "limits" | "createdMs" | "lastUsedMs" | "runsUnderway" | "failed"
>;

export interface Collectable<R extends SweepFacts = ManagedSandbox> {
  readonly sandbox: R;
  readonly reason: "lifetime" | "idle" | "retention" | "failed";
}

export interface SweepTerms {
  readonly nowMs: number;
  /** How long a failed sandbox stays to be inspected. */
  readonly failedMs: number;
  /** The ids that retention policies named. */
  readonly unwanted: ReadonlySet<string>;
}

/** Pure: which sandboxes are collected, and why. */
export function planSweep<R extends SweepFacts>(sandboxes: Iterable<R>, terms: SweepTerms): Collectable<R>[] {
  const collectable: Collectable<R>[] = [];
  for (const sandbox of sandboxes) {
    const reason = reasonToCollect(sandbox, terms);
    if (reason !== undefined) collectable.push({ sandbox, reason });
  }
  return collectable;
}

function reasonToCollect(sandbox: SweepFacts, terms: SweepTerms): Collectable["reason"] | undefined {
  const { nowMs, failedMs, unwanted } = terms;
  const { lifetimeMs, idleMs } = sandbox.limits;
  if (sandbox.status === "failed") {
    // A sandbox that failed without a fault of its own may be needed again: it is destroyed only by its caller.
    const { atMs, isBlameless } = sandbox.failed ?? { atMs: nowMs, isBlameless: false };
    return !isBlameless && nowMs - atMs >= failedMs ? "failed" : undefined;
  }
  if (!isLiving(sandbox)) return undefined;
  if (lifetimeMs !== null && nowMs - sandbox.createdMs >= lifetimeMs) return "lifetime";
  if (sandbox.runsUnderway > 0) return undefined;
  if (idleMs !== null && nowMs - sandbox.lastUsedMs >= idleMs) return "idle";
  return unwanted.has(sandbox.id) ? "retention" : undefined;
}

function isLiving({ status }: Pick<ManagedSandbox, "status">): boolean {
  return status === "running" || status === "suspended";
}

/** From this share of the memory on, a sweep is made at once. */
const pressureShare = 0.9;
/** The pause between two sweeps under pressure. */
const reliefMs = 5_000;

export class Collector {
  readonly #parts: CollectorParts;
  readonly #timer: Timer;
  #relievedMs = -Infinity;
  readonly #underway = new Set<Promise<SweepReport>>();
  readonly retention: Retention = new Retention();

  constructor(parts: CollectorParts) {
    this.#parts = parts;
    this.#timer = every(parts.clock, parts.intervalMs, () => void this.sweep("timer").catch(() => {}));
  }

  /** Cells use so much memory. Where that is nearly all they may, caches are emptied and failed sandboxes collected at once. */
  onMemoryUsed(usedBytes: number): void {
    const { clock, memoryBytes, shed } = this.#parts;
    const nowMs = clock.monotonic();
    if (usedBytes < memoryBytes * pressureShare || nowMs - this.#relievedMs < reliefMs) return;
    this.#relievedMs = nowMs;
    shed();
    void this.sweep("pressure").catch(() => {});
  }

  /** A caller's sweep also waits for those that are under way: what they collect is gone when it resolves. */
  async sweep(cause: SweepCause): Promise<SweepReport> {
    const others = cause === "call" ? [...this.#underway] : [];
    const sweeping = this.#sweep(cause);
    this.#underway.add(sweeping);
    sweeping.catch(() => {});
    try {
      await Promise.allSettled(others);
      return await sweeping;
    } finally {
      this.#underway.delete(sweeping);
    }
  }

  async #sweep(cause: SweepCause): Promise<SweepReport> {
    const { clock, bus, registry } = this.#parts;
    const startedMs = clock.monotonic();
    const failedMs = cause === "pressure" ? 0 : this.#parts.intervalMs;
    const { unwanted, failures: policyFailures } = this.retention.ask(this.#living());
    const collectable = planSweep(registry.all(), { nowMs: startedMs, failedMs, unwanted });
    await Promise.allSettled(
      collectable.map(({ sandbox, reason }) => sandbox.destroy(`collected: ${reason}`)),
    );
    const countOf = (wanted: Collectable["reason"]): number =>
      collectable.filter(({ reason }) => reason === wanted).length;
    const report: SweepReport = {
      cause,
      expired: countOf("lifetime") + countOf("idle"),
      failed: countOf("failed"),
      unretained: countOf("retention"),
      policyFailures,
      tombstones: registry.tombstones,
      durationMs: clock.monotonic() - startedMs,
    };
    bus.emit("gc.collected", report);
    return report;
  }

  close(): void {
    this.#timer.cancel();
  }

  #living(): readonly string[] {
    if (this.retention.isIdle) return [];
    return [...this.#parts.registry.all()].filter(isLiving).map(({ id }) => id);
  }
}
