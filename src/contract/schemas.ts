// What each operation takes and answers as zod schemas, by operation: the server checks by them, and the documents are made of
// them. That they say the same as the types in `bodies.ts` is proved by `test/unit/contract/types-agree.ts`.
import { z } from "@hono/zod-openapi";
import type { StateCapture as StateCaptureType } from "../model/sandboxes/process.ts";
import { scopes, type OperationId } from "./operations.ts";
import * as batches from "./schemas/batches.ts";
import {
  countMax,
  Deadline,
  deadline,
  handleId,
  list,
  longText,
  moduleName,
  opaque,
  queryDeadline,
  queryFlag,
  queryInteger,
  queryList,
  sandboxId,
  text,
  word,
} from "./schemas/forms.ts";
import * as individuals from "./schemas/individuals.ts";
import { CompileLimits, Limits, LimitsGiven } from "./schemas/limits.ts";
import { Diagnostic, LogLine, Outcome } from "./schemas/outcomes.ts";
import type { Plain } from "./schemas/plain.ts";
import * as runs from "./schemas/runs.ts";
import * as runtime from "./schemas/runtime.ts";
import * as sandboxes from "./schemas/sandboxes.ts";
import { Fork, Import, Modules, profileName, source, Spec } from "./schemas/specs.ts";

/** What one operation takes and answers; `line` is that of an answer in lines. */
export interface OperationSchemas {
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer?: z.ZodType;
  readonly line?: z.ZodType;
}

/** What stands in braces in a path. */
export const pathParameters = { id: sandboxId(), streamId: handleId(), sessionId: handleId() };

/** How many individuals a report may name. */
const namedMax = 10_000;
const DeadlineQuery = z.strictObject(queryDeadline);
const direction = word(["maximise", "minimise"]);
const Diagnostics = z.object({ diagnostics: z.array(Diagnostic) });

const compiled = {
  ...deadline,
  name: text().optional().openapi({ description: "names the module; its extension gives the language" }),
  limits: CompileLimits.optional(),
  source: source(),
};

const collection = () => text(200);
const row = z.tuple([text(200), z.unknown()]);
/** How many rows one request may write or remove. */
const rowsMax = 10_000;

export const schemas = {
  about: {
    answer: z
      .object({
        name: z.literal("vivarium"),
        version: z.string(),
        api: z.literal("v1"),
        scope: z.enum(scopes),
        tenant: z.string().nullable(),
        stored: z.boolean(),
        heartbeatMs: z.number(),
      })
      .openapi("About"),
  },

  createSandbox: { body: Spec, answer: sandboxes.SandboxInfo },
  listSandboxes: {
    query: z.strictObject({
      status: queryList(sandboxes.Status).optional(),
      label: queryList(longText(65_536)).optional().openapi({ description: "`name=value`" }),
      limit: queryInteger(1, 1_000_000).optional(),
    }),
    answer: z.object({ sandboxes: z.array(sandboxes.SandboxInfo) }),
  },
  getSandbox: {
    query: z.strictObject({
      living: queryFlag().optional().openapi({ description: "one that is gone is not found" }),
    }),
    answer: sandboxes.SandboxInfo,
  },
  destroySandbox: { query: DeadlineQuery },
  restartSandbox: { body: Deadline },
  suspendSandbox: { body: Deadline },
  resumeSandbox: { body: Deadline },
  forkSandbox: { body: Fork, answer: sandboxes.SandboxInfo },
  exportSandbox: { query: DeadlineQuery, answer: sandboxes.Individual },
  importSandbox: { body: Import, answer: sandboxes.SandboxInfo },
  getLogs: { answer: z.object({ logs: z.array(LogLine) }) },
  getUsage: { query: DeadlineQuery, answer: sandboxes.TotalUsage },
  updateLimits: {
    body: z.strictObject({ ...deadline, limits: LimitsGiven }),
    answer: z.object({ limits: Limits, rebuilt: z.boolean() }),
  },

  once: { body: runs.Once, answer: runs.OnceAnswer, line: runs.OnceLine },
  call: { body: runs.Call, answer: runs.CallAnswer },
  run: { body: runs.Run, answer: Outcome },
  replay: { body: runs.Replayed, answer: runs.Replay },
  openStream: { body: runs.StreamRequest, answer: z.object({ streamId: z.string() }), line: runs.PartLine },
  nextParts: { body: runs.Next, answer: runs.Parts },
  closeStream: {},

  reload: { body: runs.Reload, answer: sandboxes.ReloadReport },
  rollback: { body: runs.Rollback, answer: sandboxes.ReloadReport },
  listVersions: {
    query: z.strictObject({ module: moduleName() }),
    answer: z.object({ versions: z.array(sandboxes.VersionInfo) }),
  },
  getSource: {
    query: z.strictObject({ module: moduleName(), version: queryInteger(1, countMax).optional() }),
    answer: z.object({ source: z.string() }),
  },
  getDiff: {
    query: z.strictObject({
      module: moduleName(),
      from: queryInteger(1, countMax),
      to: queryInteger(1, countMax),
    }),
    answer: z.object({ diff: z.string().openapi({ description: "a unified diff" }) }),
  },

  listProcesses: {
    query: DeadlineQuery,
    answer: z.object({ processes: z.array(sandboxes.ProcessView) }),
  },
  ask: { body: runs.Message, answer: Outcome },
  send: { body: runs.Message, answer: Outcome },
  checkpoint: { body: Deadline, answer: sandboxes.StateCapture },
  captureState: { query: DeadlineQuery, answer: sandboxes.StateCapture },
  restoreState: {
    body: z.strictObject({
      ...deadline,
      state: opaque<Plain<StateCaptureType>>("what captureState or checkpoint answered"),
    }),
  },

  openSession: {
    body: runs.SessionSpec,
    answer: z.object({ sessionId: z.string(), sandboxId: z.string() }),
  },
  runScript: { body: runs.Script, answer: runs.ScriptAnswer, line: runs.ScriptLine },
  closeSession: { query: DeadlineQuery },

  batchCreate: { body: batches.BatchCreate, line: batches.BatchLine },
  batchFork: { body: batches.BatchFork, line: batches.BatchLine },
  batchDestroy: { body: batches.BatchDestroy, line: batches.BatchLine },
  batchReload: { body: batches.BatchReload, line: batches.ReloadLine },
  batchCall: { body: batches.BatchCall, line: batches.OutcomeLine },
  batchRun: { body: batches.BatchRun, line: batches.OutcomeLine },
  batchEvaluate: { body: batches.BatchEvaluate, line: batches.EvaluationLine },

  compile: { body: z.strictObject(compiled), answer: sandboxes.Artifact },
  check: { body: z.strictObject({ ...compiled, profile: profileName().optional() }), answer: Diagnostics },
  checkTypes: { body: z.strictObject({ ...deadline, modules: Modules }), answer: Diagnostics },

  lineage: {
    query: z.strictObject({ limit: queryInteger(1, namedMax).optional() }),
    answer: runtime.Lineage,
  },
  listIndividuals: {
    query: z.strictObject({
      after: queryInteger(0, countMax).optional(),
      limit: queryInteger(1, namedMax).optional(),
      details: queryFlag()
        .optional()
        .openapi({ description: "with false no components are told, which takes less time" }),
    }),
    answer: individuals.IndividualsPage,
  },
  getIndividual: { answer: individuals.IndividualReport },
  listRuns: { query: DeadlineQuery, answer: z.object({ runs: z.array(individuals.RunEntry) }) },
  population: {
    query: z.strictObject({ best: queryInteger(0, namedMax).optional(), direction: direction.optional() }),
    answer: runtime.Population,
  },

  events: {
    query: z.strictObject({
      name: queryList(runtime.EventNameWord).optional(),
      sandboxId: sandboxId().optional(),
    }),
    line: runtime.Event,
  },
  publishEvent: { body: z.strictObject({ name: text(), event: z.unknown() }) },
  queryAudit: {
    query: z.strictObject({
      sandboxId: sandboxId().optional(),
      kind: z
        .union([word(runtime.auditKinds), list(word(runtime.auditKinds), 100)])
        .optional()
        .openapi({ description: "may be repeated" }),
      rule: text().optional(),
      since: queryInteger(0, countMax).optional(),
      until: queryInteger(0, countMax).optional(),
      limit: queryInteger(1, 10_000_000).optional(),
    }),
    answer: z.object({ entries: z.array(runtime.AuditEntry) }),
  },
  readJournal: {
    query: z.strictObject({
      ...queryDeadline,
      after: queryInteger(0, countMax).optional(),
      limit: queryInteger(1, 100_000).optional(),
    }),
    answer: z.object({ entries: z.array(runtime.Entry) }),
  },
  getMetrics: { answer: runtime.Metrics },
  getHealth: { answer: runtime.Health },
  collect: { body: Deadline, answer: runtime.SweepReport },
  readDocuments: {
    query: z.strictObject({
      ...queryDeadline,
      collection: collection(),
      after: longText(200).optional(),
    }),
    answer: z.object({ rows: z.array(z.tuple([z.string(), z.unknown()])) }),
  },
  writeDocuments: {
    body: z.strictObject({
      ...deadline,
      collection: collection(),
      rows: list(row, rowsMax).optional(),
      remove: list(text(200), rowsMax).optional(),
    }),
  },
  compactData: {
    body: Deadline,
    answer: z.object({ bytesBefore: z.number(), bytesAfter: z.number() }),
  },
} as const satisfies { readonly [Id in OperationId]: OperationSchemas };
