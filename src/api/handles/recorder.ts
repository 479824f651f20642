// Records one run, and replays it. A recorded run begins with the revision as it was loaded, in an isolate of its own, so
// that nothing but the recording decides how it goes: not what earlier calls left in module variables, nor the machine.
import { CancelledError, InvalidOptionsError, SandboxNotRunningError } from "../../model/errors.ts";
import { parseTarget, type SandboxId } from "../../model/ids.ts";
import { resolveCallLimits, resolveLimits } from "../../model/limit-checks.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import { recordingFormat, type RecordedEnd, type Recording } from "../../model/sandboxes/recording.ts";
import { encode } from "../../model/wire/encode.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { Cancellable } from "../../orchestration/sandboxes/operations/operations.ts";
import type { RunTerms } from "../../orchestration/runs/ticket.ts";
import { randomName } from "../../std/random.ts";
import type { Engine } from "../wiring/engine.ts";
import { cancelledBySignal, failed } from "../../model/runs/unbegun.ts";
import { checkRecording, withChecksum } from "../options/recording-shape.ts";
import { encodeArgs } from "../../model/runs/arguments.ts";
import { toTerms, type Callee, type RunFields } from "../options/run-options.ts";
import type { RecordedOutcome, Replay } from "../types/sandbox.ts";
import { signal } from "../options/options.ts";

const valueBytesMax = 64 * 2 ** 20;

/** What a run is made of. */
interface Inputs {
  readonly terms: RunTerms;
  /** The arguments, encoded. */
  readonly args: string;
  readonly signal?: AbortSignal | undefined;
}

type Deterministic = Recording["deterministic"];

/** Runs it apart and writes it down. Throws at once where it cannot be recorded. */
export function recordRun(
  engine: Engine,
  sandbox: ManagedSandbox,
  { callee, fields }: { readonly callee: Callee; readonly fields: RunFields },
): Promise<RecordedOutcome> {
  if (sandbox.status !== "running") throw new SandboxNotRunningError("record a run of", sandbox);
  const { deterministic } = sandbox.character;
  if (deterministic === null) {
    throw new InvalidOptionsError(
      "Cannot record the run as the sandbox must be deterministic: it is not",
      "record",
    );
  }
  const { limits } = sandbox;
  const { waitMs } = engine.parts.config.cells;
  return record(engine, sandbox, {
    terms: toTerms(callee, fields, { limits, waitMs }),
    args: encodeArgs(fields.args, limits.argsBytes),
    signal: signal.read(fields.signal, "signal"),
    deterministic,
  });
}

async function record(
  engine: Engine,
  sandbox: ManagedSandbox,
  inputs: Inputs & { readonly deterministic: Deterministic },
): Promise<RecordedOutcome> {
  const { processes, modules, versions } = sandbox;
  const supervisor = processes?.supervisor ?? null;
  const { revision } = versions.head;
  const sources = Object.fromEntries([...modules].map(([name, { source }]) => [name, source]));
  const plan = planLike(sandbox, { code: new Map(modules), supervisor });
  const outcome = await runApart(engine, plan, inputs);
  const { module, timeoutMs, fuel } = inputs.terms;
  const recording = withChecksum({
    format: recordingFormat,
    modules: sources,
    revision,
    supervisor,
    target: `${module}.${inputs.terms.export}`,
    args: inputs.args,
    deterministic: inputs.deterministic,
    timeoutMs,
    fuel,
    end: endOf(outcome),
    fuelUsed: outcome.usage.fuel,
    output: outcome.logs.map(({ text }) => text),
  });
  return { ...outcome, recording };
}

/** Runs a recording again and compares. */
export async function replayRun(
  engine: Engine,
  sandbox: ManagedSandbox,
  given: Cancellable & { readonly recording: unknown },
): Promise<Replay> {
  const recording = checkRecording(given.recording);
  const { timeoutMs, fuel, args, modules, deterministic, supervisor } = recording;
  const { module, export: exported } = parseTarget(recording.target);
  const { limits } = sandbox;
  // A recording comes from outside: it has no more fuel than the sandbox, and cannot switch it off.
  if (limits.fuel !== null) resolveCallLimits(limits, { fuel });
  const plan = {
    ...planLike(sandbox, { code: new Map(Object.entries(modules)), supervisor }),
    limits: resolveLimits(limits, { timeoutMs, fuel }),
    character: { deterministic },
  };
  const { waitMs } = engine.parts.config.cells;
  const terms = {
    module,
    export: exported,
    timeoutMs,
    cpuMs: limits.cpuMs,
    fuel,
    isRepeatable: true,
    waitMs,
  };
  const outcome = await runApart(engine, plan, { terms, args, signal: given.signal });
  const difference = differenceBetween(recording, outcome);
  return { same: difference === null, difference, sameCode: isCodeOf(sandbox, modules), outcome };
}

function planLike(
  sandbox: ManagedSandbox,
  code: Pick<SandboxPlan, "code"> & { readonly supervisor: string | null },
): SandboxPlan {
  const { limits, profile, placement, character, ancestry } = sandbox;
  const { supervisor } = code;
  const processes = supervisor === null ? null : { supervisor, checkpoint: null };
  const id = randomName("recorded") as SandboxId;
  const like = { limits, profile, placement, character, ancestry };
  return { id, ...like, labels: {}, code: code.code, processes };
}

async function runApart(engine: Engine, plan: SandboxPlan, inputs: Inputs): Promise<Outcome> {
  const { terms, args, signal } = inputs;
  const apart = await engine.parts.sandboxes.help({ ...plan, signal }).catch((error: unknown) => {
    if (error instanceof CancelledError) return undefined;
    throw error;
  });
  // It was given up before it could begin.
  if (apart === undefined) return failed(cancelledBySignal);
  try {
    return await new Promise((settle) => {
      engine.submit(apart, { terms: { ...terms, isRepeatable: true }, args, settle }, signal);
    });
  } finally {
    await apart.destroy("its recorded run is over");
  }
}

function isCodeOf(sandbox: ManagedSandbox, modules: Recording["modules"]): boolean {
  const names = Object.keys(modules);
  return (
    names.length === sandbox.modules.size &&
    names.every((name) => sandbox.modules.get(name)?.source === modules[name])
  );
}

function endOf(outcome: Outcome): RecordedEnd {
  return outcome.ok
    ? { ok: true, value: encode(outcome.value, valueBytesMax, "kept") }
    : { ok: false, error: outcome.error };
}

// The first difference, as a sentence; null where there is none.
function differenceBetween(recording: Recording, outcome: Outcome): string | null {
  const parts: readonly (readonly [string, unknown, unknown])[] = [
    ["end", recording.end, endOf(outcome)],
    ["fuel", recording.fuelUsed, outcome.usage.fuel],
    ["output", recording.output, outcome.logs.map(({ text }) => text)],
  ];
  for (const [what, before, now] of parts) {
    const [was, is] = [JSON.stringify(before), JSON.stringify(now)];
    if (was !== is) return `${what}: was ${was.slice(0, 500)}, is ${is.slice(0, 500)}`;
  }
  return null;
}
