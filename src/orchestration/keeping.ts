// Sandboxes on their way into the store and out of it.
import { VivariumError } from "../model/errors.ts";
import type { Store, StoredSandbox } from "../store/store.ts";
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
  const { id, createdAt, limits, ancestry, labels, modules, character } = resident;
  const { revision } = resident.versions.head;
  const sources = Object.fromEntries([...modules].map(([name, { source }]) => [name, source]));
  return {
    id,
    createdAt,
    revision,
    sources,
    limits,
    deterministic: character.deterministic,
    ancestry,
    labels,
  };
}

async function stored(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new VivariumError("STORE_FAILED", `Cannot ${what} as the store failed: ${why}`, cause);
  }
}
