// The fast path of a run: one entry into its isolate on the main thread, one answer, nothing written. It costs a few
// microseconds, so it makes no activity and no flow unless it must.
import { answerTags } from "../../model/runs/answer-tags.ts";
import type { Clock } from "../../std/clock.ts";
import { quickMs, type MainLaneGuard } from "../main-lane.ts";
import { mainSlot } from "../slate.ts";
import { Activity } from "./activity.ts";
import type { Box } from "./box.ts";
import type { Completions } from "./completions.ts";
import type { Driver } from "./driver.ts";
import { answerFlow, isOutOfRange } from "./flows/flows.ts";
import { argsAt, runAt, type RunBatch } from "./flows/run-batch.ts";
import { entryOf, firstEntryOf, planOf } from "./flows/run-flow.ts";
import type { EntryResult, Lanes } from "./lanes.ts";
import type { Reporter } from "./reporter.ts";

export interface QuickRunParts {
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly mainLane: MainLaneGuard;
  readonly reporter: Reporter;
  readonly sliceMs: number;
  readonly driver: Driver;
  readonly completions: Completions;
}

/** One run of a group, and the sandbox that it enters. */
export interface QuickRun {
  readonly box: Box;
  readonly batch: RunBatch;
  readonly index: number;
}

/** Runs one of a batch at once. Anything but a silent answer continues as a flow. */
export function runQuickly(parts: QuickRunParts, run: QuickRun): void {
  const { lanes, mainLane, reporter, clock, driver, completions, sliceMs } = parts;
  const { box, batch, index } = run;
  const { group } = batch;
  const op = group.op + index;
  box.current = op;
  const target = box.targetOf(batch.targetId);
  const { reference, args } =
    target === undefined
      ? firstEntryOf(box, runAt(batch, index))
      : entryOf(box, { op, target, args: argsAt(batch, index) });
  box.isTentative = group.lane === "slice";
  const outputBytes = box.output.bytes;
  const cpuMs = box.isolate.lastCpuMs;
  const startedMs = clock.monotonic();
  const { budgetMs, options } = batch;
  const answer = lanes.callNow(box, {
    slot: mainSlot,
    op,
    key: box.key,
    startedMs,
    budgetMs,
    reference,
    args,
    options,
  });
  const endedMs = clock.monotonic();
  // Where it was cut, the target may not have got its number.
  if (target === undefined && typeof answer !== "object") box.addTarget(batch.targetId);
  const wallMs = endedMs - startedMs;
  mainLane.note(wallMs, box.quickInRow, endedMs);
  box.quickInRow = wallMs <= quickMs ? box.quickInRow + 1 : 0;
  const isAnswer =
    typeof answer === "number" || (typeof answer === "string" && answer !== answerTags.pending);
  const isSilent = box.output.bytes === outputBytes && !box.output.isOver;
  if (isAnswer && isSilent && !box.isMemoryLowered && box.requests.length === 0 && !isOutOfRange(answer)) {
    const isOver = box.heap.isDue(wallMs) && box.isOverweight(box.heap.sample());
    // What it holds must be measured exactly, which is a flow.
    if (isOver) box.heap.expire();
    else reporter.heap(box.heap.take());
    const usedMs = box.cpuMs() - cpuMs;
    if (!isOver && !box.isLost) {
      box.current = 0;
      box.isTentative = false;
      reporter.quick(op, answer, { startedMs, wallMs, cpuMs: usedMs });
      if (box.queue.length > 0) completions.next(box);
      return;
    }
  }
  const plan = planOf(runAt(batch, index), sliceMs);
  const activity = new Activity(plan, { startedMs, cpuMs, outputBytes }, clock);
  const first = typeof answer === "object" ? (answer as EntryResult) : ({ end: "returned", answer } as const);
  completions.conclude(box, activity, driver.now(box, answerFlow(box, activity, first), op));
}
