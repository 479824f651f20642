// Sandboxes on their way into the store and out of it.
import { VivariumError } from "../model/errors.ts";
import { writeVersions } from "../code/individual.ts";
import { individualFormat, type IndividualBody } from "../model/individual.ts";
import type { Store } from "../store/store.ts";
import type { Resident } from "./resident.ts";

/** Keeps a sandbox as it is now; rejects with `STORE_FAILED`. */
export function keep(store: Store, resident: Resident): Promise<void> {
  return stored(`keep sandbox "${resident.id}"`, () => store.save(toBody(resident)));
}

/** Forgets a sandbox; rejects with `STORE_FAILED`. */
export function forget(store: Store, resident: Resident): Promise<void> {
  return stored(`forget sandbox "${resident.id}"`, () => store.remove(resident.id));
}

/** A sandbox as plain data. */
export function toBody(resident: Resident): IndividualBody {
  const { id, createdAt, limits, profile, placement, ancestry, labels, character, versions } = resident;
  const { deterministic } = character;
  const written = writeVersions(versions);
  const security = { profile: profile.name, placement };
  const origin = { ancestry, labels, deterministic };
  return { format: individualFormat, id, createdAt, limits, ...security, ...origin, ...written };
}

async function stored(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new VivariumError("STORE_FAILED", `Cannot ${what} as the store failed: ${why}`, cause);
  }
}
