// Where sandboxes are kept beyond the life of a process. What was acknowledged to a caller was kept before.
import type { IndividualBody } from "../model/individual.ts";
import type { StateCapture } from "../model/process.ts";
import type { CapabilityQuota } from "../model/sandbox-info.ts";

/** One sandbox as it is kept: enough to bring it back at its current revision, with all its versions. */
export interface StoredSandbox extends IndividualBody {
  /** What it was granted, with quotas. It does not travel with an individual, but comes back with the store. */
  readonly capabilities?: Readonly<Record<string, CapabilityQuota>>;
}

/** A keeper of sandboxes. Every method may reject; the runtime then says `STORE_FAILED` to whoever asked. */
export interface Store {
  /** Everything that is kept, in the order of creation. Called once, before anything else. */
  open(): Promise<readonly StoredSandbox[]>;
  /** Keeps a sandbox, new or changed. Resolves when it is safe. */
  save(sandbox: StoredSandbox): Promise<void>;
  /**
   * Keeps only the states of the processes of a sandbox that is kept already; for one that is not, nothing. A store without
   * it is given the whole sandbox instead, at every message of one with `checkpoint: "message"`.
   */
  saveState?(id: string, state: StateCapture): Promise<void>;
  /** Forgets a sandbox; one that is not kept is no mistake. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}
