// The state of one sandbox. It is private to its owner, managed-sandbox.ts, which passes it only to its own steps: the files of
// this folder, and the reload.
import type { FaultRecord } from "../cells/fault-record.ts";
import type { Assignment } from "../cells/assignment.ts";
import type { Assigner } from "../cells/assigner.ts";
import type { PlacedCode } from "../cells/killer-code.ts";
import type { LoadPaces } from "../cells/load-paces.ts";
import type { SandboxCellEvents, SandboxInCell } from "../cells/sandbox-in-cell.ts";
import type { BuildParts } from "../code/build.ts";
import type { StoredArtifacts } from "../code/stored-artifacts.ts";
import type { Limits } from "../../model/limits.ts";
import type { Bus } from "../../observability/bus.ts";
import type { Checkpoint } from "../processes/checkpoint.ts";
import type { RunTable } from "../runs/run-table.ts";
import type { SandboxRuns } from "../runs/sandbox-runs.ts";
import type { Clock } from "../../std/clock.ts";
import type { Store, Tombstone } from "../../store/store.ts";
import type { Account } from "./account.ts";
import type { CodeState } from "./code-state.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { LimitSets } from "./limit-sets.ts";
import type { OwedRemovals } from "./owed-removals.ts";
import type { Operations } from "./operations/operations.ts";
import type { Persistence } from "./persistence.ts";
import type { SandboxRecord } from "./sandbox-record.ts";

/** What all sandboxes of a runtime share. */
export interface SharedParts extends BuildParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly registry: { archive(sandbox: SandboxRecord, tombstone: Tombstone): void };
  readonly store: Store;
  /** The store ends with this runtime: sandboxes need not be written to it. */
  readonly isStoreUnread?: boolean;
  /** The compiled modules in the store, where it has them. */
  readonly artifacts: StoredArtifacts | undefined;
  readonly removals: OwedRemovals;
  readonly assigner: Assigner;
  readonly table: RunTable;
  /** Whether this code has brought down a cell of the same tenant. */
  readonly isKiller: (code: PlacedCode) => boolean;
  readonly loadPaces: LoadPaces;
  readonly limitSets: LimitSets;
  /** How many versions of each module are stored. */
  readonly versionsMax: number;
  /** The capabilities that serve the `fetch` of guests. */
  readonly fetchNames?: ReadonlySet<string>;
  /** How long a sandbox may wait for a cell. */
  readonly waitMs: number;
}

/** The sandbox itself, as its own steps see it. */
export interface OwnSandbox extends SandboxInCell, SandboxRecord {
  readonly place: SandboxInCell["place"];
  readonly cellEvents: OwnCellEvents;
  restart(): Promise<void>;
}

/** What its own steps may ask for as well. */
export interface OwnCellEvents extends SandboxCellEvents {
  /** The cell says that its isolate is gone: it is loaded again from the revision that is current now. */
  onIsolateLost(reason: string): void;
  /** Its isolate does not run what it should: it is loaded again from the revision that is current now. */
  replaceIsolate(reason: string): void;
}

export interface SandboxState {
  readonly sandbox: OwnSandbox;
  readonly shared: SharedParts;
  readonly life: Lifecycle;
  readonly code: CodeState;
  readonly account: Account;
  readonly faults: FaultRecord;
  readonly checkpoint: Checkpoint;
  readonly assignment: Assignment;
  readonly runs: SandboxRuns;
  readonly operations: Operations;
  readonly persistence: Persistence;
  /** Nothing is done with it at the moment: an idle sandbox gives up a cell that others wait for. */
  readonly onIdle: () => void;
  limits: Limits;
}
