// What is known of sandboxes without a runtime, for tests of what is decided about them.
import { seedAncestry, type Ancestry } from "../../src/model/sandboxes/ancestry.ts";
import { parseSandboxId, type SandboxId } from "../../src/model/ids.ts";
import { resolveLimits } from "../../src/model/limit-checks.ts";
import { defaultLimits, type Limits } from "../../src/model/limits.ts";
import { anywhere } from "../../src/model/sandboxes/placement.ts";
import { transition, type Signal, type Status } from "../../src/model/sandboxes/status.ts";
import { GrantUsage } from "../../src/security/capability.ts";
import { presets } from "../../src/security/presets.ts";
import { VersionLog } from "../../src/code/modules/version-log.ts";

/** A sandbox as data: each fact can be set. */
export interface Facts {
  id: SandboxId;
  key: number;
  kind: "individual" | "helper";
  status: Status;
  limits: Limits;
  createdMs: number;
  lastUsedMs: number;
  runsUnderway: number;
  failed: { atMs: number; isBlameless: boolean } | undefined;
  ancestry: Ancestry;
}

/** A sandbox with these limits, after these signals. */
export function sandboxWith(limits: Partial<Limits>, ...signals: readonly Signal[]): Facts {
  return sandboxFor("a", limits, ...signals);
}

/** The same under another id. */
export function sandboxFor(id: string, limits: Partial<Limits>, ...signals: readonly Signal[]): Facts {
  let status: Status = "creating";
  for (const signal of signals) status = transition(status, signal) ?? status;
  const facts: Facts = {
    id: parseSandboxId(id),
    key: 1,
    kind: "individual",
    status,
    limits: resolveLimits(defaultLimits, limits),
    createdMs: 1_000,
    lastUsedMs: 1_000,
    runsUnderway: 0,
    failed: undefined,
    ancestry: seedAncestry,
  };
  const rest = {
    profile: presets.medium,
    placement: anywhere,
    labels: {},
    createdAt: 0,
    versions: new VersionLog(10),
    modules: new Map(),
    grants: new GrantUsage(),
    usage: {},
    logs: { toArray: () => [], last: () => [] },
  };
  return { ...rest, ...facts };
}
