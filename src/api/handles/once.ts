// Create, run, destroy: one piece of code, once, for a judge or an agent.
import type { Artifact } from "../../code/modules/artifact.ts";
import { limitNames } from "../../model/limits.ts";
import { CancelledError, LoadError } from "../../model/errors.ts";
import type { GuestFailure, Outcome } from "../../model/runs/outcome.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import { fields, func, named, unread, type Shape } from "../../model/schema.ts";
import { unusedAfter } from "../../model/runs/usage.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { LineListener } from "../../orchestration/sandboxes/account.ts";
import { LogStore } from "../../orchestration/sandboxes/log-store.ts";
import type { Engine } from "../wiring/engine.ts";
import { startCall } from "./call.ts";
import { emptyCode, moduleName } from "../scripts/empty-code.ts";
import { neededBy } from "../scripts/script-packages.ts";
import { cancelledBySignal, failed, failureOfLoad } from "../../model/runs/unbegun.ts";
import { preparing } from "./preparation.ts";
import { LocalSandbox } from "./local-sandbox.ts";
import { callOptions, readCallFields, type Callee } from "../options/run-options.ts";
import { placementOptions } from "../options/security-options.ts";
import type { OnceOptions, OnceOutcome } from "../types/runtime.ts";
import { completeSpec, readModule, type SpecContext } from "../options/spec.ts";

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
  { source, plan }: { readonly source: string | Artifact; readonly plan: SandboxPlan },
  options: OnceOptions,
): Promise<OnceOutcome<T>> {
  const { sandboxes } = engine.parts;
  const { onOutput } = options;
  const output = new LogStore(plan.limits.logBytes);
  const onLine: LineListener = (line) => {
    output.push(line);
    return onOutput?.(line);
  };
  let managed: ManagedSandbox | undefined;
  try {
    const script =
      typeof source === "string"
        ? await preparing(plan.signal, () => readOnce(engine, source, plan))
        : undefined;
    if (script !== undefined && "kind" in script) return { ...failed(script), output: [] };
    managed = await sandboxes.help({
      ...plan,
      onLine,
      ...(script === undefined ? {} : { code: script.code }),
    });
    const outcome = await callOnce<T>(engine, managed, { script: script?.callee, options });
    return { ...outcome, output: output.toArray() };
  } catch (error) {
    const failure = endedBy(error, plan.signal);
    if (failure === undefined) throw error;
    return { ...failed(failure), output: output.toArray() };
  } finally {
    await managed?.destroy("it ran once");
  }
}

// Its sandbox is nobody else's, so that nothing but the signal cancels its load.
function endedBy(error: unknown, signal: AbortSignal | undefined): GuestFailure | undefined {
  if (error instanceof CancelledError && signal?.aborted === true) return cancelledBySignal;
  return error instanceof LoadError ? failureOfLoad(error) : undefined;
}

/** What a source turned out to be: a script, or the one module of a sandbox. */
interface Read {
  readonly callee: Callee | undefined;
  readonly code: Map<string, string | Artifact>;
}

// A source that exports something is a module, any other a script.
async function readOnce(engine: Engine, source: string, plan: SandboxPlan): Promise<Read | GuestFailure> {
  const how = { name: "script", form: "unless-exports", waits: true } as const;
  const callee = await engine.shipScript(source, plan, how);
  if ("kind" in callee) return callee;
  const { shipped } = callee;
  if (shipped.script === undefined) return { callee: undefined, code: new Map([[moduleName, shipped]]) };
  return { callee, code: emptyCode(neededBy(shipped, plan.profile, engine)) };
}

async function callOnce<T>(
  engine: Engine,
  managed: ManagedSandbox,
  { script, options }: { readonly script: Callee | undefined; readonly options: OnceOptions },
): Promise<Outcome<T>> {
  const runNames: readonly string[] = callOptions.names;
  const rest = Object.fromEntries(Object.entries(options).filter(([name]) => runNames.includes(name)));
  if (script !== undefined) {
    const request = { callee: script, fields: readCallFields(rest), isPrivileged: false };
    return (await startCall(engine, managed, request)) as Outcome<T>;
  }
  const hasDefault = managed.modules.get(moduleName)?.exports.includes("default") === true;
  if (!hasDefault) return nothing<T>(managed);
  return new LocalSandbox(engine, managed).call<T>(`${moduleName}.default`, rest);
}

// A module without a default export has done its work when it was loaded.
function nothing<T>(sandbox: ManagedSandbox): Outcome<T> {
  return { ok: true, value: undefined as T, usage: unusedAfter(0), logs: sandbox.logs.toArray() };
}
