// A sandbox as an agent sees it.
import { z } from "zod";
import type { SandboxInfo } from "../../index.ts";
import { statuses, type Status } from "../../model/sandboxes/status.ts";
import type { LatestFitness } from "../../model/fitness.ts";
import type { Agent } from "../agent.ts";
import { shown } from "../text.ts";
import { failureShape, viewDiagnostics, viewFailure, viewRecord } from "./outcome.ts";

const mutationChars = 1_000;
const messageChars = 2_000;
const namesMax = 100;

const status = z.enum(statuses as [Status, ...Status[]]);

export const sandboxRowShape = z.object({
  id: z.string(),
  status,
  revision: z.number(),
  generation: z.number(),
  score: z
    .number()
    .nullable()
    .describe("Of its latest evaluation; null for a failure, and before the first."),
  createdAt: z.number().describe("Milliseconds since the epoch."),
});
export type SandboxRow = z.infer<typeof sandboxRowShape>;

export function viewRow({ id, status, revision, ancestry, fitness, createdAt }: SandboxInfo): SandboxRow {
  return { id, status, revision, generation: ancestry.generation, score: fitness?.score ?? null, createdAt };
}

const fitnessShape = z.object({
  score: z.number().nullable(),
  result: z.string().describe("`ok`, or how the evaluation failed."),
  message: z.string().nullable(),
  revision: z.number(),
  passed: z.number(),
  failedTests: z.array(z.object({ name: z.string(), message: z.string().optional() })),
});

export const sandboxShape = sandboxRowShape.extend({
  reason: z.string().nullable().describe("Why it failed or was stopped."),
  modules: z.array(z.object({ name: z.string(), version: z.number(), exports: z.array(z.string()) })),
  parentIds: z.array(z.string()),
  mutation: z.unknown().describe("The record of the change that its current code comes from."),
  fitness: fitnessShape.nullable(),
  restarts: z.number(),
  runs: z.number(),
  heapBytes: z.number(),
  limits: z.object({
    memoryBytes: z.number(),
    timeoutMs: z.number(),
    timeoutMsMax: z.number(),
    idleMs: z.number().nullable(),
  }),
  lastError: failureShape
    .pick({ message: true, diagnostics: true, diagnosticsOmitted: true, thrown: true })
    .extend({ code: z.string() })
    .nullable(),
});
export type SandboxView = z.infer<typeof sandboxShape>;

export function viewSandbox(info: SandboxInfo, agent: Agent): SandboxView {
  const { reason, ancestry, mutation, fitness, restarts, usage, limits } = info;
  const { memoryBytes, timeoutMs, timeoutMsMax, idleMs } = limits;
  const modules = Object.entries(info.modules).slice(0, namesMax);
  return {
    ...viewRow(info),
    reason: reason === null ? null : shown(reason, messageChars),
    modules: modules.map(([name, { version, exports }]) => ({
      name,
      version,
      exports: exports.slice(0, namesMax).map((one) => shown(one, namesMax)),
    })),
    parentIds: ancestry.parentIds.filter((id) => agent.owns(id)),
    mutation: viewRecord(mutation, mutationChars),
    fitness: fitness === null ? null : viewFitness(fitness),
    restarts,
    runs: usage.runs,
    heapBytes: usage.heapBytes,
    limits: { memoryBytes, timeoutMs, timeoutMsMax, idleMs },
    lastError: viewLastError(info.lastError),
  };
}

function viewLastError(lastError: SandboxInfo["lastError"]): SandboxView["lastError"] {
  if (lastError === null) return null;
  const { code, message, diagnostics, failure } = lastError;
  const thrown = failure === undefined ? undefined : viewFailure(failure).thrown;
  return {
    code,
    message: shown(message, messageChars),
    ...(thrown !== undefined && { thrown }),
    ...viewDiagnostics(diagnostics),
  };
}

function viewFitness({ score, result, message, revision, tests }: LatestFitness): SandboxView["fitness"] {
  const failed = tests.filter(({ passed }) => !passed);
  return {
    score,
    result,
    message: message === null ? null : shown(message, messageChars),
    revision,
    passed: tests.length - failed.length,
    failedTests: failed.slice(0, 20).map(({ name, message }) => ({
      name: shown(name, namesMax),
      ...(message !== undefined && { message: shown(message, mutationChars) }),
    })),
  };
}
