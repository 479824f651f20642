// What a spec of a sandbox is completed with, in this runtime.
import { parseSandboxId } from "../../model/ids.ts";
import type { Ancestry } from "../../model/sandboxes/ancestry.ts";
import type { Engine } from "../wiring/engine.ts";
import type { SpecContext } from "./spec.ts";

export function specContextOf({ parts }: Engine): SpecContext {
  const { config, registry } = parts;
  const ancestryOf = (parentId: string): Ancestry | undefined => {
    const id = parseSandboxId(parentId);
    return registry.find(id)?.ancestry ?? registry.tombstone(id)?.info.ancestry;
  };
  return {
    capabilities: [...config.capabilities.keys()],
    profiles: config.profiles,
    ownLimits: config.ownLimits,
    now: () => config.clock.now(),
    depthOf: (parentId) => ancestryOf(parentId)?.depth ?? 0,
    generationOf: (parentId) => ancestryOf(parentId)?.generation,
  };
}
