// Where sandboxes are persisted. What is acknowledged to a caller was saved before.
import type { LatestFitness } from "../model/fitness.ts";
import type { LogLine } from "../model/runs/log-line.ts";
import type { IndividualBody } from "../model/sandboxes/individual.ts";
import type { StateCapture } from "../model/sandboxes/process.ts";
import type { CapabilityQuota, LastError, SandboxInfo } from "../model/sandboxes/sandbox-info.ts";

/** What became of a sandbox, beside its code and its states. */
export interface StoredRecord {
  /** `creating`: it was not loaded yet, and nobody was told of it. Of one that is being reloaded or restarted: `running`. */
  readonly status: "creating" | "running" | "suspended" | "failed";
  /** Why it failed. */
  readonly reason: string | null;
  /** It failed by a fault that is not its own, and is not collected for it. */
  readonly blameless: boolean;
  readonly restarts: number;
  readonly lastError: LastError | null;
  readonly fitness: LatestFitness | null;
}

/** One stored sandbox: enough to restore it at its current revision, with all its versions. */
export interface StoredSandbox extends IndividualBody {
  /** Its granted capabilities, with quotas. They are stored, but not exported with an individual. */
  readonly capabilities?: Readonly<Record<string, CapabilityQuota>>;
  /** Missing in what an older version has stored: then it was running. */
  readonly record?: StoredRecord;
}

/** What is left of a destroyed sandbox: its last description and its last console lines. */
export interface Tombstone {
  readonly info: SandboxInfo;
  readonly logs: readonly LogLine[];
}

/** How a store is doing. */
export interface StoreStatus {
  /** `degraded`: the latest write failed. It is tried again, and what fails meanwhile rejects with `STORE_FAILED`. */
  readonly state: "ok" | "degraded";
  /** Why it is degraded. */
  readonly reason: string | null;
}

/** Data of any kind as rows: JSON values by collection and key. */
export interface Documents {
  /** Up to 10,000 rows of a collection in the order of their keys, from the first one after `after` on. */
  read(collection: string, after?: string): Promise<readonly (readonly [key: string, value: unknown])[]>;
  /** Writes rows, all or none; undefined removes one. Resolves when they are persisted. */
  write(collection: string, rows: ReadonlyMap<string, unknown>): Promise<void>;
}

/** Compiled modules, as text. A cache: what is missing or damaged is compiled again. */
export interface ArtifactTexts {
  read(key: string): Promise<string | undefined>;
  /** Resolves when it is persisted, or when that failed. */
  write(key: string, text: string): Promise<void>;
}

/**
 * Persists sandboxes. Every method may reject; the runtime then rejects with `STORE_FAILED`. What is optional may be missing
 * in a store of your own; what it would have kept is then lost with the process.
 */
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
  /**
   * Saves only the record of a stored sandbox; does nothing for one that is not stored. A store without it gets the whole
   * sandbox when it is suspended or resumed; fitness, failures and restarts it gets with the next save.
   */
  saveRecord?(id: string, record: StoredRecord): Promise<void>;
  /** Removes a sandbox and leaves a tombstone of its id; does nothing but that for one that is not stored. */
  remove(id: string, tombstone?: Tombstone): Promise<void>;
  /** The tombstones, the oldest first. Called once, after `open`. */
  tombstones?(): Promise<readonly Tombstone[]>;
  /** How it is doing; a store without it is always well. */
  readonly status?: StoreStatus;
  /** What could not be read as it was written, one sentence each. */
  readonly damaged?: readonly string[];
  /** Calls `listener` whenever the status changes. */
  watch?(listener: (status: StoreStatus) => void): void;
  readonly documents?: Documents;
  readonly artifacts?: ArtifactTexts;
  close(): Promise<void>;
}
