// New code in a living isolate, and the end of a reload: flows like those of runs.
import type { ReloadCommand } from "../protocol/messages.ts";
import type { Activity } from "./activity.ts";
import type { Box } from "./box.ts";
import { defineFlow, unreliable } from "./code-flows.ts";
import { takeFuel } from "./fuel-flow.ts";
import { applying, housekeepingMs, type Flow } from "./entry-request.ts";
import { answerFlow } from "./flows.ts";

/** A top level is bounded by its time alone. */
const unlimitedFuel = Number.MAX_SAFE_INTEGER;

/** Puts other modules into a living sandbox, beside the old ones until it is settled. */
export function* reloadFlow(box: Box, activity: Activity, command: ReloadCommand): Flow {
  const { modules, removed, versions, states } = command;
  if (box.limits.fuel !== null) yield* takeFuel(box, undefined, unlimitedFuel);
  const prepared = yield applying(box.guest.prepareReload, [JSON.stringify(removed)], housekeepingMs);
  if (prepared.answer !== true) return unreliable(box);
  const plan = JSON.stringify({ order: modules.map(([name]) => name), removed, versions, states });
  return (
    (yield* defineFlow(box, activity, modules)) ??
    (yield* answerFlow(
      box,
      activity,
      yield applying(box.guest.reload, [command.op, plan], activity.remainingMs()),
    ))
  );
}

/**
 * Ends a reload for good. False where there was none to commit, or where what was there could not be put back: then the
 * isolate is no more.
 */
export function* settleFlow(box: Box, isCommitted: boolean): Flow<boolean> {
  const settled = yield applying(box.guest.settleReload, [isCommitted], housekeepingMs);
  const isSettled = settled.answer === true;
  if (!isSettled && !isCommitted) unreliable(box);
  return isSettled;
}
