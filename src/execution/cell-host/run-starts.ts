// Starts runs: the ordinary short one by the fast path, all others as flows. Runs that were sent for the main lane before it had
// to be spared get lanes of their own.
import { heldMsMax, MainLaneGuard } from "../main-lane.ts";
import type { RunGroup } from "../protocol/messages.ts";
import type { ActivityPlan } from "./activity.ts";
import type { Box } from "./box.ts";
import { runAt } from "./flows/run-batch.ts";
import { planOf, runFlow } from "./flows/run-flow.ts";
import { runQuickly, type QuickRun, type QuickRunParts } from "./quick-run.ts";
import type { Starts } from "./starts.ts";

export class RunStarts {
  readonly #parts: QuickRunParts;
  readonly #starts: Starts;

  constructor(parts: Omit<QuickRunParts, "mainLane">, starts: Starts) {
    this.#parts = { ...parts, mainLane: new MainLaneGuard() };
    this.#starts = starts;
  }

  /** Starts one run of a group; `lastOp` is the latest operation that came in. */
  begin(given: QuickRun, lastOp: number): void {
    const { box, batch, index } = given;
    const { group } = batch;
    const { reporter, lanes, sliceMs } = this.#parts;
    if (box.isLost || !box.isLoaded) return reporter.gone(group.op + index);
    restartMeters(box);
    const isSpared = this.#isMainLaneSpared(box, group);
    if (!isSpared && isPlain(group)) return runQuickly(this.#parts, given);
    const run = runAt(batch, index);
    const plan: ActivityPlan = planOf(run, sliceMs);
    if (isSpared) {
      box.quickInRow = 0;
      // Operations that were sent after this one may begin before it.
      lanes.noteBegun(lastOp);
    }
    this.#starts.begin(box, isSpared ? { ...plan, lane: "async" } : plan, (activity) =>
      runFlow(box, activity, run),
    );
  }

  #isMainLaneSpared({ quickInRow }: Box, { lane, timeoutMs }: RunGroup): boolean {
    if (lane !== "sync" || timeoutMs <= heldMsMax) return false;
    return !this.#parts.mainLane.isOpenTo(quickInRow, this.#parts.clock.monotonic());
  }
}

/** Output of earlier runs does not count for the next one. */
export function restartMeters(box: Box): void {
  const hasWritten = box.output.bytes > 0 || box.output.isOver;
  if (hasWritten && box.pending.size === 0) box.output.restart(box.limits.outputBytes);
}

function isPlain({ lane, code, fuel, tell }: RunGroup): boolean {
  return lane !== "async" && code === undefined && fuel === null && tell === undefined;
}
