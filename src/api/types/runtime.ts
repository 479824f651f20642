// The runtime as users hold it. The same interface stands for a local one and, later, for one far away.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { CompileCacheStatistics } from "../../code/compiler/compile-cache.ts";
import type { AncestryGiven } from "../../model/ancestry.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { VivariumError } from "../../model/errors.ts";
import type { JailReport } from "../../jail/layers.ts";
import type { Evaluation } from "../../model/fitness.ts";
import type { Individual } from "../../model/individual.ts";
import type { Limits } from "../../model/limits.ts";
import type { LogLine } from "../../model/log-line.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { CheckpointMode, RestartRule } from "../../model/process.ts";
import type { CapabilityGrants } from "../options/capability-options.ts";
import type { SandboxInfo } from "../../model/sandbox-info.ts";
import type { Status } from "../../model/status.ts";
import type { Events } from "../../observability/bus.ts";
import type { Counters } from "../../observability/metrics.ts";
import type { Batch } from "../../orchestration/evaluation/batch.ts";
import type { SweepReport } from "../../orchestration/sandboxes/collector.ts";
import type { ListFilter } from "../../orchestration/sandboxes/registry.ts";
import type { ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import type { RetentionPolicy } from "../../orchestration/sandboxes/retention.ts";
import type { EvaluateOptions, Fitness } from "./fitness.ts";
import type { AuditEntry, AuditFilter, AuditStatistics } from "../../security/audit.ts";
import type {
  CancelOptions,
  CallOptions,
  GuestModules,
  HotReloadOptions,
  ReloadModules,
  RunOptions,
  Sandbox,
} from "./sandbox.ts";

/** With whom a sandbox may share a cell. */
export interface PlacementGiven {
  /** Sandboxes of different tenants, and those of none, never share a cell. */
  readonly tenant?: string;
  /** A cell for this sandbox alone. */
  readonly exclusive?: boolean;
}

/** A sandbox to be. */
export interface SandboxSpec {
  /** Module names and their sources (TypeScript, JavaScript or JSX), or modules compiled before. */
  readonly modules?: Readonly<Record<string, string | Artifact>>;
  /** Instead of modules: a file, or a folder with an index, a main, or a package.json that names its entry. */
  readonly path?: string;
  /** Follow the files: what changes in them is reloaded. */
  readonly autoReload?: boolean;
  /** The module whose supervisor (its default export, or `supervisor`) is the root of a tree of processes. */
  readonly supervisor?: string;
  /** When the states of processes are written down by themselves: after every message, or regularly. */
  readonly checkpoint?: CheckpointMode;
  /**
   * Begins again by itself when it fails, from its last checkpoint: for which reasons (all but `load` unless it says
   * otherwise), and how often within the window (3 within a minute). After that it stays failed, as it does without this.
   */
  readonly restart?: Partial<RestartRule>;
  readonly limits?: Partial<Limits>;
  /** The name of its security profile. Default: that of the runtime. */
  readonly profile?: string;
  readonly placement?: PlacementGiven;
  /** Chance and time come from here: the same seed and the same calls give the same outcomes. */
  readonly deterministic?: { readonly seed: number; readonly now?: number };
  readonly ancestry?: AncestryGiven;
  readonly labels?: Readonly<Record<string, string>>;
  /** What it may ask of the host, of what the runtime has registered; by name, or with quotas. */
  readonly capabilities?: CapabilityGrants;
  readonly signal?: AbortSignal;
}

export interface ForkOptions {
  readonly id?: string;
  /** Modules that differ from the parent's. */
  readonly modules?: Readonly<Record<string, string | Artifact>>;
  readonly mutation?: unknown;
  /** The child's processes begin with the states that the parent's have now. */
  readonly state?: boolean;
  readonly signal?: AbortSignal;
}

export interface ImportOptions {
  readonly id?: string;
  /** The security profile. Default: the individual's own, which must be no laxer than the runtime's. */
  readonly profile?: string;
  /** With whom it may share a cell. It must be said for an individual that names a tenant. */
  readonly placement?: PlacementGiven;
  readonly capabilities?: CapabilityGrants;
  /** Ends the import; nothing of it is left then. */
  readonly signal?: AbortSignal;
}

export interface OnceOptions extends CallOptions {
  readonly limits?: Partial<Limits>;
  readonly profile?: string;
  readonly placement?: PlacementGiven;
  readonly deterministic?: { readonly seed: number; readonly now?: number };
  readonly capabilities?: CapabilityGrants;
  /** Called with each console line as it comes. */
  readonly onOutput?: (line: LogLine) => void;
}

/** What `once` gives: an outcome, with all console lines that were kept. */
export type OnceOutcome<T> = Outcome<T> & { readonly output: readonly LogLine[] };

export interface BatchLimits {
  /** How many items are worked on at a time. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** One deadline for the whole batch; what is not done by then is cancelled. Default: one hour. */
  readonly deadlineMs?: number;
}

interface ItemOf {
  readonly index: number;
  readonly id: string;
}

export type BatchOutcome<T> = ItemOf & Outcome<T>;
export type BatchEvaluation = ItemOf & Evaluation;
export type BatchResult<T> = ItemOf &
  ({ readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: VivariumError });

type ArgsOf<A extends readonly unknown[]> = A | ((id: string, index: number) => A);

export interface BatchCallOptions<A extends readonly unknown[] = readonly unknown[]>
  extends BatchLimits, Omit<RunOptions, "signal"> {
  /** The same for all, or made for each. */
  readonly args?: ArgsOf<A>;
}

export interface Batches {
  create(
    specs: readonly (SandboxSpec & { readonly id?: string })[],
    options?: BatchLimits,
  ): Batch<BatchResult<Sandbox>>;
  destroy(ids: readonly string[], options?: BatchLimits): Batch<BatchResult<void>>;
  /** Reloads each sandbox, with the same modules or those made for each. */
  hotReload(
    ids: readonly string[],
    modules: ReloadModules | ((id: string, index: number) => ReloadModules),
    options?: BatchLimits & HotReloadOptions,
  ): Batch<BatchResult<ReloadReport>>;
  call<T = unknown>(
    ids: readonly string[],
    target: `${string}.${string}`,
    options?: BatchCallOptions,
  ): Batch<BatchOutcome<T>>;
  run<R, A extends readonly unknown[] = [], M extends object = GuestModules>(
    ids: readonly string[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A>,
  ): Batch<BatchOutcome<Awaited<R>>>;
  /**
   * Measures the fitness of each sandbox. A failure of any kind is a result without a score, unless `onFailure` says
   * what the caller takes it for.
   */
  evaluate(ids: readonly string[], fitness: Fitness, options?: EvaluateOptions): Batch<BatchEvaluation>;
}

export interface CompileOptions {
  /** Names the module in diagnostics; an extension tells the language. Default: `module`. */
  readonly name?: string;
  readonly limits?: Pick<Partial<Limits>, "compileMs" | "sourceBytes"> | undefined;
  readonly signal?: AbortSignal;
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
  /** Checks the types of modules that may import each other; needs TypeScript 7 installed beside vivarium. */
  types(modules: Readonly<Record<string, string>>): Promise<readonly Diagnostic[]>;
  /** What the compiler and the gate of a profile have to say of a source; nothing when it is fine. */
  check(
    source: string,
    options?: CompileOptions & { readonly profile?: string },
  ): Promise<readonly Diagnostic[]>;
}

export interface CellReport {
  readonly number: number;
  readonly pid: number;
  readonly node: string;
  readonly rssBytes: number;
  readonly sandboxes: number;
  readonly inFlight: number;
  readonly isReserved: boolean;
  /** Whose it is: a tenant's, or one sandbox's; null where it is nobody's. */
  readonly owner: string | null;
  readonly isBlocked: boolean;
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
  /** The entries that are wanted, oldest first. They outlive the sandboxes that they speak of. */
  query(filter?: AuditFilter): Promise<readonly AuditEntry[]>;
}

export interface Health {
  /** `degraded`: fewer cells than wanted. `down`: none. */
  readonly status: "ok" | "degraded" | "down" | "closed";
  readonly cells: { readonly ready: number; readonly wanted: number; readonly starting: boolean };
  /** Why no cell is started at present. */
  readonly unavailable: string | null;
  /** What stands around the cells, and what does not and why. */
  readonly jail: JailReport;
  /** The security profile of sandboxes that name none, and all that there are. */
  readonly profiles: { readonly usual: string; readonly names: readonly string[] };
}

export interface Runtime extends AsyncDisposable {
  /** Creates a sandbox; without an id one is made up. */
  create(spec: SandboxSpec): Promise<Sandbox>;
  create(id: string, spec: SandboxSpec): Promise<Sandbox>;
  /** A child with the parent's modules, those that differ, and its ancestry recorded. */
  fork(parentId: string, options?: ForkOptions): Promise<Sandbox>;
  /** Creates a sandbox, calls its module's default export when it has one, and destroys it. */
  once<T = unknown>(source: string | Artifact, options?: OnceOptions): Promise<OnceOutcome<T>>;
  /** The inverse of `sandbox.export()`, under the same id or another. What was tampered with is refused. Features do not travel. */
  import(individual: Individual, options?: ImportOptions): Promise<Sandbox>;
  get(id: string): Promise<Sandbox>;
  has(id: string): Promise<boolean>;
  /** All that is known of a sandbox, or of the latest one of this id that is gone. */
  info(id: string): Promise<SandboxInfo>;
  list(filter?: ListFilter): Promise<readonly SandboxInfo[]>;
  logs(id: string): Promise<readonly LogLine[]>;
  restart(id: string, options?: CancelOptions): Promise<void>;
  destroy(id: string): Promise<void>;
  readonly batch: Batches;
  readonly compile: Compile;
  readonly events: Events;
  readonly audit: AuditLog;
  metrics(): Promise<RuntimeMetrics>;
  health(): Promise<Health>;
  /** Sweeps now. */
  collect(): Promise<SweepReport>;
  /**
   * Asks `policy` at each sweep which of the living nobody needs any more; those go, unless they run something just then.
   * At most 16 policies; one that fails lets nobody go. Answers a function that ends it.
   */
  retention(policy: RetentionPolicy): () => void;
  /** Ends everything. Nothing is left running, and no promise stays pending. */
  close(): Promise<void>;
}
