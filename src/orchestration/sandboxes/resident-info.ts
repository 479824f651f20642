// All that can be told of one sandbox, put together.
import type { SandboxInfo } from "../../model/sandbox-info.ts";
import type { Resident } from "./resident.ts";

export function infoOf(resident: Resident, nowMs: number): SandboxInfo {
  const { head } = resident.versions;
  const modules = [...resident.modules].map(([name, { checksum, exports, warnings }]) => {
    return [name, { version: head.heads.get(name) ?? 0, checksum, exports, warnings }] as const;
  });
  return {
    id: resident.id,
    status: resident.status,
    reason: resident.reason,
    profile: resident.profile.name,
    placement: resident.placement,
    limits: resident.limits,
    cell: resident.place?.queue.number ?? null,
    isQuarantined: resident.isQuarantined,
    createdAt: resident.createdAt,
    uptimeMs: nowMs - resident.createdMs,
    restarts: resident.restarts,
    rebuilds: resident.rebuilds,
    revision: head.revision,
    modules: Object.fromEntries(modules),
    ancestry: resident.ancestry,
    fitness: resident.fitness,
    usage: { ...resident.usage },
    labels: resident.labels,
    capabilities: resident.grants.toInfo(),
    lastError: resident.lastError,
  };
}
