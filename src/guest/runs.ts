// The trampoline: the only way into guest code. It calls, catches, waits and encodes inside the bounded entry, so
// that what leaves the isolate is a number or a short text, whatever the guest returns or throws. There is one of it
// per isolate, and its first lines run for every call of every sandbox: they do no more than they must.
import { answerTags } from "../model/runs/answer-tags.ts";
import { answersBytesMaxFor } from "../model/runs/report-bounds.ts";
import { pathMax } from "../model/runs/thrown-bounds.ts";
import { encode, Refusal } from "../model/wire/encode.ts";
import { utf8Length } from "../model/wire/lengths.ts";
import { decode } from "../model/wire/decode.ts";
import {
  append,
  apply,
  create,
  mapClear,
  mapDelete,
  mapEach,
  mapGet,
  mapSet,
  setAdd,
  setDelete,
  slice,
  stringify,
} from "../model/wire/intrinsics.ts";
import { asText, slotMask, slotShift } from "../model/runs/call-slots.ts";
import { CapabilityError, requestsWaiting } from "./capabilities.ts";
import { namespaces, openView, viewOf, type View } from "./modules.ts";
import { Missing, missing } from "./missing.ts";
import { askProcess, processes, unansweredOf } from "./processes.ts";
import { isVirtual } from "./globals/clock.ts";
import { runScript } from "./scripts.ts";
import { shippedBy, type Callee, type ShippedFactory } from "./shipped.ts";
import { describe, isOurs } from "./thrown.ts";
import { timerCount } from "./globals/timers.ts";

export type Answer = number | string;

const targets = create(null) as Record<number, View>;
const pending = new Set<number>();
const settled = new Map<number, Answer>();
let resultBytesMax = 0;
let beforeRun: (() => void) | undefined;
// The answer of the latest synchronous run, in case an unhandled rejection replaces the return value.
let lastOp = 0;
let lastAnswer: Answer = "";
let lastPending = 0;

/** Calls `act` at the start of every run. */
export function beforeEach(act: () => void): void {
  beforeRun = act;
}

/** How long an encoded result may be. */
export function limitResults(bytesMax: number): void {
  resultBytesMax = bytesMax;
}

/** Gives a target its number, so that later runs need only that. */
export function setTarget(index: number, module: string, name: string): void {
  targets[index] = viewOf(module, name);
}

/**
 * Calls an exported function. The slot says which, and how its arguments crossed: up to three as they are, or all as one text.
 * Written out and without helpers: in a cell with a thousand isolates every function and table that is touched here has to be
 * fetched from memory.
 */
// oxlint-disable-next-line max-params -- the arguments of the entry and of the guest's function
export function call(op: number, slot: number, a?: unknown, b?: unknown, c?: unknown): Answer {
  try {
    if (beforeRun !== undefined) beforeRun();
    const found = targets[slot >> slotShift] as View; // The cell sets a target before it uses it.
    const callee = (found.cell ?? openView(found)).value as Callee; // What the guest exports is checked on the next line.
    if (typeof callee !== "function") throw missing(found);
    const count = slot & slotMask;
    const result =
      count === 1
        ? callee(a)
        : count === asText
          ? apply(callee, undefined, decode(a as string) as unknown[])
          : count === 0
            ? callee()
            : count === 2
              ? callee(a, b)
              : callee(a, b, c);
    if (typeof result === "number" && result - result === 0 && result !== 0) {
      lastOp = op;
      return (lastAnswer = result);
    }
    return conclude(op, result);
  } catch (error) {
    return record(op, fail(error));
  }
}

/** Calls an exported function with a list of arguments that crossed with those of others, or as text of its own. */
export function callListed(op: number, target: View, args: unknown): Answer {
  try {
    beforeRun?.();
    const list = (typeof args === "string" ? decode(args) : args) as unknown[];
    const result: unknown = apply(calleeOf(target), undefined, list);
    if (typeof result === "number" && result - result === 0 && result !== 0) return record(op, result);
    return conclude(op, result);
  } catch (error) {
    return record(op, fail(error));
  }
}

/** Calls a function that was shipped as source, with the sandbox's modules before its arguments; or runs a script. */
// oxlint-disable-next-line max-params -- the arguments of the entry
export function callShipped(
  op: number,
  factory: ShippedFactory,
  argsText: string,
  script?: string,
  waits = false,
): Answer {
  try {
    beforeRun?.();
    const args = decode(argsText) as unknown[];
    if (script !== undefined) return conclude(op, runScript({ name: script, factory, args, waits }));
    const callee = shippedBy(factory);
    const all: unknown[] = [namespaces];
    all.length = args.length + 1;
    for (let i = 0; i < args.length; i++) all[i + 1] = args[i];
    return conclude(op, apply(callee, undefined, all));
  } catch (error) {
    return record(op, fail(error));
  }
}

/** Runs a function for the cell; returns as a run. */
export function answerOf(op: number, act: () => unknown): Answer {
  try {
    beforeRun?.();
  } catch (error) {
    return record(op, fail(error));
  }
  return goOn(op, act);
}

/** The same for a run that goes on with what an earlier one began: nothing is set back before it. */
export function goOn(op: number, act: () => unknown): Answer {
  try {
    return conclude(op, act());
  } catch (error) {
    return record(op, fail(error));
  }
}

/** Asks a process. The answer may come at once, later, or when the step that handles it is cut. */
export function ask(op: number, name: string, messageText: string): Answer {
  try {
    beforeRun?.();
    setAdd(pending, op);
    askProcess(op, { name, messageText }, (answer) => {
      if (setDelete(pending, op)) settleLater(op, answerFrom(answer));
    });
    const answer = mapGet(settled, op) as Answer | undefined;
    if (answer === undefined) return wait(op);
    mapDelete(settled, op);
    return record(op, answer);
  } catch (error) {
    setDelete(pending, op);
    return record(op, fail(error));
  }
}

function answerFrom(act: () => unknown): Answer {
  try {
    return finish(act());
  } catch (error) {
    return fail(error);
  }
}

/** The answer of a run that was pending or interrupted, or a tag that says whether it can still come. */
export function collect(op: number): Answer {
  if (op === lastOp) return lastAnswer;
  const answer = mapGet(settled, op) as Answer | undefined;
  // Any process may still lead to it; under a virtual clock only those that have work now.
  const control = processes()?.control;
  const canCome =
    timerCount() > 0 ||
    requestsWaiting() > 0 ||
    (control !== undefined && (!isVirtual() || control.hasWork()));
  if (answer === undefined) return canCome ? answerTags.pending : answerTags.never;
  mapDelete(settled, op);
  return answer;
}

/** The run ended otherwise: a late answer is dropped. */
export function forget(op: number): void {
  setDelete(pending, op);
  mapDelete(settled, op);
  processes()?.control.forgetAsk(op);
}

/**
 * The changed states, the answers that are ready, and the questions that are being handled, as JSON: all of one moment, so
 * that a state never leaves without the answers that belong to it.
 */
export function changes(): string {
  const control = processes()?.control;
  if (control === undefined) return "";
  const states = control.captureChanges();
  const answered: unknown[] = [];
  let room = answersBytesMaxFor(resultBytesMax);
  mapEach(settled, (answer, op) => {
    room -= typeof answer !== "string" ? 0 : answer.length > room ? answer.length : utf8Length(answer);
    append(answered, [op, room >= 0 ? answer : fail(new Refusal("size", "too long beside other answers"))]);
  });
  mapClear(settled);
  return stringify([states, answered, control.begunAsks()]);
}

/** The function that a target is; throws what says that there is none. */
export function calleeOf(target: View): Callee {
  const callee = openView(target).value;
  if (typeof callee !== "function") throw missing(target);
  return callee as Callee;
}

function conclude(op: number, result: unknown): Answer {
  if (!isThenable(result)) return record(op, finish(result));
  setAdd(pending, op);
  void settle(op, result);
  return wait(op);
}

function wait(op: number): Answer {
  lastPending = op;
  // In a series, the case before it had the same number.
  if (lastOp === op) lastOp = 0;
  return answerTags.pending;
}

// An answer that came during a later run is collected only when the cell is asked to.
function settleLater(op: number, answer: Answer): void {
  mapSet(settled, op, answer);
  if (lastOp > op || lastPending > op) processes()?.control.wakeCell();
}

async function settle(op: number, result: unknown): Promise<void> {
  let answer: Answer;
  try {
    answer = finish(await result);
  } catch (error) {
    answer = fail(error);
  }
  if (setDelete(pending, op)) settleLater(op, answer);
}

function record(op: number, answer: Answer): Answer {
  lastOp = op;
  return (lastAnswer = answer);
}

function isThenable(value: unknown): boolean {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return typeof (value as { then?: unknown }).then === "function";
}

function finish(value: unknown): Answer {
  // A plain number crosses as it is; minus zero and what JSON lacks are encoded.
  return typeof value === "number" && value - value === 0 && value !== 0
    ? value
    : encode(value, resultBytesMax, "kept");
}

function fail(error: unknown): string {
  if (isOurs(error, Refusal))
    return answerTags.refused + stringify([error.reason, slice(error.path, 0, pathMax), error.what]);
  if (isOurs(error, Missing)) return answerTags.missing + stringify([error.what, error.name]);
  if (isOurs(error, CapabilityError) && error.code === "denied")
    return answerTags.denied + stringify([error.capability, error.message]);
  const known = processes();
  if (known?.isProcessLimit(error) === true) return answerTags.processLimit;
  if (known?.isAskFailure(error) === true) return answerTags.unanswered + stringify(unansweredOf(error));
  const unmigrated = known?.migrationFailureOf(error);
  if (unmigrated !== undefined) return failMigration(unmigrated);
  return answerTags.thrown + stringify(describe(error));
}

function failMigration([what, thrown]: readonly [string, unknown]): string {
  const described = describe(thrown);
  return (
    answerTags.unmigrated +
    stringify([described[0], `${what}: ${described[1]}`, described[2], described[3] ?? null])
  );
}
