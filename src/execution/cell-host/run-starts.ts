// Starts runs: the ordinary short one by the fast path, all others as flows. Runs that were sent for the main lane before it had
// to be spared go back: the orchestrator gives them lanes of their own.
import { heldMsMax } from "../main-lane.ts";
import type { RunGroup } from "../protocol/messages.ts";
import type { Box } from "./box.ts";
import { runAt } from "./flows/run-batch.ts";
import { planOf, runFlow } from "./flows/run-flow.ts";
import { seriesFlow } from "./flows/series-flow.ts";
import { runQuickly, type QuickRun, type QuickRunParts } from "./quick-run.ts";
import type { Starts } from "./starts.ts";

export class RunStarts {
  readonly #parts: QuickRunParts;
  readonly #starts: Starts;

  constructor(parts: QuickRunParts, starts: Starts) {
    this.#parts = parts;
    this.#starts = starts;
  }

  /** Starts one run of a group. */
  begin(given: QuickRun): void {
    const { box, batch, index } = given;
    const { group } = batch;
    const { reporter, sliceMs } = this.#parts;
    if (box.isLost || !box.isLoaded) return reporter.unbegun(group.op + index, "gone");
    restartMeters(box);
    if (this.#isMainLaneSpared(box, group)) {
      box.isSpared = true;
      box.quickInRow = 0;
      return reporter.unbegun(group.op + index, "spared");
    }
    box.isSpared = false;
    if (isPlain(group)) return runQuickly(this.#parts, given);
    const run = runAt(batch, index);
    this.#starts.begin(box, planOf(run, sliceMs), (activity) =>
      batch.cases === undefined ? runFlow(box, activity, run) : seriesFlow(box, activity, batch),
    );
  }

  // Those that were sent after one that went back go back too, so that they do not overtake it.
  #isMainLaneSpared({ quickInRow, isSpared }: Box, { lane, timeoutMs }: RunGroup): boolean {
    if (isSpared && lane !== "async") return true;
    if (lane === "async" || (lane === "sync" && timeoutMs <= heldMsMax)) return false;
    return !this.#parts.mainLane.isOpenTo(quickInRow, this.#parts.clock.monotonic());
  }
}

/** Output of earlier runs does not count for the next one. */
export function restartMeters(box: Box): void {
  const hasWritten = box.output.bytes > 0 || box.output.isOver;
  if (hasWritten && box.pending.size === 0) box.output.restart(box.limits.outputBytes);
}

function isPlain({ lane, code, fuel, tell, stream, series }: RunGroup): boolean {
  const isCall = code === undefined && tell === undefined && stream === undefined && series === undefined;
  return isCall && lane !== "async" && fuel === null;
}
