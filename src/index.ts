// The "." entry: named exports, nothing else.
export { createRuntime } from "./api/wiring/create-runtime.ts";
export type { CapabilityGrants, CapabilityOptions } from "./api/options/capability-options.ts";
export type { CellOptions, RuntimeOptions } from "./api/options/config.ts";
export type * from "./api/types/batch.ts";
export type * from "./api/types/fitness.ts";
export type * from "./api/types/runtime.ts";
export type * from "./api/types/sandbox.ts";
export type * from "./api/types/spec.ts";
export type { Artifact } from "./code/modules/artifact.ts";
export type { CompileCacheStatistics } from "./code/compiler/compile-cache.ts";
export type { Ancestry, AncestryGiven } from "./model/ancestry.ts";
export type { Diagnostic } from "./model/diagnostic.ts";
export * from "./model/errors.ts";
export { evaluationFailureKinds } from "./model/fitness.ts";
export type {
  Components,
  Evaluation,
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
export type { Individual, IndividualBody, IndividualVersion } from "./model/individual.ts";
export type { SandboxId } from "./model/ids.ts";
export { defaultLimits, limitTable, type LimitName, type Limits } from "./model/limits.ts";
export type { LogLevel, LogLine } from "./model/log-line.ts";
export { failureKinds } from "./model/outcome.ts";
export type {
  CancelReason,
  Failure,
  FailureKind,
  GuestFailure,
  Outcome,
  Success,
  Thrown,
} from "./model/outcome.ts";
export type {
  CheckpointMode,
  ProcessSettings,
  ProcessView,
  RestartRule,
  StateCapture,
  StateReport,
} from "./model/process.ts";
export type { RecordedEnd, Recording } from "./model/recording.ts";
export type {
  CapabilityQuota,
  GrantInfo,
  LastError,
  ModuleInfo,
  SandboxInfo,
  TotalUsage,
} from "./model/sandbox-info.ts";
export type { Status } from "./model/status.ts";
export type { Placement } from "./model/placement.ts";
export type { FeatureName, Finding, FindingLevel, FindingName } from "./model/finding.ts";
export type { Usage } from "./model/usage.ts";
export { eventNames, eventDescriptions } from "./observability/catalogue.ts";
export type { EventMap, EventName, KilledReason } from "./observability/catalogue.ts";
export type { AnyEvent, Events } from "./observability/bus.ts";
export type { ExternalEventName } from "./observability/external-events.ts";
export type { PopulationFitness } from "./observability/fitness-metrics.ts";
export type { Counters, Durations } from "./observability/metrics.ts";
export type { Histogram, Scores } from "./observability/score-histogram.ts";
export type { Batch } from "./orchestration/evaluation/batch.ts";
export type { Summary } from "./orchestration/evaluation/summary.ts";
export type { SweepReport } from "./orchestration/sandboxes/collector.ts";
export type { Migrate, ReloadReport } from "./orchestration/reload/reload-plan.ts";
export type { ListFilter } from "./orchestration/sandboxes/registry.ts";
export type { RetentionPolicy } from "./orchestration/sandboxes/retention.ts";
export { CapabilityRefusal } from "./security/capability.ts";
export type {
  Capability,
  CapabilityContext,
  CapabilityFunction,
  Check,
  Quota,
  StandardSchema,
} from "./security/capability.ts";
export { fetchCapability, type FetchOptions } from "./security/fetch.ts";
export { filesCapability } from "./security/files.ts";
export type { AuditEntry, AuditFilter, AuditKind, AuditPlace, AuditStatistics } from "./security/audit.ts";
export { presets } from "./security/presets.ts";
export type {
  AuditLevel,
  GateDecision,
  Features,
  NpmPolicy,
  Profile,
  ProfileGiven,
  ScanJudge,
  ScanPolicy,
  ScanRule,
} from "./security/profile.ts";
export type { Clock, Timer } from "./std/clock.ts";
export { MemoryStore } from "./store/memory.ts";
export type { Store, StoredSandbox } from "./store/store.ts";
