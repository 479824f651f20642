// Records one run, and replays it. A recorded run begins with the revision as it was loaded, in an isolate of its own, so
// that nothing but the recording decides how it goes: not what earlier calls left in module variables, nor the machine.
import { InvalidOptionsError } from "../model/errors.ts";
import { parseTarget, type SandboxId } from "../model/ids.ts";
import type { Outcome } from "../model/outcome.ts";
import { recordingFormat, type RecordedEnd, type Recording } from "../model/recording.ts";
import { show } from "../model/show.ts";
import { decode, MalformedError } from "../model/wire/decode.ts";
import { encode } from "../model/wire/encode.ts";
import type { SandboxPlan } from "../orchestration/lifecycle.ts";
import type { Resident } from "../orchestration/resident.ts";
import type { RunTerms } from "../orchestration/ticket.ts";
import { randomName } from "../std/random.ts";
import type { Engine } from "./engine.ts";
import type { Replay } from "./sandbox.ts";

const valueBytesMax = 64 * 2 ** 20;

/** What a run is made of. */
interface Inputs {
  readonly terms: RunTerms;
  /** The arguments, encoded. */
  readonly args: string;
}

/** Runs it apart and writes it down. */
export async function recordRun(
  engine: Engine,
  resident: Resident,
  inputs: Inputs,
): Promise<Outcome & { readonly recording: Recording }> {
  const { deterministic } = resident.character;
  if (deterministic === null) {
    throw new InvalidOptionsError(
      "Cannot record the run as the sandbox must be deterministic: it is not",
      "record",
    );
  }
  const outcome = await runApart(engine, planLike(resident, { code: new Map(resident.modules) }), inputs);
  const { module, timeoutMs, fuel } = inputs.terms;
  const recording: Recording = {
    format: recordingFormat,
    modules: Object.fromEntries([...resident.modules].map(([name, { source }]) => [name, source])),
    revision: resident.versions.head.revision,
    target: `${module}.${inputs.terms.export}`,
    args: inputs.args,
    deterministic,
    timeoutMs,
    fuel,
    end: endOf(outcome),
    fuelUsed: outcome.usage.fuel,
    output: outcome.logs.map(({ text }) => text),
  };
  return { ...outcome, recording };
}

/** Runs a recording again and compares. */
export async function replayRun(engine: Engine, resident: Resident, recording: Recording): Promise<Replay> {
  checkRecording(recording);
  const { module, export: exported } = parseTarget(recording.target);
  const { timeoutMs, fuel, args, modules, deterministic } = recording;
  const limits = {
    ...resident.limits,
    fuel,
    timeoutMs,
    maxTimeoutMs: Math.max(timeoutMs, resident.limits.maxTimeoutMs),
  };
  const plan = {
    ...planLike(resident, { code: new Map(Object.entries(modules)) }),
    limits,
    character: { deterministic },
  };
  const { waitMs } = engine.parts.config.cells;
  const terms = { module, export: exported, timeoutMs, cpuMs: null, fuel, isRepeatable: true, waitMs };
  const outcome = await runApart(engine, plan, { terms, args });
  const difference = differenceBetween(recording, outcome);
  return { isSame: difference === null, difference, outcome };
}

function planLike(resident: Resident, more: Pick<SandboxPlan, "code">): SandboxPlan {
  const { limits, profile, placement, character, ancestry } = resident;
  const like = { limits, profile, placement, character, ancestry };
  return { id: randomName("recorded") as SandboxId, ...like, labels: {}, ...more };
}

async function runApart(engine: Engine, plan: SandboxPlan, { terms, args }: Inputs): Promise<Outcome> {
  const { lifecycle } = engine.parts;
  const apart = await lifecycle.create(plan);
  try {
    return await new Promise((settle) => {
      engine.submit(apart, { terms: { ...terms, isRepeatable: true }, args, settle }, undefined);
    });
  } finally {
    await lifecycle.destroy(apart, "its recorded run is over");
  }
}

function endOf(outcome: Outcome): RecordedEnd {
  return outcome.ok
    ? { ok: true, value: encode(outcome.value, valueBytesMax) }
    : { ok: false, error: outcome.error };
}

// The first thing that is not as it was, in words; null when all is.
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

function checkRecording(recording: unknown): void {
  const given = (typeof recording === "object" && recording !== null ? recording : {}) as Partial<Recording>;
  const isWhole =
    given.format === recordingFormat &&
    typeof given.args === "string" &&
    typeof given.modules === "object" &&
    typeof given.deterministic?.seed === "number" &&
    typeof given.timeoutMs === "number";
  if (!isWhole || !isArgs(given.args as string)) {
    throw new InvalidOptionsError(
      `Cannot replay as it must be a recording of the format ${recordingFormat}: got ${show(recording)}`,
      "recording",
    );
  }
}

function isArgs(text: string): boolean {
  try {
    return Array.isArray(decode(text));
  } catch (error) {
    if (error instanceof MalformedError) return false;
    throw error;
  }
}
