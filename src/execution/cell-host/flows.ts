// What must be done inside an isolate for one operation, step by step, as generators that ask for entries. Whether an
// entry is made on the main thread or on another is the driver's business, so that each flow is written once.
import type ivm from "isolated-vm";
import {
  answerLetters,
  shippedName,
  type LoadCommand,
  type ManageCommand,
  type Primitive,
  type RunGroup,
} from "../protocol/messages.ts";
import type { Activity, Ending } from "./activity.ts";
import type { Box } from "./box.ts";
import { applyLater, applyNow, type EntryResult } from "./lanes.ts";

/** One entry that a flow asks for. */
export interface EntryRequest {
  readonly budgetMs: number;
  readonly now: (timeout: number) => unknown;
  readonly later: (timeout: number) => Promise<unknown>;
}

/** `undefined` when the guest waits for its timers. */
export type Flow<T = Ending | undefined> = Generator<EntryRequest, T, EntryResult>;

/** Instead of a timer's number: the one that is due first. */
const earliest = 0;
/** Not an operation of the orchestrator's. */
const newsOp = 0;
const brokenMax = 8;
const probeMs = 10;
const probesMax = 2;
/** For entries that run nothing of the guest's. They take microseconds, unless the machine has no time for us. */
export const housekeepingMs = 1_000;
const syntaxMessageMax = 2_000;

type AnyReference = ivm.Reference<(...args: never[]) => unknown>;

export const applying = (
  reference: AnyReference,
  args: readonly unknown[],
  budgetMs: number,
): EntryRequest => ({
  budgetMs,
  now: applyNow(reference, args),
  later: applyLater(reference, args),
});

/** One run out of a group. */
export interface RunOrder {
  readonly op: number;
  readonly group: RunGroup;
  /** What tells the group's target from others. */
  readonly targetId: string;
  readonly args: string | readonly Primitive[];
}

/** Calls an exported or a shipped function. In a sandbox that counts fuel, with what the run is granted. */
export function* runFlow(box: Box, activity: Activity, order: RunOrder): Flow {
  const { fuel } = order.group;
  if (fuel !== null) yield applying(box.guest.fuelUp, [fuel], housekeepingMs);
  const entry = yield* entryFlow(box, activity, order);
  if ("verdict" in entry) return entry;
  // A process that is told something has its step's time, not the whole of the run's.
  const isTold = order.group.tell !== undefined;
  const budgetMs = isTold ? Math.min(activity.remainingMs(), box.limits.stepMs) : activity.remainingMs();
  return yield* answerFlow(box, activity, yield applying(entry.reference, entry.args, budgetMs));
}

/** Before an activity is over: how much fuel it used, where that is counted, and what it changed, where that is kept. */
export function* measured(box: Box, activity: Activity, ending: Ending): Flow<Ending> {
  if (activity.isMetered && !box.isLost) {
    const result = yield applying(box.guest.fuelUsed, [], housekeepingMs);
    if (typeof result.answer === "number") activity.fuelUsed = result.answer;
  }
  if (box.isCheckpointed && !box.isLost) activity.stateNews = yield* newsFlow(box);
  return ending;
}

function* entryFlow(box: Box, activity: Activity, order: RunOrder): Flow<GuestEntry | Ending> {
  const { op, args, group } = order;
  if (group.tell !== undefined) {
    return { reference: box.guest.tell, args: [op, group.tell, group.export, args as string] };
  }
  if (group.code === undefined) return entryOf(box, { op, target: yield* aimFlow(box, order), args });
  const callee = box.shipped(group.code) ?? (yield* shipFlow(box, activity, group.code));
  if ("verdict" in callee) return callee;
  const argsText = typeof args === "string" ? args : JSON.stringify(args);
  return { reference: box.guest.callShipped, args: [op, callee.derefInto(), argsText] };
}

interface GuestEntry {
  readonly reference: AnyReference;
  readonly args: readonly unknown[];
}

/** The guest's number for a target; it is told of a new one first. */
export function* aimFlow(box: Box, order: RunOrder): Flow<number> {
  const known = box.targetOf(order.targetId);
  if (known !== undefined) return known;
  const index = box.addTarget(order.targetId);
  yield applying(box.guest.aim, [index, order.group.module, order.group.export], housekeepingMs);
  return index;
}

/** The guest function and the arguments that carry out a run. */
export function entryOf(
  box: Box,
  run: { readonly op: number; readonly target: number; readonly args: string | readonly Primitive[] },
): GuestEntry {
  const { args, op, target } = run;
  if (typeof args === "string") return { reference: box.guest.callEncoded, args: [op, target, args] };
  if (args.length === 1) return { reference: box.guest.call, args: [op, target, args[0]] };
  return { reference: box.guest.call, args: [op, target, ...args] };
}

/** Defines and evaluates the modules of a new sandbox, and starts its processes. */
export function* loadFlow(box: Box, activity: Activity, command: LoadCommand): Flow {
  const { op, character, processes, modules } = command;
  yield* limitsFlow(box);
  yield applying(box.guest.shape, [JSON.stringify(character)], housekeepingMs);
  const failure = (yield* installFlow(box, activity)) ?? (yield* defineFlow(box, activity, modules));
  if (failure !== undefined) return failure;
  const order = JSON.stringify(modules.map(([name]) => name));
  const hasTree = processes !== null && processes.supervisor !== null;
  const tree = hasTree
    ? JSON.stringify({ supervisor: processes.supervisor, capture: processes.capture })
    : "null";
  const first = yield applying(box.guest.load, [op, order, tree], activity.remainingMs());
  return yield* answerFlow(box, activity, first);
}

// The process runtime goes in before any guest code, so that what it holds on to is untouched.
function* installFlow(box: Box, activity: Activity): Flow<Ending | undefined> {
  if (box.processRuntime === undefined) return undefined;
  const install = yield* evaluateFlow(box, activity, box.processRuntime);
  if ("verdict" in install) return install;
  const { processes, messageQueue } = box.limits;
  const limits = JSON.stringify({ processes, messageQueue });
  yield applying(box.guest.installProcesses, [install.derefInto({ release: true }), limits], housekeepingMs);
  return undefined;
}

/** Something about processes; its ending's answer is the text. */
export function* manageFlow(box: Box, activity: Activity, command: ManageCommand): Flow {
  const { op, verb, first, second } = command;
  const entry = yield applying(box.guest.manage, [op, verb, first, second], activity.remainingMs());
  return yield* answerFlow(box, activity, entry);
}

/** Gives processes their turns; true when some still wait. A step that was cut cost its process, not the turn. */
export function* turnFlow(box: Box): Flow<boolean | Ending> {
  const { fuel, stepMs } = box.limits;
  if (fuel !== null && box.pending.size === 0) yield applying(box.guest.fuelUp, [fuel], housekeepingMs);
  const result = yield applying(box.guest.turn, [], stepMs);
  if (result.end === "returned") return result.answer === true;
  if (result.end === "broken") return true;
  return (yield* blameFlow(box, result)) ? true : yield* cutFlow(box, undefined, result);
}

/** The states that changed since the last time, where every change is to be reported. */
export function* newsFlow(box: Box): Flow<string> {
  const result = yield applying(box.guest.manage, [newsOp, "news", "", ""], housekeepingMs);
  const text =
    typeof result.answer === "string" && result.answer.startsWith('"')
      ? (JSON.parse(result.answer) as string)
      : "";
  return text;
}

// After a cut in a sandbox with processes: whether it was the step of one of them, which is then gone.
function* blameFlow(box: Box, result: EntryResult): Flow<boolean> {
  if (box.processRuntime === undefined || result.end !== "timeout") return false;
  const blamed = yield applying(box.guest.cutStep, [true], probeMs);
  return blamed.end === "returned" && blamed.answer === true;
}

/** What shows which code it runs did not do its work: the guest froze it, or the machine stood still. */
export function unreliable(box: Box): Ending {
  box.dispose("gone");
  return { verdict: "gone", answer: "" };
}

/** Whether an ending is that of a load or reload that went well. */
export function isValue(ending: Ending): boolean {
  return ending.verdict === "answered" && String(ending.answer).startsWith("V");
}

export function* defineFlow(
  box: Box,
  activity: Activity,
  modules: LoadCommand["modules"],
): Flow<Ending | undefined> {
  for (const [name, text] of modules) {
    const factory = yield* evaluateFlow(box, activity, { text, filename: `vivarium:${name}` });
    if ("verdict" in factory) return factory;
    const reference = factory.derefInto({ release: true });
    const defined = yield applying(box.guest.define, [name, reference], housekeepingMs);
    if (defined.end !== "returned") return unreliable(box);
  }
  return undefined;
}

/** Tells the guest runtime what it has to know of the limits. */
export function* limitsFlow(box: Box): Flow<void> {
  const { resultBytes, processes, messageQueue } = box.limits;
  yield applying(box.guest.limitResults, [resultBytes], housekeepingMs);
  if (!box.isLoaded || box.processRuntime === undefined) return;
  const limits = JSON.stringify({ processes, messageQueue });
  yield applying(box.guest.manage, [newsOp, "limits", limits, ""], housekeepingMs);
}

function* shipFlow(box: Box, activity: Activity, code: string): Flow<AnyReference | Ending> {
  const callee = yield* evaluateFlow(box, activity, { text: code, filename: `vivarium:${shippedName}` });
  if (!("verdict" in callee)) box.keepShipped(code, callee);
  return callee;
}

interface ScriptText {
  readonly text: string;
  readonly filename: string;
  readonly cachedData?: ivm.ExternalCopy<ArrayBuffer>;
}

// Compilation has no timer of its own inside the isolate; it is announced, so that the orchestrator's clock covers it.
function* evaluateFlow(box: Box, activity: Activity, script: ScriptText): Flow<AnyReference | Ending> {
  const { isolate, context } = box;
  const { text, ...origin } = script;
  const result = yield {
    budgetMs: activity.remainingMs(),
    now: (timeout) => {
      let compiled: ivm.Script;
      try {
        compiled = isolate.compileScriptSync(text, origin);
      } catch (error) {
        return syntaxError(box, error);
      }
      return compiled.runSync(context, { reference: true, timeout, release: true });
    },
    later: async (timeout) => {
      let compiled: ivm.Script;
      try {
        compiled = await isolate.compileScript(text, origin);
      } catch (error) {
        return syntaxError(box, error);
      }
      return compiled.run(context, { reference: true, timeout, release: true });
    },
  };
  if (result.end !== "returned") return yield* cutFlow(box, activity, result);
  return typeof result.answer === "string" ? answered(result.answer) : (result.answer as AnyReference);
}

// The engine refuses a few programs that the compiler lets through; what it says is the guest's to read.
function syntaxError(box: Box, error: unknown): string {
  if (box.isLost || box.isolate.isDisposed || !(error instanceof Error)) throw error;
  return `${answerLetters.thrown}${JSON.stringify(["SyntaxError", error.message.slice(0, syntaxMessageMax), ""])}`;
}

/**
 * Goes on from the first entry of an activity. The answer may be kept back by a promise, or replaced by an unhandled
 * rejection: then it is read from its slot.
 */
export function* answerFlow(box: Box, activity: Activity, first: EntryResult): Flow {
  if (first.end === "returned" && first.answer !== answerLetters.pending) {
    return yield* measured(box, activity, answered(first.answer));
  }
  if (first.end === "timeout" && !activity.isOverdue && (yield* blameFlow(box, first))) {
    return yield* collectFlow(box, activity);
  }
  if (first.end === "timeout" || first.end === "disposed") {
    return yield* measured(box, activity, yield* cutFlow(box, activity, first));
  }
  return yield* collectFlow(box, activity);
}

/** Reads the answer of an activity that was pending; `undefined` when it still is. */
export function* collectFlow(box: Box, activity: Activity): Flow {
  const ending = yield* readFlow(box, activity);
  return ending === undefined ? undefined : yield* measured(box, activity, ending);
}

function* readFlow(box: Box, activity: Activity): Flow {
  for (let broken = 0; broken < brokenMax;) {
    const result = yield applying(box.guest.collect, [activity.op], activity.remainingMs());
    if (result.end === "timeout" || result.end === "disposed") return yield* cutFlow(box, activity, result);
    if (result.end === "broken") broken++;
    else if (result.answer !== answerLetters.pending) return answered(result.answer);
    else if (!box.isVirtual) return undefined;
    else {
      // A virtual clock need not be waited for.
      const tick = yield applying(box.guest.tick, [earliest], activity.remainingMs());
      const isCut = tick.end === "timeout" || tick.end === "disposed";
      if (isCut || activity.isOverdue)
        return yield* cutFlow(box, activity, isCut ? tick : { end: "timeout", answer: "" });
    }
  }
  box.dispose();
  return answered(
    `${answerLetters.thrown}${JSON.stringify(["Error", "Its unhandled rejections kept the answer from being read", ""])}`,
  );
}

/** Fires one timer; an ending when its turn was cut. */
export function* tickFlow(box: Box, id: number, budgetMs: number): Flow {
  const { fuel } = box.limits;
  if (fuel !== null && box.pending.size === 0) yield applying(box.guest.fuelUp, [fuel], housekeepingMs);
  const result = yield applying(box.guest.tick, [id], budgetMs);
  return result.end === "timeout" || result.end === "disposed"
    ? yield* cutFlow(box, undefined, result)
    : undefined;
}

export function* forgetFlow(box: Box, op: number): Flow<void> {
  yield applying(box.guest.forget, [op], housekeepingMs);
}

// After a cut the isolate is kept only when it proves quiet: what was queued before the cut runs in the next entry.
function* cutFlow(box: Box, activity: Activity | undefined, result: EntryResult): Flow<Ending> {
  if (result.end === "disposed") return disposedEnding(box);
  if (activity?.isSliced === true) {
    box.dispose("sliced");
    return { verdict: "sliced", answer: "" };
  }
  for (let probes = 0; probes < probesMax; probes++) {
    const probe = yield applying(box.guest.probe, [], probeMs);
    if (probe.end === "returned") return { verdict: "timeout", answer: "" };
  }
  box.dispose("timeout");
  return { verdict: "timeout", answer: "" };
}

/** Whoever disposed of the isolate said why; where nobody did, it was the engine, for memory. */
export function disposedEnding(box: Box): Ending {
  if (box.isLost) return { verdict: box.endedBy ?? "memory", answer: "" };
  return { verdict: "timeout", answer: "" };
}

function answered(answer: unknown): Ending {
  return {
    verdict: "answered",
    answer: typeof answer === "number" || typeof answer === "string" ? answer : "",
  };
}
