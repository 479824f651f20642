// The public view of one sandbox, as data.
import type { Ancestry } from "./ancestry.ts";
import type { Diagnostic } from "../code/diagnostic.ts";
import type { LatestFitness } from "../fitness.ts";
import type { Limits } from "../limits.ts";
import type { GuestFailure } from "../runs/outcome.ts";
import type { Placement } from "./placement.ts";
import type { Status } from "./status.ts";

export interface ModuleInfo {
  readonly version: number;
  readonly checksum: string;
  readonly exports: readonly string[];
  /** The gate's warnings when it admitted the module. */
  readonly warnings: readonly Diagnostic[];
}

/** The latest failure of a sandbox as a whole. */
export interface LastError {
  readonly code: string;
  readonly message: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly failure?: GuestFailure;
}

/** Sums over all runs, and the latest samples. */
export interface TotalUsage {
  readonly runs: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly outputBytes: number;
  readonly heapBytes: number;
  readonly heapPeakBytes: number;
  readonly externalBytes: number;
  /** Running processes, their greatest number at a time, and the greatest length of any mailbox. */
  readonly processes: number;
  readonly processesMax: number;
  readonly queueMax: number;
  /** The number of its isolate within its cell, and how many sandboxes are in that; 0 before the first sample. */
  readonly isolate: number;
  readonly isolateSandboxes: number;
}

/** How much of a capability one sandbox may use in all. */
export interface CapabilityQuota {
  /** Calls in all. Default: 1,000. */
  readonly calls: number;
  /** Arguments and results together, encoded. Default: 64 MiB. */
  readonly bytes: number;
  /** Calls that wait for their answers at a time. Default: 16. */
  readonly concurrent: number;
}

/** A grant with what was used of it. */
export interface GrantInfo {
  readonly quota: CapabilityQuota;
  readonly calls: number;
  readonly bytes: number;
}

export interface SandboxInfo {
  readonly id: string;
  readonly status: Status;
  /** Why it failed or was stopped; null otherwise. */
  readonly reason: string | null;
  /** The name of its security profile. */
  readonly profile: string;
  readonly placement: Placement;
  readonly limits: Limits;
  /** The number of its cell; null while it has none. */
  readonly cell: number | null;
  /** It brought down a cell, or may have, and runs alone. */
  readonly quarantined: boolean;
  readonly createdAt: number;
  readonly uptimeMs: number;
  readonly restarts: number;
  readonly rebuilds: number;
  readonly revision: number;
  readonly modules: Readonly<Record<string, ModuleInfo>>;
  readonly ancestry: Ancestry;
  /** The record of the latest change that its current code comes from: of a reload, or of its birth. */
  readonly mutation: unknown;
  /** Of its latest evaluation; null before the first. */
  readonly fitness: LatestFitness | null;
  readonly usage: TotalUsage;
  readonly labels: Readonly<Record<string, string>>;
  /** Its grants, and how much of each it used. */
  readonly capabilities: Readonly<Record<string, GrantInfo>>;
  readonly lastError: LastError | null;
}
