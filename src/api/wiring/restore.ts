// At the start, what the store says is brought back to life.
import { asVivariumError, VivariumError } from "../../model/errors.ts";
import { seedAncestry } from "../../model/sandboxes/ancestry.ts";
import { parseSandboxId } from "../../model/ids.ts";
import type { IndividualBody } from "../../model/sandboxes/individual.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import type { Limits } from "../../model/limits.ts";
import { anywhere } from "../../model/sandboxes/placement.ts";
import { historyOf } from "../../orchestration/code/build.ts";
import type { Sandboxes } from "../../orchestration/sandboxes/sandboxes.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { Profile } from "../../security/profile.ts";
import { limitsUnder } from "../../security/profiles.ts";
import type { StoredSandbox } from "../../store/store.ts";
import { readGrants } from "../options/capability-options.ts";
import type { Config } from "../options/config.ts";
import type { Records } from "./records.ts";
import { checkMetering, readPlacement } from "../options/security-options.ts";

const atOnce = 32;

/**
 * Brings every stored sandbox back. One that cannot live any more (its code does not load, its profile or a capability is
 * unknown now, no cell can be had) comes back as failed, with the reason, and stays in the store. `whenOpen` is called when
 * the store is open, before anything else.
 */
export async function restoreAll(
  config: Config,
  sandboxes: Sandboxes,
  whenOpen: () => Promise<void>,
): Promise<void> {
  const stored = [...(await open(config))];
  await whenOpen();
  const worker = async (): Promise<void> => {
    for (let next = stored.shift(); next !== undefined; next = stored.shift())
      await restore(next, config, sandboxes);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function open({ store }: Config): Promise<readonly StoredSandbox[]> {
  return orStoreFailed("open", () => store.open());
}

/** At the end, what is left is written and the store is closed; rejects with `STORE_FAILED`. */
export async function closeStore({ store }: Config, records: Pick<Records, "close">): Promise<void> {
  try {
    await records.close();
  } finally {
    await orStoreFailed("close", () => store.close());
  }
}

async function orStoreFailed<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new VivariumError("STORE_FAILED", `Cannot ${what} the store: ${why}`, cause);
  }
}

async function restore(stored: StoredSandbox, config: Config, sandboxes: Sandboxes): Promise<void> {
  let plan: SandboxPlan;
  try {
    const { profiles, ownLimits } = config;
    const profile = stored.profile === undefined ? profiles.usual : profiles.find(stored.profile);
    const capabilities = readGrants(stored.capabilities, [...config.capabilities.keys()], profile);
    const { createdAt } = stored;
    // The store is the runtime's own: what a caller raised there stays raised.
    const limits = resolveLimits(limitsUnder(profile, ownLimits), stored.limits);
    plan = { ...planOf(stored, { profile, limits }), capabilities, createdAt };
  } catch (error) {
    return sandboxes.restoreFailed(recordOf(stored, config), asVivariumError(error));
  }
  await sandboxes.restore(plan);
}

// What can be said of a sandbox for which there is no plan.
function recordOf(stored: StoredSandbox, { limits, profiles }: Config): SandboxPlan {
  const { usual } = profiles;
  const { createdAt, profile = usual.name } = stored;
  // What is kept may be damaged in any way.
  const { ancestry = seedAncestry, labels = {} } = stored as Partial<StoredSandbox>;
  return {
    id: parseSandboxId(stored.id),
    code: new Map(),
    limits,
    profile: { ...usual, name: profile },
    placement: anywhere,
    character: { deterministic: null },
    ancestry,
    labels,
    createdAt,
  };
}

/** The plan of a sandbox that was, under the same or another id. */
export function planOf(
  body: IndividualBody,
  { profile, limits }: { readonly profile: Profile; readonly limits: Limits },
  id: string = body.id,
): SandboxPlan {
  const { ancestry, labels, deterministic, placement = anywhere } = body;
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
