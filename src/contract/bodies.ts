// What each operation takes and answers, as types. Query parameters are texts in the address and stand here as they are read.
import type {
  AnyEvent,
  Artifact,
  AuditEntry,
  AuditFilter,
  CompactReport,
  CompileOptions,
  Diagnostic,
  EventName,
  ForkOptions,
  Health,
  ImportOptions,
  Individual,
  JournalEntry,
  Limits,
  LogLine,
  ProcessView,
  Recording,
  ReloadReport,
  RuntimeMetrics,
  SandboxInfo,
  StateCapture,
  Status,
  SweepReport,
  TotalUsage,
  VersionInfo,
} from "../index.ts";
import type {
  Deadline,
  OnceAnswer,
  OnceLine,
  PartLine,
  ScriptAnswer,
  ScriptLine,
  WireArgs,
  WireBounds,
  WireCode,
  WireMessage,
  WireModules,
  WireOnce,
  WireOutcome,
  WireParts,
  WireReload,
  WireReplay,
  WireSession,
  WireSpec,
  WireStreamRequest,
} from "./run-bodies.ts";
import type {
  BatchLine,
  WireBatch,
  WireBatchCall,
  WireBatchEvaluate,
  WireBatchEvaluation,
  WireBatchOutcome,
  WireBatchReload,
  WireBatchRun,
  WireReloadResult,
  WireResult,
} from "./batch-bodies.ts";
import type { LineageReport, PopulationReport } from "../evolution/reports.ts";
import type { IndividualReport, IndividualsPage, RunEntry } from "./evolution-bodies.ts";
import type { Scope } from "./operations.ts";

export interface About {
  readonly name: "vivarium";
  readonly version: string;
  readonly api: "v1";
  readonly scope: Scope;
  /** What the token's sandboxes belong to: their ids begin with it and a colon. Null where it may use all. */
  readonly tenant: string | null;
  /** Whether the runtime has a data folder. */
  readonly stored: boolean;
  /** A stream of events on which nothing happens has a line at least so often. */
  readonly heartbeatMs: number;
}

/** By operation: what it takes from address and body, and what it answers. `line` is that of an answer in lines. */
export interface Bodies {
  about: { answer: About };

  createSandbox: { body: WireSpec & { readonly id?: string }; answer: SandboxInfo };
  /** `label` is `name=value`, and may be repeated. */
  listSandboxes: {
    query: {
      readonly status?: readonly Status[];
      readonly label?: readonly string[];
      readonly limit?: number;
    };
    answer: { readonly sandboxes: readonly SandboxInfo[] };
  };
  /** With `living`, one that is gone is not found. */
  getSandbox: { query: { readonly living?: boolean }; answer: SandboxInfo };
  destroySandbox: { query: Deadline };
  restartSandbox: { body: Deadline };
  suspendSandbox: { body: Deadline };
  resumeSandbox: { body: Deadline };
  forkSandbox: {
    body: Omit<ForkOptions, "modules" | "signal"> & {
      readonly parentIds: readonly string[];
      readonly modules?: WireModules;
    };
    answer: SandboxInfo;
  };
  exportSandbox: { query: Deadline; answer: Individual };
  importSandbox: {
    body: Omit<ImportOptions, "signal"> & { readonly individual: Individual };
    answer: SandboxInfo;
  };
  getLogs: { answer: { readonly logs: readonly LogLine[] } };
  getUsage: { query: Deadline; answer: TotalUsage };
  updateLimits: {
    body: { readonly limits: Partial<Limits> } & Deadline;
    answer: { readonly limits: Limits; readonly rebuilt: boolean };
  };

  once: { body: WireOnce; answer: OnceAnswer; line: OnceLine };
  call: {
    body: WireBounds & WireArgs & { readonly target: string; readonly record?: boolean };
    answer: WireOutcome & { readonly recording?: Recording };
  };
  run: { body: WireBounds & WireArgs & WireCode; answer: WireOutcome };
  replay: { body: { readonly recording: Recording } & Deadline; answer: WireReplay };
  openStream: { body: WireStreamRequest; answer: { readonly streamId: string }; line: PartLine };
  nextParts: { body: { readonly count?: number }; answer: WireParts };
  closeStream: object;

  reload: { body: WireReload; answer: ReloadReport };
  rollback: {
    body: Deadline & ({ readonly module: string; readonly version: number } | { readonly revision: number });
    answer: ReloadReport;
  };
  listVersions: { query: { readonly module: string }; answer: { readonly versions: readonly VersionInfo[] } };
  getSource: {
    query: { readonly module: string; readonly version?: number };
    answer: { readonly source: string };
  };
  getDiff: {
    query: { readonly module: string; readonly from: number; readonly to: number };
    answer: { readonly diff: string };
  };

  listProcesses: { query: Deadline; answer: { readonly processes: readonly ProcessView[] } };
  ask: { body: WireMessage; answer: WireOutcome };
  send: { body: WireMessage; answer: WireOutcome };
  checkpoint: { body: Deadline; answer: StateCapture };
  captureState: { query: Deadline; answer: StateCapture };
  restoreState: { body: Deadline & { readonly state: StateCapture } };

  openSession: { body: WireSession; answer: { readonly sessionId: string; readonly sandboxId: string } };
  runScript: {
    body: WireBounds & WireArgs & { readonly source: string };
    answer: ScriptAnswer;
    line: ScriptLine;
  };
  closeSession: { query: Deadline };

  batchCreate: {
    body: WireBatch & { readonly specs: readonly (WireSpec & { readonly id?: string })[] };
    line: BatchLine<WireResult>;
  };
  batchFork: {
    body: WireBatch & { readonly forks: readonly Bodies["forkSandbox"]["body"][] };
    line: BatchLine<WireResult>;
  };
  batchDestroy: { body: WireBatch & { readonly ids: readonly string[] }; line: BatchLine<WireResult> };
  batchReload: { body: WireBatchReload; line: BatchLine<WireReloadResult> };
  batchCall: { body: WireBatchCall; line: BatchLine<WireBatchOutcome> };
  batchRun: { body: WireBatchRun; line: BatchLine<WireBatchOutcome> };
  batchEvaluate: { body: WireBatchEvaluate; line: BatchLine<WireBatchEvaluation> };

  compile: { body: Omit<CompileOptions, "signal"> & { readonly source: string }; answer: Artifact };
  check: {
    body: Omit<CompileOptions, "signal"> & { readonly source: string; readonly profile?: string };
    answer: { readonly diagnostics: readonly Diagnostic[] };
  };
  checkTypes: {
    body: Deadline & { readonly modules: WireModules };
    answer: { readonly diagnostics: readonly Diagnostic[] };
  };

  lineage: { query: { readonly limit?: number }; answer: LineageReport };
  /** `after` is the place that the page begins at. Without `details` no components are told, which takes less time. */
  listIndividuals: {
    query: { readonly after?: number; readonly limit?: number; readonly details?: boolean };
    answer: IndividualsPage;
  };
  getIndividual: { answer: IndividualReport };
  listRuns: { query: Deadline; answer: { readonly runs: readonly RunEntry[] } };
  population: {
    query: { readonly best?: number; readonly direction?: "maximise" | "minimise" };
    answer: PopulationReport;
  };

  /** Of these names and this sandbox, or all. An event's id is its number; `Last-Event-ID` goes on behind that one. */
  events: { query: { readonly name?: readonly EventName[]; readonly sandboxId?: string }; line: AnyEvent };
  publishEvent: { body: { readonly name: string; readonly event: unknown } };
  queryAudit: { query: AuditFilter; answer: { readonly entries: readonly AuditEntry[] } };
  readJournal: {
    query: Deadline & { readonly after?: number; readonly limit?: number };
    answer: { readonly entries: readonly JournalEntry[] };
  };
  getMetrics: { answer: RuntimeMetrics };
  getHealth: { answer: Health };
  collect: { body: Deadline; answer: SweepReport };
  readDocuments: {
    query: Deadline & { readonly collection: string; readonly after?: string };
    answer: { readonly rows: readonly (readonly [key: string, value: unknown])[] };
  };
  writeDocuments: {
    body: Deadline & {
      readonly collection: string;
      readonly rows?: readonly (readonly [key: string, value: unknown])[];
      readonly remove?: readonly string[];
    };
  };
  compactData: { body: Deadline; answer: CompactReport };
}
