// Takes away what has had its time: sandboxes past their lifetime or idle for too long, failed ones, and those that no
// policy of retention wants any more.
import type { Bus } from "../../observability/bus.ts";
import { every, type Clock, type Timer } from "../../std/clock.ts";
import type { Registry } from "./registry.ts";
import type { ManagedSandbox } from "./managed-sandbox.ts";
import { Retention } from "./retention.ts";

/** What sets off a sweep: its hour, someone's wish, or cells that use nearly all they may. */
export type SweepCause = "timer" | "call" | "pressure";

export interface SweepReport {
  readonly cause: SweepCause;
  readonly expired: number;
  readonly failed: number;
  /** Those that a policy of retention let go. */
  readonly unretained: number;
  /** What kept policies from being heard, one sentence each. */
  readonly policyFailures: readonly string[];
  /** Tombstones that are kept. */
  readonly tombstones: number;
  readonly durationMs: number;
}

export interface CollectorParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly registry: Registry;
  readonly intervalMs: number;
  /** What all cells together may use. */
  readonly memoryBytes: number;
  /** Lets go of what is only kept to save work. */
  readonly shed: () => void;
}

/** What is known of a sandbox that may have to go. */
export type SweepFacts = Pick<
  ManagedSandbox,
  "id" | "status" | "limits" | "createdMs" | "lastUsedMs" | "runsUnderway" | "failed"
>;

export interface Doomed<R extends SweepFacts = ManagedSandbox> {
  readonly sandbox: R;
  readonly reason: "lifetime" | "idle" | "retention" | "failed";
}

export interface SweepTerms {
  readonly nowMs: number;
  /** A failed sandbox stays for so long, so that it can be looked at. */
  readonly failedMs: number;
  /** The ids of those that nobody needs any more. */
  readonly unwanted: ReadonlySet<string>;
}

/** Pure: who has to go. */
export function planSweep<R extends SweepFacts>(sandboxes: Iterable<R>, terms: SweepTerms): Doomed<R>[] {
  const doomed: Doomed<R>[] = [];
  for (const sandbox of sandboxes) {
    const reason = reasonToGo(sandbox, terms);
    if (reason !== undefined) doomed.push({ sandbox, reason });
  }
  return doomed;
}

function reasonToGo(sandbox: SweepFacts, terms: SweepTerms): Doomed["reason"] | undefined {
  const { nowMs, failedMs, unwanted } = terms;
  const { lifetimeMs, idleMs } = sandbox.limits;
  if (sandbox.status === "failed") {
    // What failed by something around it may be needed again: only its owner says when it may go.
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

/** The share of what cells may use from which on room is made at once. */
const pressureShare = 0.9;
/** How long a sweep under pressure has to show what it was worth. */
const reliefMs = 5_000;

export class Collector {
  readonly #parts: CollectorParts;
  readonly #timer: Timer;
  #relievedMs = -Infinity;
  readonly retention: Retention = new Retention();

  constructor(parts: CollectorParts) {
    this.#parts = parts;
    this.#timer = every(parts.clock, parts.intervalMs, () => void this.sweep("timer").catch(() => {}));
  }

  /** Cells use so much. Where that is nearly all they may, what can be spared goes at once, failed sandboxes too. */
  feel(usedBytes: number): void {
    const { clock, memoryBytes, shed } = this.#parts;
    const nowMs = clock.monotonic();
    if (usedBytes < memoryBytes * pressureShare || nowMs - this.#relievedMs < reliefMs) return;
    this.#relievedMs = nowMs;
    shed();
    void this.sweep("pressure").catch(() => {});
  }

  async sweep(cause: SweepCause): Promise<SweepReport> {
    const { clock, bus, registry } = this.#parts;
    const startedMs = clock.monotonic();
    const failedMs = cause === "pressure" ? 0 : this.#parts.intervalMs;
    const { unwanted, failures: policyFailures } = this.retention.ask(this.#living());
    const doomed = planSweep(registry.all(), { nowMs: startedMs, failedMs, unwanted });
    await Promise.allSettled(doomed.map(({ sandbox, reason }) => sandbox.destroy(`collected: ${reason}`)));
    const countOf = (wanted: Doomed["reason"]): number =>
      doomed.filter(({ reason }) => reason === wanted).length;
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
