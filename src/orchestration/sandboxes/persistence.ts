// Sandboxes on their way into the store and out of it.
import { VivariumError } from "../../model/errors.ts";
import { writeVersions } from "../../code/individual.ts";
import { individualFormat, type IndividualBody } from "../../model/individual.ts";
import type { StateCapture } from "../../model/process.ts";
import type { Store, StoredSandbox } from "../../store/store.ts";
import type { Resident } from "./resident.ts";

/** Keeps a sandbox as it is now; rejects with `STORE_FAILED`. */
export function keep(store: Store, resident: Resident): Promise<void> {
  return stored(`keep sandbox "${resident.id}"`, () => store.save(toStored(resident)));
}

/** Forgets a sandbox; rejects with `STORE_FAILED`. */
export function forget(store: Store, resident: Resident): Promise<void> {
  return stored(`forget sandbox "${resident.id}"`, () => store.remove(resident.id));
}

function toStored(resident: Resident): StoredSandbox {
  const grants = resident.grants.renewed();
  const body = toBody(resident);
  return grants.size === 0 ? body : { ...body, capabilities: Object.fromEntries(grants) };
}

/** A sandbox as plain data, with the states of its processes as they were last written down, or as they are given. */
export function toBody(resident: Resident, state: StateCapture | null = lastState(resident)): IndividualBody {
  const { id, createdAt, limits, profile, placement, ancestry, labels, character, versions } = resident;
  const { processes, restartRule } = resident;
  const { deterministic } = character;
  const origin = {
    format: individualFormat,
    id,
    createdAt,
    limits,
    profile: profile.name,
    placement,
    ancestry,
    labels,
    deterministic,
  } as const;
  return {
    ...origin,
    ...writeVersions(versions),
    ...(processes === null ? {} : { processes, state }),
    ...(restartRule === null ? {} : { restart: restartRule }),
  };
}

function lastState({ checkpoint }: Resident): StateCapture | null {
  return checkpoint.isThere ? checkpoint.toCapture() : null;
}

async function stored(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new VivariumError("STORE_FAILED", `Cannot ${what} as the store failed: ${why}`, cause);
  }
}
