// Flows of a reload: new code in a running isolate, and its commit or undo.
import type { ReloadCommand } from "../../protocol/messages.ts";
import type { Activity } from "../activity.ts";
import type { Box } from "../box.ts";
import { compileFlow, unreliable } from "./code-flows.ts";
import { takeFuel } from "./fuel-flow.ts";
import { applying, housekeepingMs, type Flow } from "./entry-request.ts";
import { answerFlow } from "./flows.ts";

/** A top level is bounded by time alone. */
const unlimitedFuel = Number.MAX_SAFE_INTEGER;

/** Evaluates new modules in a running sandbox, beside the old ones until it is settled. */
export function* reloadFlow(box: Box, activity: Activity, command: ReloadCommand): Flow {
  const { op, modules, removed, versions, states } = command;
  if (box.limits.fuel !== null) yield* takeFuel(box, undefined, unlimitedFuel);
  const plan = JSON.stringify({ order: modules.map(([name]) => name), removed, versions, states });
  const factories = yield* compileFlow(box, activity, modules);
  if ("verdict" in factories) return factories;
  // One entry for all: on another thread each costs more than what is done in it.
  const first = yield applying(box.guest.reload, [op, plan, ...factories], activity.remainingMs());
  return yield* answerFlow(box, activity, first);
}

/**
 * Commits a reload or undoes it. False where there was none to commit, or where it could not be undone: then the isolate is
 * disposed of.
 */
export function* settleFlow(box: Box, isCommitted: boolean): Flow<boolean> {
  const settled = yield applying(box.guest.settleReload, [isCommitted], housekeepingMs);
  const isSettled = settled.answer === true;
  if (!isSettled) unreliable(box);
  return isSettled;
}
