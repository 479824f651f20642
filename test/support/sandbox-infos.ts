// What a runtime tells of itself and of a sandbox, with what a test needs to be otherwise.
import type { RuntimeMetrics, SandboxInfo } from "../../src/index.ts";
import { defaultLimits } from "../../src/model/limits.ts";

export function sandboxInfo(id: string, more: Partial<SandboxInfo> = {}): SandboxInfo {
  return {
    id,
    status: "running",
    reason: null,
    profile: "medium",
    placement: { tenant: null, exclusive: false, dense: false },
    limits: defaultLimits,
    cell: 1,
    quarantined: false,
    createdAt: 0,
    uptimeMs: 1_000,
    restarts: 0,
    rebuilds: 0,
    revision: 1,
    modules: {},
    ancestry: { parentIds: [], generation: 0, mutation: null, depth: 0 },
    mutation: null,
    fitness: null,
    usage: {
      runs: 0,
      wallMs: 0,
      cpuMs: 0,
      outputBytes: 0,
      heapBytes: 0,
      heapPeakBytes: 0,
      externalBytes: 0,
      processes: 0,
      processesMax: 0,
      queueMax: 0,
      isolate: 1,
      isolateSandboxes: 1,
    },
    labels: {},
    capabilities: {},
    lastError: null,
    ...more,
  };
}

export function runtimeMetrics(more: Partial<RuntimeMetrics> = {}): RuntimeMetrics {
  return {
    outcomes: {},
    killed: {},
    created: 0,
    loadErrors: 0,
    destroyed: 0,
    restarts: 0,
    rebuilds: 0,
    cellsStarted: 0,
    cellsExited: {},
    quarantined: 0,
    collected: 0,
    runDurations: { bounds: [], counts: [0], sumMs: 0 },
    fitness: {},
    sandboxes: {},
    tombstones: 0,
    runsUnderway: 0,
    cells: [],
    compile: { hits: 0, misses: 0, entries: 0, bytes: 0, restarts: 0 },
    audit: { entries: 0, bytes: 0, dropped: 0 },
    subscriberFailures: 0,
    ...more,
  };
}
