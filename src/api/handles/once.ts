// Create, run, destroy: one piece of code, once, for a judge or an agent.
import type { Artifact } from "../../code/modules/artifact.ts";
import { limitNames } from "../../model/limits.ts";
import { LoadError } from "../../model/errors.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import { fields, func, named, unread, type Shape } from "../../model/schema.ts";
import { unusedAfter } from "../../model/runs/usage.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { LogStore } from "../../orchestration/sandboxes/log-store.ts";
import type { Engine } from "../wiring/engine.ts";
import { failureOfLoad } from "./outcomes.ts";
import { LocalSandbox } from "./local-sandbox.ts";
import { callOptions } from "../options/run-options.ts";
import { placementOptions } from "../options/security-options.ts";
import type { OnceOptions, OnceOutcome } from "../types/runtime.ts";
import { completeSpec, readModule, type SpecContext } from "../options/spec.ts";

const moduleName = "main";
const onceOptions = fields(
  {
    ...callOptions.fields,
    limits: named(limitNames, unread),
    profile: unread,
    placement: named(placementOptions.names, unread),
    deterministic: unread,
    capabilities: unread,
    onOutput: func<(line: LogLine) => void>(),
  } satisfies Shape<OnceOptions>,
  "once()",
);

/** What is to be run once, checked. */
export function planOnce(source: string | Artifact, options: OnceOptions, context: SpecContext): SandboxPlan {
  const { limits, profile, placement, deterministic, capabilities, signal } = onceOptions.read(
    options,
    "options",
  );
  const modules = { [moduleName]: readModule(source, "source") };
  const spec = { modules, limits, profile, placement, deterministic, capabilities, signal };
  return completeSpec(undefined, spec, context);
}

/** Runs it. Code that does not load is an outcome here: the caller asked for the result of a run. */
export async function runOnce<T>(
  engine: Engine,
  plan: SandboxPlan,
  options: OnceOptions,
): Promise<OnceOutcome<T>> {
  const { sandboxes, table } = engine.parts;
  const { onOutput } = options;
  const runNames: readonly string[] = callOptions.names;
  const rest = Object.fromEntries(Object.entries(options).filter(([name]) => runNames.includes(name)));
  const output = new LogStore(plan.limits.logBytes);
  const stopListening = table.onLineOf(plan.id, (line) => {
    output.push(line);
    return onOutput?.(line);
  });
  let managed: ManagedSandbox | undefined;
  try {
    managed = await sandboxes.help(plan);
    const hasDefault = managed.modules.get(moduleName)?.exports.includes("default") === true;
    const sandbox = new LocalSandbox(engine, managed);
    const outcome = hasDefault ? await sandbox.call<T>(`${moduleName}.default`, rest) : nothing<T>(managed);
    return { ...outcome, output: output.toArray() };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    const lines = output.toArray();
    return { ok: false, error: failureOfLoad(error), usage: unusedAfter(0), logs: [], output: lines };
  } finally {
    stopListening();
    await managed?.destroy("it ran once");
  }
}

// A module without a default export has done its work when it was loaded.
function nothing<T>(sandbox: ManagedSandbox): Outcome<T> {
  return { ok: true, value: undefined as T, usage: unusedAfter(0), logs: sandbox.logs.toArray() };
}
