// The "." entry: named exports, nothing else.
export { createRuntime } from "./api/wiring/create-runtime.ts";
export type { CapabilityGrants, Capabilities } from "./api/options/capability-options.ts";
export type { CellOptions, DataOptions, RuntimeOptions } from "./api/options/config.ts";
export type { JailOptions } from "./api/options/jail-options.ts";
export type * from "./api/types/batch.ts";
export type * from "./api/types/cancel.ts";
export type * from "./api/types/fitness.ts";
export type * from "./api/types/runtime.ts";
export type * from "./api/types/session.ts";
export type * from "./api/types/sandbox.ts";
export type * from "./api/types/spec.ts";
export type { BackendName } from "./code/compiler-host/backends/backend.ts";
export type { Artifact, ScriptForm } from "./code/modules/artifact.ts";
export type { BodyKind, ImportedName, Linkage, Reexport } from "./code/modules/linkage.ts";
export type { CompileCacheStatistics } from "./code/compiler/compile-cache.ts";
export type { JailLayer, JailReport } from "./jail/layers.ts";
export type { Ancestry, AncestrySpec } from "./model/sandboxes/ancestry.ts";
export type { Diagnostic } from "./model/code/diagnostic.ts";
export * from "./model/errors.ts";
export { evaluationFailureKinds } from "./model/fitness.ts";
export type {
  Components,
  CreationFailure,
  Evaluation,
  EvaluationBase,
  EvaluationFailure,
  EvaluationFailureKind,
  EvaluationUsage,
  LatestFitness,
  Noise,
  Scored,
  StageResult,
  TestResult,
  Unscored,
} from "./model/fitness.ts";
export type { Individual, IndividualBody, IndividualVersion } from "./model/sandboxes/individual.ts";
export { defaultLimits, limitTable, type LimitName, type Limits } from "./model/limits.ts";
export type { LoweredLimit, LoweredLimits } from "./model/limit-checks.ts";
export type { LogLevel, LogLine } from "./model/runs/log-line.ts";
export { failureKinds } from "./model/runs/outcome.ts";
export type {
  CancelReason,
  Failure,
  FailureKind,
  GuestFailure,
  Outcome,
  OutcomeBase,
  Success,
  Thrown,
} from "./model/runs/outcome.ts";
export type {
  CheckpointMode,
  ProcessSettings,
  ProcessView,
  RestartRule,
  StateCapture,
  StateReport,
} from "./model/sandboxes/process.ts";
export type { RecordedEnd, Recording, RecordingBody } from "./model/sandboxes/recording.ts";
export type {
  CapabilityQuota,
  GrantInfo,
  LastError,
  ModuleInfo,
  SandboxInfo,
  TotalUsage,
} from "./model/sandboxes/sandbox-info.ts";
export type { Status } from "./model/sandboxes/status.ts";
export type { Placement } from "./model/sandboxes/placement.ts";
export type { FeatureName, Finding, FindingName } from "./model/code/finding.ts";
export type { Usage } from "./model/runs/usage.ts";
export { eventNames, eventDescriptions } from "./observability/catalogue.ts";
export type {
  EventMap,
  EventName,
  EventResult,
  KilledReason,
  OperationFailed,
  OperationStarted,
  OperationStopped,
  ProcessEvent,
  Recovered,
  SecurityEvent,
} from "./observability/catalogue.ts";
export type { AnyEvent, Events, SubscriptionOptions } from "./observability/bus.ts";
export type { JournalEntry } from "./observability/journalled.ts";
export type { ExternalEventName } from "./observability/external-events.ts";
export type { PopulationFitness } from "./observability/fitness-metrics.ts";
export type { Counters, Durations } from "./observability/metrics.ts";
export type { Histogram, Scores } from "./observability/score-histogram.ts";
export type { Summary } from "./orchestration/evaluation/summary.ts";
export type { SweepCause, SweepReport } from "./orchestration/sandboxes/collection/collector.ts";
export type { Migrate, ReloadReport } from "./orchestration/reload/reload-plan.ts";
export type { ListFilter } from "./orchestration/sandboxes/registry.ts";
export type { RetentionPolicy } from "./orchestration/sandboxes/collection/retention.ts";
export { CapabilityRefusal } from "./security/capability.ts";
export type {
  Capability,
  CapabilityContext,
  CapabilityFunction,
  Check,
  StandardSchema,
  StandardSchemaResult,
} from "./security/capability.ts";
export { fetchCapability, type FetchOptions } from "./security/fetch.ts";
export { filesCapability, type VirtualFiles } from "./security/files.ts";
export type {
  AuditEntry,
  AuditFilter,
  AuditKind,
  AuditNote,
  AuditPlace,
  AuditStatistics,
} from "./security/audit.ts";
export { presets } from "./security/presets.ts";
export type {
  AuditLevel,
  GateDecision,
  Features,
  NpmPolicy,
  Profile,
  ProfileSpec,
  ScanJudge,
  ScanPolicy,
  ScanRule,
} from "./security/profile.ts";
export type { Clock, Timer } from "./std/clock.ts";
export { MemoryStore } from "./store/memory.ts";
export type {
  ArtifactTexts,
  Documents,
  Store,
  StoredRecord,
  StoredSandbox,
  StoreStatus,
  Tombstone,
} from "./store/store.ts";
export type { CompactReport } from "./store/folder/compaction.ts";
export type { BackupReport } from "./store/folder/maintenance/backup.ts";
