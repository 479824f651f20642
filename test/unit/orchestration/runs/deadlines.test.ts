// What is checked regularly, and what is done even where a check comes too late to judge by it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellPool } from "../../../../src/orchestration/cells/cell-pool.ts";
import { Deadlines } from "../../../../src/orchestration/runs/deadlines.ts";
import type { RunTable } from "../../../../src/orchestration/runs/run-table.ts";
import type { Clock } from "../../../../src/std/clock.ts";

test("a check that comes late judges no run, and yet tells the watchdog what the heaps hold", () => {
  // A blocked main thread fires its timers late, which a fake clock that fires each in time does not show.
  let nowMs = 0;
  let fire = (): void => assert.fail("no check is scheduled");
  const after: Clock["after"] = (_delayMs, act) => {
    fire = act;
    return { cancel: () => {} };
  };
  const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after };
  const done: string[] = [];
  const queue = {
    isBusy: true,
    updateHeapBytes: () => void done.push("heap"),
    isSilent: () => done.push("look") < 0,
    updateBlocked: () => undefined,
  };
  const table = { underway: new Set() } as unknown as RunTable;
  const deadlines = new Deadlines({ clock, pool: { queues: [queue] } as unknown as CellPool, table });
  deadlines.wake();
  nowMs += 60;
  fire();
  assert.deepEqual(done.splice(0), ["heap", "look"]);
  nowMs += 1_000;
  fire();
  assert.deepEqual(done, ["heap"]);
  deadlines.close();
});
