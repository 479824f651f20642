// The names of options, in the order in which the runtime tells them, and those values that can be checked here as well: a caller's
// mistake is answered by the same words as in a local runtime, and before anything is sent.
import type {
  BatchOptions,
  CheckOptions,
  EvaluateOptions,
  ForkOptions,
  HotReloadOptions,
  ImportOptions,
  ListFilter,
  OnceOptions,
  SandboxSpec,
  SessionSpec,
} from "../../index.ts";
import { parseModuleName } from "../../model/ids.ts";
import { callLimit, readPartialLimits } from "../../model/limit-checks.ts";
import { defaultLimits, limitTable } from "../../model/limits.ts";
import { labelsOption } from "../../model/sandboxes/labels.ts";
import { statuses } from "../../model/sandboxes/status.ts";
import { fields, integer, isRecord, readGiven, someOf, type Shape } from "../../model/schema.ts";

const cancelNames = ["signal", "deadlineMs"] as const;
const spec = [
  "supervisor",
  "checkpoint",
  "restart",
  "modules",
  "path",
  "autoReload",
  "limits",
  "profile",
  "placement",
  "deterministic",
  "ancestry",
  "labels",
  "capabilities",
  ...cancelNames,
] as const satisfies readonly (keyof SandboxSpec)[];
const run = ["timeoutMs", "cpuMs", "fuel", "signal", "repeatable", "args"] as const;
const batch = ["concurrency", ...cancelNames] as const satisfies readonly (keyof BatchOptions)[];
const runs = [...batch, "timeoutMs", "cpuMs", "fuel", "repeatable", "keep", "args"] as const;
const reload = [
  "verify",
  "verifyMs",
  "dryRun",
  "mutation",
  "migrate",
  ...cancelNames,
] as const satisfies readonly (keyof HotReloadOptions)[];
const measured = [
  "itemDeadlineMs",
  "repeats",
  "summary",
  "onFailure",
  "population",
  "timeoutMs",
  "cpuMs",
  "fuel",
] as const satisfies readonly (keyof EvaluateOptions)[];

const tables = {
  spec,
  session: [...spec, "id", "onOutput"] as const satisfies readonly (keyof SessionSpec)[],
  fork: [
    "id",
    "modules",
    "mutation",
    "state",
    ...cancelNames,
  ] as const satisfies readonly (keyof ForkOptions)[],
  import: [
    "id",
    "limits",
    "profile",
    "placement",
    "capabilities",
    ...cancelNames,
  ] as const satisfies readonly (keyof ImportOptions)[],
  once: [
    ...run,
    "limits",
    "profile",
    "placement",
    "deterministic",
    "capabilities",
    "onOutput",
  ] as const satisfies readonly (keyof OnceOptions)[],
  reload,
  compile: ["name", "limits", ...cancelNames, "profile"] as const satisfies readonly (keyof CheckOptions)[],
  batch,
  batchReload: [...reload.slice(0, 5), ...cancelNames, "concurrency"],
  batchRun: runs,
  batchEvaluate: [...batch, ...measured, "keep"],
} as const;

const callLimits = { timeoutMs: callLimit("timeoutMs"), cpuMs: callLimit("cpuMs"), fuel: callLimit("fuel") };
// What the server's own ceiling is only the server knows.
const widest = { ...defaultLimits, timeoutMsMax: limitTable.timeoutMsMax.max };

/** Throws for a name that these options do not have, and for limits that are none. */
export function checkOptions(options: unknown, which: keyof typeof tables, path = "options"): void {
  const given = readGiven<string>(options, path, tables[which]);
  checkLimits(given["limits"]);
  if (which === "once" || which.startsWith("batch")) checkCallLimits(given);
}

/** Throws for limits that are unknown or out of all bounds. */
export function checkLimits(limits: unknown): void {
  if (limits !== undefined) readPartialLimits(limits, widest);
}

/** Throws for limits of a call that no sandbox could allow. */
export function checkCallLimits(given: Readonly<Record<string, unknown>>): void {
  for (const [name, limit] of Object.entries(callLimits)) limit.read(given[name], `options.${name}`);
}

/** Throws for a name of a module that is none. */
export function checkNames(modules: unknown): void {
  if (isRecord(modules)) for (const name of Object.keys(modules)) parseModuleName(name);
}

/** What `list` can be asked for. */
export const listFilter = fields(
  {
    status: someOf(statuses),
    labels: labelsOption,
    limit: integer({ min: 1, max: 1_000_000 }),
  } satisfies Shape<ListFilter>,
  "list()",
);
