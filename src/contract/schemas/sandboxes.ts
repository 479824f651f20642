// What is answered of sandboxes: their state, code, versions, processes and origin.
import { z } from "@hono/zod-openapi";
import { findingNames } from "../../model/code/finding.ts";
import { evaluationFailureKinds, type EvaluationFailureKind } from "../../model/fitness.ts";
import {
  processKinds,
  processStatuses,
  restartKinds,
  restartOrigins,
  type ProcessView as ProcessViewType,
} from "../../model/sandboxes/process.ts";
import { statuses } from "../../model/sandboxes/status.ts";
import { moment } from "./forms.ts";
import { Limits } from "./limits.ts";
import { Diagnostic, GuestFailure } from "./outcomes.ts";
import type { Plain } from "./plain.ts";

export const Status = z.enum(statuses).openapi("Status");
const checksum = () => z.string().openapi({ description: "SHA-256" });
const texts = () => z.record(z.string(), z.string());

const Ancestry = z
  .object({
    parentIds: z.array(z.string()),
    generation: z.number(),
    mutation: z.unknown(),
    depth: z.number().openapi({ description: "the length of the longest path to a known seed" }),
  })
  .openapi("Ancestry");

const Placement = z
  .object({ tenant: z.string().nullable(), exclusive: z.boolean(), dense: z.boolean() })
  .openapi("Placement");

export const TestResult = z
  .object({
    name: z.string(),
    passed: z.boolean(),
    points: z.number(),
    pointsMax: z.number(),
    hidden: z.boolean(),
    message: z.string().optional(),
    failure: GuestFailure.optional(),
  })
  .openapi("TestResult");

export const evaluationKinds = Object.keys(evaluationFailureKinds) as readonly EvaluationFailureKind[];
export const Components = z.record(z.string(), z.number());

const LatestFitness = z
  .object({
    score: z.number().nullable(),
    result: z.enum(["ok", ...evaluationKinds]),
    revision: z.number(),
    evaluatedAt: moment(),
    components: Components,
    tests: z.array(TestResult),
    message: z.string().nullable(),
    evaluationMs: z.number(),
  })
  .openapi("LatestFitness");

export const TotalUsage = z
  .object({
    runs: z.number(),
    wallMs: z.number(),
    cpuMs: z.number(),
    outputBytes: z.number(),
    heapBytes: z.number(),
    heapPeakBytes: z.number(),
    externalBytes: z.number(),
    processes: z.number(),
    processesMax: z.number(),
    queueMax: z.number(),
    isolate: z.number(),
    isolateSandboxes: z.number(),
  })
  .openapi("TotalUsage");

const ModuleInfo = z
  .object({
    version: z.number(),
    checksum: checksum(),
    exports: z.array(z.string()),
    warnings: z.array(Diagnostic),
  })
  .openapi("ModuleInfo");

const LastError = z
  .object({
    code: z.string(),
    message: z.string(),
    diagnostics: z.array(Diagnostic),
    failure: GuestFailure.optional(),
  })
  .openapi("LastError");

const Grant = z
  .object({
    quota: z.object({ calls: z.number(), bytes: z.number(), concurrent: z.number() }),
    calls: z.number(),
    bytes: z.number(),
  })
  .openapi("Grant");

export const SandboxInfo = z
  .object({
    id: z.string(),
    status: Status,
    reason: z.string().nullable(),
    profile: z.string(),
    placement: Placement,
    limits: Limits,
    cell: z.number().nullable(),
    quarantined: z.boolean(),
    createdAt: moment(),
    uptimeMs: z.number(),
    restarts: z.number(),
    rebuilds: z.number(),
    revision: z.number(),
    modules: z.record(z.string(), ModuleInfo),
    ancestry: Ancestry,
    mutation: z.unknown(),
    fitness: LatestFitness.nullable(),
    usage: TotalUsage,
    labels: texts(),
    capabilities: z.record(z.string(), Grant),
    lastError: LastError.nullable(),
  })
  .openapi("SandboxInfo", { description: "all that is known of a sandbox" });

export const StateCapture = z
  .object({
    servers: z.array(
      z.object({
        path: z.string(),
        key: z.string(),
        version: z.number().nullable(),
        state: z.string().openapi({ description: "the codec's text" }),
      }),
    ),
    children: z.array(
      z.object({
        supervisor: z.string(),
        id: z.string(),
        key: z.string(),
        kind: z.enum(["server", "supervisor"]),
        args: z.string(),
        restart: z.string(),
        restartFrom: z.enum(restartOrigins).optional(),
        name: z.string().nullable(),
        shutdownMs: z.number().nullable(),
      }),
    ),
  })
  .openapi("StateCapture", { description: "the states of a sandbox's processes, to be stored and restored" });

const version = z.object({
  version: z.number(),
  source: z.string(),
  checksum: checksum(),
  parent: z.number().nullable(),
  mutation: z.unknown(),
  createdAt: moment(),
});

export const Individual = z
  .object({
    format: z.literal("vivarium.individual/2"),
    id: z.string(),
    createdAt: moment(),
    modules: z.record(z.string(), z.array(version)),
    revisions: z.array(z.object({ revision: z.number(), heads: z.record(z.string(), z.number()) })),
    limits: Limits,
    profile: z.string().optional(),
    placement: Placement.optional(),
    deterministic: z.object({ seed: z.number(), now: z.number() }).nullable(),
    ancestry: Ancestry,
    labels: texts(),
    processes: z
      .object({
        supervisor: z.string().nullable(),
        checkpoint: z.union([z.literal("message"), z.object({ everyMs: z.number() }), z.null()]),
      })
      .optional(),
    state: StateCapture.nullable().optional(),
    restart: z
      .object({ on: z.array(z.enum(restartKinds)), max: z.number(), windowMs: z.number() })
      .optional(),
    checksum: checksum(),
    signature: z.string().optional(),
  })
  .openapi("Individual", { description: "one sandbox as plain data" });

export const VersionInfo = z
  .object({
    version: z.number(),
    checksum: checksum(),
    current: z.boolean(),
    parent: z.number().nullable(),
    mutation: z.unknown(),
    createdAt: moment(),
    exports: z.array(z.string()),
    imports: z.array(z.string()),
    bytes: z.number(),
  })
  .openapi("VersionInfo");

export const ReloadReport = z
  .object({
    status: z.enum(["reloaded", "unchanged"]),
    revision: z.number(),
    modules: z.record(z.string(), z.number().nullable()),
    states: z
      .array(
        z.object({
          path: z.string().nullable(),
          name: z.string().nullable(),
          module: z.string(),
          way: z.enum(["kept", "migrations", "codeChange", "host", "none"]),
          versions: z.array(z.number()),
          problem: z.string().nullable(),
        }),
      )
      .optional(),
  })
  .openapi("ReloadReport");

export const ProcessView: z.ZodType<Plain<ProcessViewType>, Plain<ProcessViewType>> = z
  .lazy(() =>
    z.object({
      pid: z.number(),
      name: z.string().nullable(),
      kind: z.enum(processKinds),
      status: z.enum(processStatuses),
      queueLength: z.number(),
      queueMax: z.number(),
      messages: z.number(),
      restarts: z.number(),
      links: z.array(z.number()),
      trappingExits: z.boolean(),
      path: z.string().nullable(),
      children: z.array(ProcessView),
    }),
  )
  .openapi("ProcessView", { description: "one process inside a sandbox, with those that it supervises" });

const imported = { specifier: z.string(), name: z.string().nullable() };

export const Artifact = z
  .object({
    checksum: checksum(),
    metered: z.boolean(),
    source: z.string(),
    code: z.string(),
    imports: z.array(z.string()),
    dynamicImports: z.array(z.string()),
    exports: z.array(z.string()),
    script: z.enum(["script", "kept"]).optional(),
    linkage: z.object({
      imports: z.array(z.object({ ...imported, local: z.string() })),
      locals: z.array(z.array(z.string())),
      reexports: z.array(z.object({ ...imported, exported: z.string() })),
      stars: z.array(z.string()),
      body: z.enum(["sync", "async", "async generator"]),
    }),
    sourceMaps: z.array(z.string()),
    findings: z.array(
      z.object({
        rule: z.enum(findingNames),
        what: z.string(),
        line: z.number(),
        column: z.number(),
        count: z.number(),
      }),
    ),
    warnings: z.array(Diagnostic),
  })
  .openapi("Artifact", { description: "a compiled module" });
