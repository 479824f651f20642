// Stores a sandbox and removes it from the store.
import { VivariumError } from "../../model/errors.ts";
import { writeVersions } from "../../code/individuals/individual.ts";
import { individualFormat, type IndividualBody } from "../../model/sandboxes/individual.ts";
import type { StateCapture } from "../../model/sandboxes/process.ts";
import type { Store, StoredRecord, StoredSandbox, Tombstone } from "../../store/store.ts";
import type { StoredArtifacts } from "../code/stored-artifacts.ts";
import type { OwedRemovals } from "./owed-removals.ts";
import type { SandboxRecord } from "./sandbox-record.ts";

export interface PersistenceParts {
  readonly store: Store;
  /** The compiled modules that are stored, where the store has them. */
  readonly artifacts?: StoredArtifacts | undefined;
  readonly removals: OwedRemovals;
}

/** What the store of a restored sandbox has. */
export interface AlreadyStored {
  readonly isTemporary?: boolean | undefined;
  readonly record?: StoredRecord | undefined;
  readonly states?: StateCapture | null | undefined;
}

/** One sandbox in a store; rejects with `STORE_FAILED`. Without a store nothing is stored, and nothing fails. */
export class Persistence {
  readonly #sandbox: SandboxRecord;
  readonly #store: Store | undefined;
  readonly #artifacts: StoredArtifacts | undefined;
  readonly #removals: OwedRemovals | undefined;

  /** The store has it, in some form. */
  #isStored: boolean;
  /** The states of its processes as the store has them. */
  #states: StateCapture | null;
  /** It is removed, or its runtime was closed: nothing more is stored of it. */
  #isOver = false;
  /** Nothing of it is stored as long as it is not kept. */
  #isTemporary: boolean;
  /** The status that it is about to have: what is stored meanwhile must not take it back. */
  #next: "running" | "suspended" | undefined;
  /** What was stored of it before it failed, maybe by an earlier runtime. */
  #former: StoredRecord | undefined;
  /** It could not be brought back this time: the next start is to find it as it was. */
  isUnrestored = false;

  constructor(sandbox: SandboxRecord, parts: PersistenceParts | undefined, stored: AlreadyStored = {}) {
    this.#sandbox = sandbox;
    this.#former = stored.record;
    this.#states = stored.states ?? null;
    this.#store = parts?.store;
    this.#artifacts = parts?.artifacts;
    this.#removals = parts?.removals;
    this.#isStored = sandbox.isRestored;
    this.#isTemporary = stored.isTemporary === true;
  }

  get isStored(): boolean {
    return this.#isStored || this.#store === undefined;
  }

  /** The states of its processes that are stored, as they are sent to a cell; empty where there are none. */
  get storedStates(): string {
    return this.#states === null ? "" : JSON.stringify(this.#states);
  }

  /** Stores the sandbox as it is now, or with another status. */
  async save(status?: StoredRecord["status"]): Promise<void> {
    if (this.#store === undefined) return;
    if (this.#isTemporary) return this.#remember();
    this.#artifacts?.note(this.#sandbox.modules);
    const stored = this.#toStored(status);
    await this.#tried("store", (store) => store.save(stored));
    this.#isStored = true;
    this.#states = stored.state ?? null;
  }

  /** A temporary one is stored from now on, in the place of an earlier one of the same id. */
  async keep(): Promise<void> {
    this.#isTemporary = false;
    this.#removals?.forget(this.#sandbox.id);
    await this.save();
  }

  /** Stores the states of its processes as they were last captured. */
  async saveState(): Promise<void> {
    if (this.#isTemporary) return this.#remember();
    const { id, checkpoint } = this.#sandbox;
    const states = checkpoint.toCapture();
    await this.#tried("store the states of", (store) =>
      store.saveState === undefined ? store.save(this.#toStored()) : store.saveState(id, states),
    );
    this.#states = states;
  }

  /** Stores what became of it. A store that has no records of their own gets it with the next save. */
  async saveRecord(): Promise<void> {
    // Its id may belong to another one by now, or the store be closed.
    if (!this.#isStored || this.#isOver) return;
    await this.#tried("store the record of", async (store) =>
      store.saveRecord?.(this.#sandbox.id, this.#toRecord()),
    );
  }

  /** Stores the status that it is about to have; `moved` must follow when it has it, or will not. */
  saveMove(status: "running" | "suspended"): Promise<void> {
    this.#next = status;
    return this.#store?.saveRecord === undefined ? this.save() : this.saveRecord();
  }

  moved(): void {
    this.#next = undefined;
  }

  /** As `saveRecord`, where nobody waits: a store that fails tells so itself. */
  noteRecord(): void {
    this.saveRecord().catch(() => {});
  }

  /** Stores it as it is; where that fails, the store tells so itself. */
  async saveUnlessOver(): Promise<void> {
    if (!this.#isOver) await this.save().catch(() => {});
  }

  /** What becomes of it from now on is not stored. */
  close(): void {
    this.#isOver = true;
  }

  async remove(tombstone: Tombstone): Promise<void> {
    this.#isOver = true;
    if (this.#isTemporary) return;
    await this.#tried("remove", async () => this.#removals?.remove(this.#sandbox.id, tombstone));
  }

  // What a store would have of it, were it kept.
  #remember(): void {
    if (this.#sandbox.processes !== null) this.#states = lastState(this.#sandbox);
  }

  async #tried(what: string, act: (store: Store) => Promise<void>): Promise<void> {
    if (this.#store === undefined) return;
    try {
      await act(this.#store);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `Cannot ${what} sandbox "${this.#sandbox.id}" as the store failed: ${why}`;
      throw new VivariumError("STORE_FAILED", message, cause);
    }
  }

  #toStored(status?: StoredRecord["status"]): StoredSandbox {
    const grants = this.#sandbox.grants.renewed();
    const body = { ...toBody(this.#sandbox), record: this.#toRecord(status) };
    return grants.size === 0 ? body : { ...body, capabilities: Object.fromEntries(grants) };
  }

  #toRecord(next: StoredRecord["status"] | undefined = this.#next): StoredRecord {
    const { status, reason, failed, restarts, lastError, fitness } = this.#sandbox;
    if (status !== "failed") {
      const going = next ?? (status === "suspended" ? status : "running");
      this.#former = { status: going, reason: null, blameless: false, restarts, lastError, fitness };
      return this.#former;
    }
    if (this.isUnrestored) return { ...(this.#former ?? living), restarts, fitness };
    return { status, reason, blameless: failed?.isBlameless === true, restarts, lastError, fitness };
  }
}

const living = { status: "running", reason: null, blameless: false, lastError: null } as const;

/** A sandbox as plain data, with the states of its processes as they were last captured, or as they are given. */
export function toBody(
  sandbox: SandboxRecord,
  state: StateCapture | null = lastState(sandbox),
): IndividualBody {
  const { id, createdAt, limits, profile, placement, ancestry, labels, character, versions } = sandbox;
  const { processes, restartRule } = sandbox;
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
    ...(restartRule === null ? {} : { restart: { ...restartRule, on: [...restartRule.on] } }),
  };
}

function lastState({ checkpoint }: SandboxRecord): StateCapture | null {
  return checkpoint.isThere ? checkpoint.toCapture() : null;
}
