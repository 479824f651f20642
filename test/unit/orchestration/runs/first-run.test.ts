// Which run may be repeated as the first of its isolate.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FirstRun } from "../../../../src/orchestration/runs/first-run.ts";
import type { Place, RunTicket } from "../../../../src/orchestration/runs/ticket.ts";

const [here, elsewhere] = [{} as Place, {} as Place];
const sent = (lane: string, wasPristine: boolean, place = here): RunTicket =>
  ({ lane, wasPristine, place }) as unknown as RunTicket;

test("FirstRun: one that came back without having begun is the first again, at the same place and where it was alone", () => {
  const runs = new FirstRun();
  const first = sent("slice", true);
  runs.noteSent(first);
  assert.deepEqual([runs.isStill(first, here), runs.isStill(first, elsewhere)], [true, false]);
  assert.equal(runs.isStill(sent("slice", true), here), false);
  // One that was sent to another place is no matter; one that was sent to this place may have begun.
  runs.noteSent(sent("sync", false, elsewhere));
  assert.equal(runs.isStill(first, here), true);
  runs.noteSent(sent("sync", false));
  assert.deepEqual([runs.isStill(first, here), first.wasPristine], [false, true]);
});

test("FirstRun: of two on different lanes neither counts as the first", () => {
  for (const [one, other] of [
    ["slice", "async"],
    ["async", "sync"],
  ] as const) {
    const runs = new FirstRun();
    const first = sent(one, true);
    for (const ticket of [first, sent(other, false)]) runs.noteSent(ticket);
    assert.deepEqual([first.wasPristine, runs.isStill(first, here)], [false, false]);
  }
});
