// One run inside its isolate: which function, with which arguments, within which bounds.
import { slotOf } from "../../../model/runs/call-slots.ts";
import type { Primitive, RunGroup } from "../../protocol/messages.ts";
import { shippedMark } from "../../protocol/shipped-code.ts";
import type { Activity, ActivityPlan, Completion } from "../activity.ts";
import type { Box } from "../box.ts";
import { evaluateFlow, moduleScript } from "./code-flows.ts";
import { takeFuel } from "./fuel-flow.ts";
import { applying, housekeepingMs, type Flow } from "./entry-request.ts";
import { answerFlow } from "./flows.ts";
import { handOver, type AnyReference, type GuestFunction } from "../isolates/references.ts";

/** So long cases of a series follow each other. */
export const seriesMs = 1;

/** One run out of a group. */
export interface BatchedRun {
  readonly op: number;
  readonly group: RunGroup;
  /** Identifies the group's target. */
  readonly targetId: string;
  readonly args: string | readonly Primitive[];
}

export function planOf({ op, group }: BatchedRun, sliceMs: number): ActivityPlan {
  const { lane, cpuMs, fuel, series } = group;
  const kind = group.tell === undefined ? "run" : "tell";
  // The last case of a series begins within its first millisecond, and has its whole time.
  const timeoutMs = series === undefined ? group.timeoutMs : group.timeoutMs + seriesMs;
  return { op, lane, timeoutMs, cpuMs, sliceMs, kind, fuel };
}

/** Calls an exported or a shipped function, where fuel is counted with the fuel of the run. */
export function* runFlow(box: Box, activity: Activity, run: BatchedRun): Flow {
  const { fuel } = run.group;
  if (fuel !== null) yield* takeFuel(box, activity, fuel);
  const entry = yield* entryFlow(box, activity, run);
  if ("verdict" in entry) return entry;
  // A message to a process is taken within `stepMs`, not within the whole time of the run.
  const isMessage = run.group.tell !== undefined;
  const budgetMs = isMessage ? Math.min(activity.remainingMs(), box.limits.stepMs) : activity.remainingMs();
  return yield* answerFlow(box, activity, yield applying(entry.reference, entry.args, budgetMs));
}

function* entryFlow(box: Box, activity: Activity, run: BatchedRun): Flow<GuestEntry | Completion> {
  const { op, args, group } = run;
  const argsText = typeof args === "string" ? args : JSON.stringify(args);
  if (group.tell !== undefined) {
    return { reference: box.guest.tell, args: [op, group.tell, group.export, argsText] };
  }
  if (group.stream !== undefined) {
    const { id, verb } = group.stream;
    return { reference: box.guest.stream, args: [op, verb, id, group.module, group.export, argsText] };
  }
  if (group.code === undefined) return entryOf(box, { op, target: yield* targetFlow(box, run), args });
  const { code, script, codeName: name = shippedMark } = group;
  const callee = box.shipped(name + code) ?? (yield* shipFlow(box, activity, { name, code }));
  if ("verdict" in callee) return callee;
  const how = script === undefined ? [] : [script.name, script.waits];
  return { reference: box.guest.callShipped, args: [op, handOver(callee), argsText, ...how] };
}

interface GuestEntry {
  readonly reference: GuestFunction;
  readonly args: readonly unknown[];
}

// The guest's number for a target; a new target is registered first.
function* targetFlow(box: Box, run: BatchedRun): Flow<number> {
  const known = box.targetOf(run.targetId);
  if (known !== undefined) return known;
  const index = box.addTarget(run.targetId);
  yield applying(box.guest.setTarget, [index, run.group.module, run.group.export], housekeepingMs);
  return index;
}

/** The guest function and the arguments that carry out a run. */
export function entryOf(
  box: Box,
  run: { readonly op: number; readonly target: number; readonly args: string | readonly Primitive[] },
): GuestEntry {
  const { args, op } = run;
  const slot = slotOf(run.target, args);
  const given = typeof args === "string" ? [op, slot, args] : [op, slot, ...args];
  return { reference: box.guest.call, args: given };
}

/** The same for a target that has no number yet: it gets the next one. */
export function firstEntryOf(box: Box, { op, group, args }: BatchedRun): GuestEntry {
  const given = [op, slotOf(box.nextTarget, args), group.module, group.export];
  return {
    reference: box.guest.callFirst,
    args: typeof args === "string" ? [...given, args] : [...given, ...args],
  };
}

function* shipFlow(
  box: Box,
  activity: Activity,
  { name, code }: { readonly name: string; readonly code: string },
): Flow<AnyReference | Completion> {
  const callee = yield* evaluateFlow(box, activity, moduleScript(name, code));
  if (!("verdict" in callee)) box.keepShipped(name + code, callee);
  return callee;
}
