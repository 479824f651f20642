// The options of a run, checked and completed into its terms. Options of calls are neither copied nor completed: each costs
// only what it is given.
import type { Artifact } from "../../code/modules/artifact.ts";
import { parseTarget, type Target } from "../../model/ids.ts";
import { callLimit, resolveCallLimits } from "../../model/limit-checks.ts";
import { limitTable, type Limits } from "../../model/limits.ts";
import { at, boolean, custom, fields, readGiven, type Given } from "../../model/schema.ts";
import { encodeArgs } from "../../model/runs/arguments.ts";
import { plainArgsMax, type Primitive } from "../../execution/protocol/messages.ts";
import type { ScriptTerms } from "../../orchestration/runs/script-terms.ts";
import type { RunTerms, WireArgs } from "../../orchestration/runs/ticket.ts";
import { Lru } from "../../std/lru.ts";
import { signal } from "./options.ts";

/** The options that bound a run and say how it may be ended. */
export const boundsTable = {
  timeoutMs: callLimit("timeoutMs"),
  cpuMs: callLimit("cpuMs"),
  fuel: callLimit("fuel"),
};
export const runTable = { ...boundsTable, signal, repeatable: at("options.repeatable", boolean(false)) };
const runOptions = fields(runTable);
export const callOptions = fields(
  {
    ...runTable,
    args: custom((value) => toWireArgs(value, limitTable.argsBytes.max)),
  },
  "run()",
);
const recordedOptions = fields({ ...callOptions.fields, record: boolean(false) }, "call()");

/** The options of a run as its caller passed them; only their names are checked. */
export type RunFields = Given<(typeof recordedOptions.names)[number]>;

const noFields: RunFields = Object.freeze({});
const noArgs: WireArgs = [];
const plainTextMax = 1_024;
/** Brackets or quotes, and a comma. */
const listBytes = 3;
/** A letter that is written as an escape. */
const letterBytesMax = 6;
/** The longest number, and a comma. */
const otherBytesMax = 25;

/** The options of what has no arguments of its own. */
export function readRunFields(options: unknown): RunFields {
  return options === undefined ? noFields : readGiven(options, "options", runOptions.names);
}

export function readCallFields(options: unknown): RunFields {
  return options === undefined ? noFields : readGiven(options, "options", callOptions.names);
}

/** As `readCallFields`, for a call that may be recorded. */
export function readRecordedFields(options: unknown): RunFields {
  if (options === undefined) return noFields;
  const given = readGiven(options, "options", recordedOptions.names);
  if (given.record !== undefined) recordedOptions.fields.record.read(given.record, "options.record");
  return given;
}

/** What a run is aimed at: an export, or a function or script whose source travels with it. */
export type Callee = Target | Shipped;

export interface Shipped {
  readonly shipped: Artifact;
  readonly code: string;
  readonly script?: ScriptTerms;
}

const callees = new Lru<Target>(1_024);

/** The target that a text names; those used lately are not parsed again. */
export function calleeOf(target: unknown): Target {
  const known = typeof target === "string" ? callees.get(target) : undefined;
  if (known !== undefined) return known;
  const parsed = parseTarget(target);
  callees.set(target as string, parsed, 1);
  return parsed;
}

export interface TermsContext {
  readonly limits: Limits;
  readonly waitMs: number;
}

/** The terms that a sandbox with these limits admits; throws for what it does not. */
export function toTerms(callee: Callee, given: RunFields, context: TermsContext): RunTerms {
  const { limits, waitMs } = context;
  const bounds = resolveCallLimits(limits, given);
  const { repeatable } = given;
  const isRepeatable = repeatable !== undefined && runTable.repeatable.read(repeatable, "options.repeatable");
  const common = { ...bounds, isRepeatable, waitMs };
  if (!("shipped" in callee)) return { module: callee.module, export: callee.export, ...common };
  const { code, shipped, script } = callee;
  const terms = { module: "", export: "", code, shipped, ...common };
  return script === undefined ? terms : { ...terms, script };
}

/** Arguments as they travel; throws `UNSERIALIZABLE` for what is not data. */
export function toWireArgs(args: unknown, bytesMax: number): WireArgs {
  if (args === undefined) return noArgs;
  // They are sent later: what the caller does to its own list meanwhile must not matter.
  return Array.isArray(args) && isPlain(args, bytesMax) ? args.slice() : encodeArgs(args, bytesMax);
}

// A few small primitives that JSON says exactly: they enter the isolate without being encoded. Whether they are within
// the limit is not counted but bounded; where the bound is not enough, encoding counts.
function isPlain(args: readonly unknown[], bytesMax: number): args is readonly Primitive[] {
  if (args.length > plainArgsMax) return false;
  let roomBytes = bytesMax - listBytes;
  for (const arg of args) {
    if (
      typeof arg === "number"
        ? !Number.isFinite(arg) || Object.is(arg, -0)
        : typeof arg === "string"
          ? arg.length > plainTextMax
          : typeof arg !== "boolean" && arg !== null
    ) {
      return false;
    }
    roomBytes -= typeof arg === "string" ? arg.length * letterBytesMax + listBytes : otherBytesMax;
  }
  return roomBytes >= 0;
}
