// What a spec of a sandbox is completed with, in this runtime.
import { parseSandboxId } from "../../model/ids.ts";
import type { Ancestry } from "../../model/sandboxes/ancestry.ts";
import type { Engine } from "../wiring/engine.ts";
import type { SpecContext } from "./spec.ts";

export function specContextOf({ parts }: Engine): SpecContext {
  const { config, registry } = parts;
  // Of another tenant's nothing is known, not even that it is there.
  const ancestryOf = (parentId: string, tenant: string | null): Ancestry | undefined => {
    const id = parseSandboxId(parentId);
    const parent = registry.find(id) ?? registry.tombstone(id)?.info;
    return tenant === null || parent?.placement.tenant === tenant ? parent?.ancestry : undefined;
  };
  return {
    capabilities: [...config.capabilities.keys()],
    profiles: config.profiles,
    ownLimits: config.ownLimits,
    now: () => config.clock.now(),
    depthOf: (parentId, tenant) => ancestryOf(parentId, tenant)?.depth ?? 0,
    generationOf: (parentId, tenant) => ancestryOf(parentId, tenant)?.generation,
  };
}
