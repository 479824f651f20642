// A sandbox on its way into the store and out of it.
import { VivariumError } from "../../model/errors.ts";
import { writeVersions } from "../../code/individual.ts";
import { individualFormat, type IndividualBody } from "../../model/individual.ts";
import type { StateCapture } from "../../model/process.ts";
import type { Store, StoredSandbox } from "../../store/store.ts";
import type { Resident } from "./resident.ts";

/** Keeps one sandbox in a store; rejects with `STORE_FAILED`. Without a store nothing is kept, and nothing fails. */
export class Persistence {
  readonly #resident: Resident;
  readonly #store: Store | undefined;

  /** The store has it, in some form. */
  #isKept: boolean;

  constructor(resident: Resident, store: Store | undefined) {
    this.#resident = resident;
    this.#store = store;
    this.#isKept = resident.isRestored;
  }

  get isKept(): boolean {
    return this.#isKept || this.#store === undefined;
  }

  /** Keeps the sandbox as it is now. */
  async save(): Promise<void> {
    await this.#tried("keep", (store) => store.save(toStored(this.#resident)));
    this.#isKept = true;
  }

  /** Keeps the states of its processes as they were last written down. */
  saveState(): Promise<void> {
    const { id, checkpoint } = this.#resident;
    return this.#tried("keep the states of", (store) =>
      store.saveState === undefined
        ? store.save(toStored(this.#resident))
        : store.saveState(id, checkpoint.toCapture()),
    );
  }

  remove(): Promise<void> {
    return this.#tried("forget", (store) => store.remove(this.#resident.id));
  }

  async #tried(what: string, act: (store: Store) => Promise<void>): Promise<void> {
    if (this.#store === undefined) return;
    try {
      await act(this.#store);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `Cannot ${what} sandbox "${this.#resident.id}" as the store failed: ${why}`;
      throw new VivariumError("STORE_FAILED", message, cause);
    }
  }
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
