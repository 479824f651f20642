// Sandboxes without a runtime, for tests of what is decided about them.
import { seedAncestry } from "../../src/model/ancestry.ts";
import { parseSandboxId } from "../../src/model/ids.ts";
import { defaultLimits, resolveLimits, type Limits } from "../../src/model/limits.ts";
import { anywhere } from "../../src/model/placement.ts";
import type { Signal } from "../../src/model/status.ts";
import { Resident } from "../../src/orchestration/sandboxes/resident.ts";
import { presets } from "../../src/security/presets.ts";

/** A sandbox as the orchestrator holds it, with these limits, after these signals. */
export function residentWith(limits: Partial<Limits>, ...signals: readonly Signal[]): Resident {
  return residentFor("a", limits, ...signals);
}

/** The same under another id. */
export function residentFor(id: string, limits: Partial<Limits>, ...signals: readonly Signal[]): Resident {
  const resident = new Resident({
    key: 1,
    id: parseSandboxId(id),
    limits: resolveLimits(defaultLimits, limits),
    profile: presets.medium,
    placement: anywhere,
    character: { deterministic: null },
    ancestry: seedAncestry,
    labels: {},
    createdAt: 0,
    createdMs: 1_000,
    versionsMax: 10,
  });
  for (const signal of signals) resident.move(signal);
  return resident;
}
