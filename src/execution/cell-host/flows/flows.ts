// The steps of each operation inside an isolate, as generators that ask for entries. The driver makes them on the main thread or
// on another, so that each flow is written once.
import { answerTags } from "../../../model/runs/answer-tags.ts";
import type { ManageCommand } from "../../protocol/messages.ts";
import type { Activity, Completion, StateChanges } from "../activity.ts";
import type { Box } from "../box.ts";
import { readFuel, takeTurnFuel } from "./fuel-flow.ts";
import { applying, housekeepingMs, probing, type Flow } from "./entry-request.ts";
import { weighFlow } from "./memory-flow.ts";
import type { GuestFunction } from "../isolates/references.ts";
import type { EntryResult } from "../lanes.ts";

/** Instead of a timer's number: the timer that is due first. */
const earliest = 0;
/** No operation of the orchestrator. */
export const noOp = 0;
const brokenMax = 8;
/** An isolate that is quiet answers at once, unless the machine is busy elsewhere: then it is asked again, so often at most. */
const probes = { firstMs: 10, laterMs: 100, inVainMax: 2, max: 6 } as const;
/** Pending promises of the process run in the entry that ends it; long enough for a busy machine. */
const blameMs = 250;

/**
 * Reads the fuel that an activity used, where it is counted, and the states that it changed, where they are stored. Where the
 * sandbox then holds too much memory, that is the verdict.
 */
export function* measured(box: Box, activity: Activity, completion: Completion): Flow<Completion> {
  yield* readFuel(box, activity);
  if (box.fuelHolder === activity) box.fuelHolder = undefined;
  const isRefused = isOutOfRange(completion.answer);
  if (yield* weighFlow(box, { ranMs: activity.ageMs(), isRefused })) return disposedCompletion(box);
  if (box.isCheckpointed && !box.isLost) activity.changes = yield* changesFlow(box);
  return completion;
}

/** A request about processes; the answer is a text. */
export function* manageFlow(box: Box, activity: Activity, command: ManageCommand): Flow {
  const { op, verb, first, second } = command;
  const entry = yield applying(box.guest.manage, [op, verb, first, second], activity.remainingMs());
  return yield* answerFlow(box, activity, entry);
}

/** Gives processes their turns; true when some still have work. A step that is cut ends its process, not the turn. */
export function* turnFlow(box: Box): Flow<boolean | Completion> {
  // Within a run they use its fuel, which is in the counter.
  if (box.current === 0) yield* takeTurnFuel(box);
  const result = yield applying(box.guest.turn, [], box.limits.stepMs);
  if (result.end === "returned") return result.answer === true;
  if (result.end === "broken") return true;
  return (yield* blameFlow(box, result)) ? true : yield* cutFlow(box, undefined, result);
}

/** What changed since the last time, where every change is to be reported. */
export function* changesFlow(box: Box): Flow<StateChanges | undefined> {
  const result = yield applying(box.guest.changes, [], housekeepingMs);
  return typeof result.answer === "string" ? changesOf(result.answer) : undefined;
}

// The guest made this text: what is malformed is ignored.
function changesOf(text: string): StateChanges | undefined {
  const parts = partsOf(text);
  if (!Array.isArray(parts)) return undefined;
  const [capture, answered, begun] = parts as unknown[];
  const isAnswer = (pair: unknown): pair is [number, number | string] => {
    return (
      Array.isArray(pair) && Number.isSafeInteger(pair[0]) && ["string", "number"].includes(typeof pair[1])
    );
  };
  return {
    capture: typeof capture === "string" ? capture : "",
    answered: Array.isArray(answered) ? answered.filter(isAnswer) : [],
    begun: Array.isArray(begun)
      ? begun.filter((op): op is number => Number.isSafeInteger(op) && op >= 0)
      : [],
  };
}

function partsOf(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

// After a cut: whether it was the step of a process, which is ended.
function* blameFlow(box: Box, result: EntryResult): Flow<boolean> {
  if (box.processRuntime === undefined || result.end !== "timeout") return false;
  const blamed = yield applying(box.guest.cutStep, [true], blameMs);
  if (blamed.end === "returned") box.isolate.noteQuiet();
  return blamed.end === "returned" && blamed.answer === true;
}

/** Whether a load or reload succeeded. */
export function isValue(completion: Completion): boolean {
  return completion.verdict === "answered" && String(completion.answer).startsWith("V");
}

const outOfRange = `${answerTags.thrown}["RangeError"`;

/** Whether the answer is a RangeError, as of a buffer that was refused for memory. Only a heap sample can confirm it. */
export function isOutOfRange(answer: unknown): boolean {
  return typeof answer === "string" && answer.startsWith(outOfRange);
}

/**
 * Continues after the first entry of an activity. The answer may be pending, or replaced by an unhandled rejection: then it is
 * read from its slot.
 */
export function* answerFlow(box: Box, activity: Activity, first: EntryResult): Flow {
  if (first.end === "returned" && first.answer !== answerTags.pending) {
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
  const completion = yield* readFlow(box, activity);
  if (completion !== undefined) return yield* measured(box, activity, completion);
  return (yield* weighFlow(box, { ranMs: activity.ageMs() })) ? disposedCompletion(box) : undefined;
}

function* readFlow(box: Box, activity: Activity): Flow {
  for (let broken = 0; broken < brokenMax;) {
    const result = yield applying(box.guest.collect, [activity.op], activity.remainingMs());
    if (result.end === "timeout" || result.end === "disposed") return yield* cutFlow(box, activity, result);
    if (result.end === "broken") broken++;
    else if (result.answer !== answerTags.pending) return answered(result.answer);
    else if (!box.isVirtual) return undefined;
    else {
      // A virtual clock moves on at once, and processes with work go first.
      if (box.processRuntime !== undefined) {
        const turned = yield* turnFlow(box);
        if (typeof turned !== "boolean") return turned;
        if (activity.isExhausted) return { verdict: "fuel", answer: "" };
        if (turned && !activity.isOverdue) continue;
      }
      const tick = yield applying(box.guest.tick, [earliest], activity.remainingMs());
      const isCut = tick.end === "timeout" || tick.end === "disposed";
      if (isCut || activity.isOverdue)
        return yield* cutFlow(box, activity, isCut ? tick : { end: "timeout", answer: "" });
    }
  }
  box.dispose();
  return unreadAnswer;
}

/** The completion of an activity whose answer could not be read. */
export const unreadAnswer: Completion = {
  verdict: "answered",
  answer: `${answerTags.thrown}${JSON.stringify(["Error", "Its unhandled rejections kept the answer from being read", ""])}`,
};

/** A turn between runs, on account of the run `owner`, within `budgetMs`; a completion when it was cut. */
export type TurnFlow = (turn: { readonly owner: number; readonly budgetMs: number }) => Flow;

/** Fires one timer. */
export const tickFlow = (box: Box, id: number): TurnFlow => turnOf(box, box.guest.tick, [id]);

/** Delivers the host's answer to a request. */
export const answerRequestFlow = (
  box: Box,
  { id, code, text }: { readonly id: number; readonly code: string; readonly text: string },
): TurnFlow => turnOf(box, box.guest.answer, [id, code, text]);

const turnOf = (box: Box, reference: GuestFunction, args: readonly unknown[]): TurnFlow =>
  function* ({ owner, budgetMs }) {
    yield* takeTurnFuel(box, owner);
    const result = yield applying(reference, args, budgetMs);
    if (result.end !== "timeout" && result.end !== "disposed") return undefined;
    // Where it was the step of a process, only that process is ended.
    return (yield* blameFlow(box, result)) ? undefined : yield* cutFlow(box, undefined, result);
  };

export function* forgetFlow(box: Box, op: number): Flow<void> {
  yield applying(box.guest.forget, [op], housekeepingMs);
}

// After a cut the isolate is used further only when an empty entry returns: what was queued before the cut runs in it.
export function* cutFlow(box: Box, activity: Activity | undefined, result: EntryResult): Flow<Completion> {
  if (result.end === "disposed") return disposedCompletion(box);
  const isSliced = activity?.isSliced === true;
  // It begins again elsewhere. Others in the same isolate stay there where it is quiet.
  const isQuiet = isSliced && !box.isolate.shared.isDense ? false : yield* probeFlow(box);
  if (isQuiet) box.isolate.noteQuiet();
  const verdict = isSliced ? "sliced" : "timeout";
  if (isSliced || !isQuiet) box.dispose(verdict);
  return { verdict, answer: "" };
}

/** Whether the guest has left nothing behind that would run once it is gone. */
export function* retireFlow(box: Box): Flow<boolean> {
  const retired = yield applying(box.guest.retire, [], housekeepingMs);
  return retired.answer === true;
}

function* probeFlow(box: Box): Flow<boolean> {
  let inVain = 0;
  for (let probe = 0; probe < probes.max && inVain < probes.inVainMax; probe++) {
    const { end } = yield probing(box.guest.probe, probe === 0 ? probes.firstMs : probes.laterMs);
    if (end === "returned") return true;
    if (end !== "starved") inVain++;
  }
  return false;
}

/** The completion of an activity whose isolate is gone. */
export function disposedCompletion(box: Box): Completion {
  return { verdict: box.isolate.goneBy, answer: "" };
}

export function answered(answer: unknown): Completion {
  return {
    verdict: "answered",
    answer: typeof answer === "number" || typeof answer === "string" ? answer : "",
  };
}
