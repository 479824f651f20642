// At the start, what the store says is brought back to life.
import { asVivariumError } from "../../model/errors.ts";
import { seedAncestry } from "../../model/sandboxes/ancestry.ts";
import { parseSandboxId } from "../../model/ids.ts";
import type { IndividualBody } from "../../model/sandboxes/individual.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import type { Limits } from "../../model/limits.ts";
import { anywhere } from "../../model/sandboxes/placement.ts";
import { historyOf } from "../../orchestration/code/build.ts";
import type { OwedRemovals } from "../../orchestration/sandboxes/owed-removals.ts";
import type { Registry } from "../../orchestration/sandboxes/registry.ts";
import type { Loading, Sandboxes } from "../../orchestration/sandboxes/sandboxes.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { Profile } from "../../security/profile.ts";
import { limitsUnder } from "../../security/profiles.ts";
import type { StoredSandbox, Tombstone } from "../../store/store.ts";
import { readGrants } from "../options/capability-options.ts";
import type { Config } from "../options/config.ts";
import { needsLostSource, withoutLostSources } from "./lost-sources.ts";
import { orStoreFailed } from "./store-failed.ts";
import type { Records } from "./records.ts";
import { checkMetering, readPlacement } from "../options/security-options.ts";

/** How many sandboxes are built, or loaded, at a time. */
const atOnce = 32;

export interface RestoreParts {
  readonly config: Config;
  readonly sandboxes: Sandboxes;
  readonly registry: Registry;
}

/** What the store has. */
export interface Stored {
  readonly sandboxes: readonly StoredSandbox[];
  readonly tombstones: readonly Tombstone[];
  /** What could not be read of it, one sentence each. */
  readonly damaged: readonly string[];
}

export interface Restored {
  /** Resolves when all that start by themselves are loaded, or failed to. */
  readonly loaded: Promise<void>;
  /** What could not be restored at all, one sentence each. */
  readonly problems: readonly string[];
  /** The ids of those that had failed before. */
  readonly failedBefore: ReadonlySet<string>;
}

/** Opens the store, and reads what is in it; rejects with `STORE_FAILED`, or `STORE_LOCKED` where another has it. */
export async function openStore({ store }: Config, records: Pick<Records, "load">): Promise<Stored> {
  const opened = await orStoreFailed("open the store", () => store.open());
  // A store of a caller's own may have anything in it. Sandboxes are stored when they are loaded, which may be another order.
  const there = (opened as readonly (StoredSandbox | null)[]).filter((one) => one !== null);
  const sandboxes = there.toSorted((a, b) => (a.createdAt || 0) - (b.createdAt || 0));
  const tombstones = await orStoreFailed("open the store", async () => (await store.tombstones?.()) ?? []);
  await records.load();
  // Of a sandbox that is there as failed, its own reason says so.
  const reasons = new Set(sandboxes.map(({ record }) => record?.reason));
  const damaged = (store.damaged ?? []).filter((sentence) => !reasons.has(sentence));
  return { sandboxes, tombstones, damaged };
}

/**
 * Brings every stored sandbox back. One that cannot live any more (its code does not load, its profile or a capability is
 * unknown now, no cell can be had) comes back as failed, with the reason, and stays in the store.
 */
export async function restoreAll(
  { sandboxes, tombstones, damaged }: Stored,
  parts: RestoreParts,
): Promise<Restored> {
  for (const tombstone of tombstones) parts.registry.remember(tombstone);
  const problems = [...damaged];
  const loading: Loading[] = [];
  const waiting = sandboxes.values();
  const worker = async (): Promise<void> => {
    for (const next of waiting) {
      try {
        loading.push(await restore(next, parts));
      } catch (error) {
        // Not even its id can be read, or it is there twice.
        problems.push(`Cannot restore a sandbox of the store: ${asVivariumError(error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const failed = sandboxes.filter(({ record }) => record?.status === "failed" && !record.blameless);
  return {
    loaded: Promise.all(loading.map(({ loaded }) => loaded)).then(() => {}),
    problems,
    failedBefore: new Set(failed.map(({ id }) => id)),
  };
}

/** At the end, what is left is written and the store is closed; rejects with `STORE_FAILED`. */
export async function closeStore(
  { store }: Config,
  { records, removals }: { readonly records: Pick<Records, "close">; readonly removals: OwedRemovals },
): Promise<void> {
  try {
    await Promise.all([records.close(), removals.retryAll()]);
  } finally {
    await orStoreFailed("close the store", () => store.close());
  }
}

async function restore(stored: StoredSandbox, { config, sandboxes }: RestoreParts): Promise<Loading> {
  let plan: SandboxPlan;
  try {
    const { createdAt, record } = stored;
    const isCodeless = stored.revisions.length === 0 || needsLostSource(stored);
    if (record?.status === "failed" && isCodeless) return await sandboxes.restore(recordOf(stored, config));
    const { profiles, ownLimits } = config;
    const profile = stored.profile === undefined ? profiles.usual : profiles.find(stored.profile);
    const capabilities = readGrants(stored.capabilities, [...config.capabilities.keys()], profile);
    // The store is the runtime's own: what a caller raised there stays raised.
    const limits = resolveLimits(limitsUnder(profile, ownLimits), stored.limits);
    plan = { ...planOf(withoutLostSources(stored), { profile, limits }), capabilities, createdAt, record };
  } catch (error) {
    return sandboxes.restoreFailed(recordOf(stored, config), asVivariumError(error).message);
  }
  return sandboxes.restore(plan);
}

// What can be said of a sandbox for which there is no plan.
function recordOf(stored: StoredSandbox, { limits, profiles }: Config): SandboxPlan {
  const { usual } = profiles;
  const { createdAt, profile = usual.name, record } = stored;
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
    record,
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
