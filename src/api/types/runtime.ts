// The runtime as users hold it. The same interface is for a local runtime and, later, for a remote one.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { CompileCacheStatistics } from "../../code/compiler/compile-cache.ts";
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import type { JailReport } from "../../jail/layers.ts";
import type { Individual } from "../../model/sandboxes/individual.ts";
import type { Limits } from "../../model/limits.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { CapabilityGrants } from "../options/capability-options.ts";
import type { SandboxInfo } from "../../model/sandboxes/sandbox-info.ts";
import type { Status } from "../../model/sandboxes/status.ts";
import type { Events } from "../../observability/bus.ts";
import type { JournalEntry } from "../../observability/journalled.ts";
import type { Counters } from "../../observability/metrics.ts";
import type { SweepReport } from "../../orchestration/sandboxes/collection/collector.ts";
import type { ListFilter } from "../../orchestration/sandboxes/registry.ts";
import type { RetentionPolicy } from "../../orchestration/sandboxes/collection/retention.ts";
import type { AuditEntry, AuditFilter, AuditStatistics } from "../../security/audit.ts";
import type { Recovered } from "../../observability/catalogue.ts";
import type { CompactReport } from "../../store/folder/compaction.ts";
import type { BackupReport } from "../../store/folder/maintenance/backup.ts";
import type { Documents, StoreStatus } from "../../store/store.ts";
import type { Batches } from "./batch.ts";
import type { CancelOptions } from "./cancel.ts";
import type { CallOptions, Sandbox } from "./sandbox.ts";
import type { Session, SessionSpec } from "./session.ts";
import type { DeterministicSpec, ForkOptions, ImportOptions, PlacementSpec, SandboxSpec } from "./spec.ts";

export interface OnceOptions extends CallOptions {
  /** Limits of the sandbox, each by name. Default: those of its profile and of the runtime. */
  readonly limits?: Partial<Limits>;
  /** The name of its security profile. Default: that of the runtime. */
  readonly profile?: string;
  /** Which sandboxes may share its cell or its isolate. */
  readonly placement?: PlacementSpec;
  /** Randomness and time come from here, so that the same source gives the same outcome. */
  readonly deterministic?: DeterministicSpec;
  /** What it may ask of the host, of what the runtime has registered. Default: nothing. */
  readonly capabilities?: CapabilityGrants;
  /** Called with each console line as it comes. */
  readonly onOutput?: (line: LogLine) => void;
}

/** What `once` gives: an outcome, with all console lines that were kept. */
export type OnceOutcome<T> = Outcome<T> & { readonly output: readonly LogLine[] };

/** A compilation whose caller gives up goes on, and the next one of the same source finds its result. */
export interface CompileOptions extends CancelOptions {
  /** Names the module in diagnostics; an extension gives the language. Default: `module`. */
  readonly name?: string;
  /** How long it may take and be. Default: the limits of the runtime. */
  readonly limits?: Pick<Partial<Limits>, "compileMs" | "sourceBytes"> | undefined;
}

export interface CheckOptions extends CompileOptions {
  /** The security profile whose gate is asked. Default: that of the runtime. */
  readonly profile?: string;
}

/** The modules of a folder, ready to be given to `create`. */
export interface CompiledDirectory {
  /** The name of the module that the folder is entered by. */
  readonly entry: string;
  readonly modules: Readonly<Record<string, Artifact>>;
}

export interface Compile {
  /** Compiles one module; rejects with `PARSE_FAILED` or `COMPILE_FAILED`. */
  source(source: string, options?: CompileOptions): Promise<Artifact>;
  /** Compiles one file. Its imports are not followed. */
  file(path: string, options?: Omit<CompileOptions, "name">): Promise<Artifact>;
  /** Compiles a file or folder with everything it imports. */
  directory(path: string, options?: Omit<CompileOptions, "name">): Promise<CompiledDirectory>;
  /**
   * Checks the types of modules that may import each other; needs TypeScript 7 installed beside vivarium. Given up, it goes on
   * without its caller.
   */
  types(modules: Readonly<Record<string, string>>, options?: CancelOptions): Promise<readonly Diagnostic[]>;
  /** What the compiler and the gate of a profile have to say of a source; nothing when it is fine. */
  check(source: string, options?: CheckOptions): Promise<readonly Diagnostic[]>;
}

export interface CellReport {
  readonly number: number;
  readonly pid: number;
  readonly node: string;
  readonly rssBytes: number;
  readonly sandboxes: number;
  readonly inFlight: number;
  readonly reserved: boolean;
  /** The tenant or the one sandbox that it belongs to; null where there is none. */
  readonly owner: string | null;
  readonly blocked: boolean;
}

export interface RuntimeMetrics extends Counters {
  readonly sandboxes: Readonly<Partial<Record<Status, number>>>;
  readonly tombstones: number;
  readonly runsUnderway: number;
  readonly cells: readonly CellReport[];
  readonly compile: CompileCacheStatistics & { readonly restarts: number };
  readonly audit: AuditStatistics;
  readonly subscriberFailures: number;
}

/** The audit log. */
export interface AuditLog {
  /** The entries that are wanted, oldest first. They outlive the sandboxes that they are about. */
  query(filter?: AuditFilter): Promise<readonly AuditEntry[]>;
}

/** Which events of the journal are wanted. */
export interface JournalFilter {
  /** Those after the event of this number. Default: 0, from the oldest one on. */
  readonly after?: number;
  /** At most so many, the oldest. Default: 1,000. */
  readonly limit?: number;
}

/** The journal of a runtime that was given a store: what became of its sandboxes, cells, versions and scores. */
export interface EventJournal {
  /**
   * Events in their order, also those before a restart. Numbers have no gaps, but for what was dropped at the beginning or
   * while the store failed for long. Without a store there are none. Given up, nothing has changed.
   */
  entries(filter?: JournalFilter, options?: CancelOptions): Promise<readonly JournalEntry[]>;
}

export interface Health {
  /**
   * `starting`: the first cells come up, and sandboxes run already. `degraded`: fewer cells than there were, or the store
   * cannot be written. `down`: no cells.
   */
  readonly status: "starting" | "ok" | "degraded" | "down" | "closed";
  readonly cells: { readonly ready: number; readonly wanted: number; readonly starting: boolean };
  /** Why no cell is started at present. */
  readonly unavailable: string | null;
  /** Whether the store can be written, and what was found in it at the start; null until all of that is loaded. */
  readonly store: StoreStatus & { readonly recovered: Recovered | null };
  /** The layers around the cells, and which are missing and why. */
  readonly jail: JailReport;
  /** The security profile of sandboxes that name none, and all that there are. */
  readonly profiles: { readonly usual: string; readonly names: readonly string[] };
}

/** The data folder of a runtime. */
export interface RuntimeData {
  /** Absolute. */
  readonly path: string;
  /**
   * Copies all that is committed to a new folder, which must not exist or be empty; the runtime goes on meanwhile. Given up, the
   * copy goes on without its caller.
   */
  backup(to: string, options?: CancelOptions): Promise<BackupReport>;
  /** Drops what nothing refers to and gives its room back to the disk, a little at a time. Given up, it goes on. */
  compact(options?: CancelOptions): Promise<CompactReport>;
}

/** Rows of the caller's own in the store of a runtime. */
export interface RuntimeDocuments extends Documents {
  /** Up to 10,000 rows of a collection in the order of their keys, from the first one after `after` on. */
  read(
    collection: string,
    after?: string,
    options?: CancelOptions,
  ): Promise<readonly (readonly [key: string, value: unknown])[]>;
  /** Writes rows, all or none; undefined removes one. Resolves when they are persisted. Given up, they may be written or not. */
  write(collection: string, rows: ReadonlyMap<string, unknown>, options?: CancelOptions): Promise<void>;
}

export interface Runtime extends AsyncDisposable {
  /** Creates a sandbox; without an id one is made up. */
  create(spec: SandboxSpec): Promise<Sandbox>;
  create(id: string, spec: SandboxSpec): Promise<Sandbox>;
  /**
   * A child with the parent's modules, those that differ, and its ancestry recorded. Of several parents the first, which must be
   * there, gives it its modules, limits and states, and all are in its ancestry.
   */
  fork(parentId: string | readonly string[], options?: ForkOptions): Promise<Sandbox>;
  /**
   * Creates a sandbox for one source, runs it, and destroys the sandbox. A source that exports nothing is a script: its value
   * is that of its last expression. Of a module the default export is called, where it has one.
   */
  once<T = unknown>(source: string | Artifact, options?: OnceOptions): Promise<OnceOutcome<T>>;
  /** A sandbox for scripts that follow each other: what one declares at its top level, the next one sees. */
  session(spec?: SessionSpec): Promise<Session>;
  /**
   * The inverse of `sandbox.export()`, under the same id or another. What was tampered with is refused. Features do not
   * travel, and limits are lowered to those of this runtime, unless `limits` sets them.
   */
  import(individual: Individual, options?: ImportOptions): Promise<Sandbox>;
  get(id: string): Promise<Sandbox>;
  has(id: string): Promise<boolean>;
  /** All that is known of a sandbox, or of the latest one of this id that is gone. */
  info(id: string): Promise<SandboxInfo>;
  list(filter?: ListFilter): Promise<readonly SandboxInfo[]>;
  logs(id: string): Promise<readonly LogLine[]>;
  /** As `sandbox.restart`. */
  restart(id: string, options?: CancelOptions): Promise<void>;
  /** As `sandbox.destroy`. */
  destroy(id: string, options?: CancelOptions): Promise<void>;
  readonly batch: Batches;
  readonly compile: Compile;
  readonly events: Events;
  readonly audit: AuditLog;
  readonly journal: EventJournal;
  /** Rows of your own in the runtime's store, such as the progress of an evolution: they are there after a restart. */
  readonly documents: RuntimeDocuments;
  /** Null for a runtime without a data folder. */
  readonly data: RuntimeData | null;
  metrics(): Promise<RuntimeMetrics>;
  health(): Promise<Health>;
  /** Sweeps now. Given up, the sweep goes on. */
  collect(options?: CancelOptions): Promise<SweepReport>;
  /**
   * Asks `policy` at each sweep which running sandboxes may be destroyed; those are, unless they run something just then.
   * At most 16 policies; one that fails lets none go. Returns a function that removes it.
   */
  retention(policy: RetentionPolicy): () => void;
  /**
   * Ends everything. Nothing is left running, and no promise stays pending. A program that has nothing left to do, and waits for
   * nothing of this runtime, ends without it: the runtime is closed then. Given up, it goes on, and keeps the program alive
   * until it is done.
   */
  close(options?: CancelOptions): Promise<void>;
}
