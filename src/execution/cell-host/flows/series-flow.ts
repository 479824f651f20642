// A series of cases inside its isolate. Its activity is about the latest case, with the answers of those before it, so that a
// case that is cut, waits or fails ends like any other run.
import { answerTags } from "../../../model/runs/answer-tags.ts";
import type { RunGroup } from "../../protocol/messages.ts";
import type { Activity } from "../activity.ts";
import type { Box } from "../box.ts";
import { runsPerSample } from "../isolates/meters.ts";
import { applying, housekeepingMs, type Flow } from "./entry-request.ts";
import { answered, collectFlow, cutFlow, measured, unreadAnswer } from "./flows.ts";
import { holdFuel } from "./fuel-flow.ts";
import type { RunBatch } from "./run-batch.ts";
import { seriesMs } from "./run-flow.ts";

/** What the guest runtime tells of a series. */
interface Told {
  readonly before: readonly (number | string)[];
  readonly last: string;
}

const uncounted = -1;
/** Unhandled rejections of the guest may replace an answer so many times. */
const readsMax = 8;

export function* seriesFlow(box: Box, activity: Activity, { group, cases = "" }: RunBatch): Flow {
  const { fuel, series } = group;
  if (fuel !== null) yield* holdFuel(box, activity);
  const given = [activity.op, cases, fuel ?? uncounted, series?.isStrict === true];
  let entry = yield applying(box.guest.runSeries, given, activity.remainingMs());
  for (let known = -1; ;) {
    if (entry.end === "timeout" || entry.end === "disposed") {
      const completion = yield* cutFlow(box, activity, entry);
      activity.before = (yield* soFarFlow(box, activity, group))?.before;
      return yield* measured(box, activity, completion);
    }
    const told =
      entry.end === "returned" ? toldIn(entry.answer, group) : yield* soFarFlow(box, activity, group);
    if (told === undefined) {
      box.dispose();
      return unreadAnswer;
    }
    activity.before = told.before;
    if (told.last !== answerTags.pending) {
      // Many short runs may have left much behind.
      if (told.before.length >= runsPerSample) box.heap.expire();
      return yield* measured(box, activity, answered(told.last));
    }
    // A promise that had nothing to wait for is settled by now, and the next case follows.
    const isWaiting = told.before.length === known;
    if (isWaiting || activity.ageMs() >= seriesMs) return yield* collectFlow(box, activity);
    known = told.before.length;
    entry = yield applying(box.guest.goOnWithSeries, [], activity.remainingMs());
  }
}

function* soFarFlow(box: Box, { op }: Activity, group: RunGroup): Flow<Told | undefined> {
  for (let reads = 0; reads < readsMax && !box.isLost; reads++) {
    const entry = yield applying(box.guest.seriesSoFar, [op], housekeepingMs);
    if (entry.end === "returned") return toldIn(entry.answer, group);
    if (entry.end !== "broken") return undefined;
  }
  return undefined;
}

// The guest made this text: where it is malformed, nothing is known.
function toldIn(text: unknown, { series, fuel }: RunGroup): Told | undefined {
  if (typeof text !== "string") return undefined;
  const start = text.indexOf(" ") + 1;
  const end = start + Number(text.slice(0, start));
  const before = Number.isSafeInteger(end) ? listIn(text.slice(start, end)) : undefined;
  const width = fuel === null ? 1 : 2;
  const countMax = (series?.count ?? 0) - 1;
  if (before === undefined || before.length % width !== 0 || before.length > countMax * width)
    return undefined;
  return { before, last: text.slice(end) };
}

function listIn(items: string): readonly (number | string)[] | undefined {
  try {
    const list: unknown = JSON.parse(`[${items}]`);
    return Array.isArray(list) && list.every(isAnswer) ? list : undefined;
  } catch {
    return undefined;
  }
}

const isAnswer = (value: unknown): value is number | string =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
