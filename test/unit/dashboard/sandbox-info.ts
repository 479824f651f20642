// What a server says of a sandbox, for tests of what the dashboard makes of it.
import type { SandboxInfo } from "../../../src/index.ts";
import { defaultLimits } from "../../../src/model/limits.ts";
import { anywhere } from "../../../src/model/sandboxes/placement.ts";
import { seedAncestry } from "../../../src/model/sandboxes/ancestry.ts";

/** A running sandbox that was sampled once; each property may be another. */
export function infoOf(given: Partial<SandboxInfo> & { readonly id: string }): SandboxInfo {
  return {
    status: "running",
    reason: null,
    profile: "medium",
    placement: anywhere,
    limits: defaultLimits,
    cell: 1,
    quarantined: false,
    createdAt: 1_000,
    uptimeMs: 500,
    restarts: 0,
    rebuilds: 0,
    revision: 1,
    modules: {},
    ancestry: seedAncestry,
    mutation: null,
    fitness: null,
    usage: {
      runs: 3,
      wallMs: 10,
      cpuMs: 5,
      outputBytes: 0,
      heapBytes: 2_000,
      heapPeakBytes: 3_000,
      externalBytes: 500,
      processes: 0,
      processesMax: 0,
      queueMax: 0,
      isolate: 4,
      isolateSandboxes: 1,
    },
    labels: {},
    capabilities: {},
    lastError: null,
    ...given,
  };
}
