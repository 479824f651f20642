// Where sandboxes are persisted. What is acknowledged to a caller was saved before.
import type { IndividualBody } from "../model/sandboxes/individual.ts";
import type { StateCapture } from "../model/sandboxes/process.ts";
import type { CapabilityQuota } from "../model/sandboxes/sandbox-info.ts";

/** One stored sandbox: enough to restore it at its current revision, with all its versions. */
export interface StoredSandbox extends IndividualBody {
  /** Its granted capabilities, with quotas. They are stored, but not exported with an individual. */
  readonly capabilities?: Readonly<Record<string, CapabilityQuota>>;
}

/** Persists sandboxes. Every method may reject; the runtime then rejects with `STORE_FAILED`. */
export interface Store {
  /** All stored sandboxes, in the order of creation. Called once, before anything else. */
  open(): Promise<readonly StoredSandbox[]>;
  /** Saves a sandbox, new or changed. Resolves when it is persisted. */
  save(sandbox: StoredSandbox): Promise<void>;
  /**
   * Saves only the states of the processes of a stored sandbox; does nothing for one that is not stored. A store without it
   * gets the whole sandbox instead, at every message of one with `checkpoint: "message"`.
   */
  saveState?(id: string, state: StateCapture): Promise<void>;
  /** Removes a sandbox; does nothing for one that is not stored. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}
