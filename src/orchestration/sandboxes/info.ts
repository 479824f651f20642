// The public description of one sandbox.
import type { SandboxInfo } from "../../model/sandboxes/sandbox-info.ts";
import { mutationOf } from "../reload/mutation.ts";
import type { SandboxRecord } from "./sandbox-record.ts";

export function infoOf(sandbox: SandboxRecord, nowMs: number): SandboxInfo {
  const { head } = sandbox.versions;
  const modules = [...sandbox.modules].map(([name, { checksum, exports, warnings }]) => {
    return [name, { version: head.heads.get(name) ?? 0, checksum, exports, warnings }] as const;
  });
  return {
    id: sandbox.id,
    status: sandbox.status,
    reason: sandbox.reason,
    profile: sandbox.profile.name,
    placement: sandbox.placement,
    limits: sandbox.limits,
    cell: sandbox.place?.queue.number ?? null,
    quarantined: sandbox.isQuarantined,
    createdAt: sandbox.createdAt,
    uptimeMs: nowMs - sandbox.createdMs,
    restarts: sandbox.restarts,
    rebuilds: sandbox.rebuilds,
    revision: head.revision,
    modules: Object.fromEntries(modules),
    ancestry: sandbox.ancestry,
    mutation: mutationOf(sandbox),
    fitness: sandbox.fitness,
    usage: { ...sandbox.usage },
    labels: sandbox.labels,
    capabilities: sandbox.grants.toInfo(),
    lastError: sandbox.lastError,
  };
}
