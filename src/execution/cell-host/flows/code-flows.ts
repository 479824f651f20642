// Flows that bring code into an isolate: scripts compiled and run, modules evaluated.
import { answerTags } from "../../../model/runs/answer-tags.ts";
import type { LoadCommand } from "../../protocol/messages.ts";
import type { Activity, Completion } from "../activity.ts";
import type { Box } from "../box.ts";
import { applying, housekeepingMs, type Flow } from "./entry-request.ts";
import { Refused, type ScriptText } from "../isolates/guest-isolate.ts";
import { handOver, type AnyReference } from "../isolates/references.ts";
import { answered, answerFlow, cutFlow, noOp } from "./flows.ts";

const syntaxMessageMax = 2_000;
/** For entries without guest code that a load cannot do without: long, as only the machine can be slow. */
const preparingMs = 30_000;

/** Evaluates the modules of a new sandbox, and starts its processes. */
export function* loadFlow(box: Box, activity: Activity, command: LoadCommand): Flow {
  const { op, character, features, fetchBy, isDense, processes, modules } = command;
  const setup = { ...character, features, fetchBy, isDense, resultBytes: box.limits.resultBytes };
  const failure = yield* installFlow(box, activity, setup);
  if (failure !== undefined) return failure;
  const factories = yield* compileFlow(box, activity, modules);
  if ("verdict" in factories) return factories;
  const hasTree = processes !== null && processes.supervisor !== null;
  const tree = hasTree ? { supervisor: processes.supervisor, capture: processes.capture } : null;
  const plan = JSON.stringify({
    setup: box.processRuntime === undefined ? setup : null,
    order: modules.map(([name]) => name),
    tree,
  });
  activity.countFromHere();
  // One entry for all: where it is cut, it was no load, and no half of its setup is used.
  const first = yield applying(box.guest.load, [op, plan, ...factories], activity.remainingMs());
  return yield* answerFlow(box, activity, first);
}

// The process runtime is loaded before any guest code, so that the intrinsics that it keeps are unchanged, but after the sandbox
// is set up: a deterministic one has other intrinsics.
function* installFlow(box: Box, activity: Activity, setup: object): Flow<Completion | undefined> {
  if (box.processRuntime === undefined) return undefined;
  const shaped = yield applying(box.guest.shape, [JSON.stringify(setup)], preparingMs);
  // Without its character, or with only some of its features, it is not the sandbox that was asked for.
  if (shaped.end !== "returned") return unreliable(box);
  const install = yield* evaluateFlow(box, activity, box.processRuntime);
  if ("verdict" in install) return install;
  const limits = processLimitsOf(box);
  yield applying(box.guest.installProcesses, [handOver(install, { release: true }), limits], housekeepingMs);
  return undefined;
}

/** It is not known which code the isolate runs, as an entry of ours did not work: the isolate is disposed of. */
export function unreliable(box: Box): Completion {
  box.dispose("gone");
  return { verdict: "gone", answer: "" };
}

/** Compiles modules; returns their factories, each to be handed over once. */
export function* compileFlow(
  box: Box,
  activity: Activity,
  modules: LoadCommand["modules"],
): Flow<unknown[] | Completion> {
  const factories: unknown[] = [];
  for (const [name, text] of modules) {
    const factory = yield* evaluateFlow(box, activity, moduleScript(name, text));
    if ("verdict" in factory) return factory;
    factories.push(handOver(factory, { release: true }));
  }
  return factories;
}

/** A module's script. Its first line is a wrapper's, so that the module's own lines have the numbers of its source. */
export function moduleScript(name: string, text: string): ScriptText {
  return { text, filename: `vivarium:${name}`, lineOffset: -1 };
}

/** Passes limits to the guest runtime. */
export function* limitsFlow(box: Box): Flow<void> {
  yield applying(box.guest.limitResults, [box.limits.resultBytes], housekeepingMs);
  if (!box.isLoaded || box.processRuntime === undefined) return;
  yield applying(box.guest.manage, [noOp, "limits", processLimitsOf(box), ""], housekeepingMs);
}

function processLimitsOf({ limits, isCheckpointed }: Box): string {
  const { processes, messageQueue, loadMs, resultBytes } = limits;
  return JSON.stringify({ processes, messageQueue, loadMs, isCheckpointed, resultBytes });
}

/** Compilation has no timer inside the isolate; it is announced as an entry, so that the watchdog bounds it. */
export function* evaluateFlow(
  box: Box,
  activity: Activity,
  script: ScriptText,
): Flow<AnyReference | Completion> {
  const { isolate } = box;
  const result = yield {
    budgetMs: activity.remainingMs(),
    now: (timeout) => isolate.evaluateNow(script, timeout),
    later: (timeout) => isolate.evaluateLater(script, timeout),
  };
  if (result.end !== "returned") return yield* cutFlow(box, activity, result);
  return result.answer instanceof Refused ? syntaxError(result.answer) : (result.answer as AnyReference);
}

// The engine refuses a few programs that the compiler lets through; its message is meant for the guest.
function syntaxError({ why }: Refused): Completion {
  return answered(
    `${answerTags.thrown}${JSON.stringify(["SyntaxError", why.slice(0, syntaxMessageMax), ""])}`,
  );
}
