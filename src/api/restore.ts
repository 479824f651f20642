// At the start, what the store says is brought back to life.
import { LoadError, VivariumError } from "../model/errors.ts";
import { parseSandboxId } from "../model/ids.ts";
import type { IndividualBody } from "../model/individual.ts";
import { resolveLimits, type Limits } from "../model/limits.ts";
import { anywhere } from "../model/placement.ts";
import { historyOf } from "../orchestration/code/building.ts";
import type { Lifecycle } from "../orchestration/sandboxes/lifecycle.ts";
import type { SandboxPlan } from "../orchestration/sandboxes/sandbox-plan.ts";
import type { Profile } from "../security/profile.ts";
import { limitsUnder } from "../security/profiles.ts";
import type { StoredSandbox } from "../store/store.ts";
import { readGrants } from "./capability-options.ts";
import type { Config } from "./config.ts";
import { checkMetering, readPlacement } from "./security-options.ts";

const atOnce = 32;

/** Creates every stored sandbox again. One whose code no longer loads stays as a failed record, as it would at creation. */
export async function restoreAll(config: Config, lifecycle: Lifecycle): Promise<void> {
  const stored = [...(await open(config))];
  const worker = async (): Promise<void> => {
    for (let next = stored.shift(); next !== undefined; next = stored.shift())
      await restore(next, config, lifecycle);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function open(config: Config): Promise<readonly StoredSandbox[]> {
  try {
    return await config.store.open();
  } catch (cause) {
    throw new VivariumError(
      "STORE_FAILED",
      `Cannot open the store: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
}

async function restore(stored: StoredSandbox, config: Config, lifecycle: Lifecycle): Promise<void> {
  try {
    const { profiles, ownLimits } = config;
    const profile = stored.profile === undefined ? profiles.usual : profiles.find(stored.profile);
    const capabilities = readGrants(stored.capabilities, [...config.capabilities.keys()], profile);
    await lifecycle.create({ ...planOf(stored, { profile, ownLimits }), capabilities });
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
  }
}

/** The plan of a sandbox that was, under the same or another id. */
export function planOf(
  body: IndividualBody,
  { profile, ownLimits }: { readonly profile: Profile; readonly ownLimits: Partial<Limits> },
  id: string = body.id,
): SandboxPlan {
  const { ancestry, labels, deterministic, placement = anywhere } = body;
  const limits = resolveLimits(limitsUnder(profile, ownLimits), body.limits);
  checkMetering(profile, limits);
  return {
    id: parseSandboxId(id),
    code: historyOf(body),
    limits,
    profile,
    placement: readPlacement(placement, profile),
    character: { deterministic },
    ancestry,
    labels,
    processes: body.processes,
    capture: body.state,
    restart: body.restart,
  };
}
