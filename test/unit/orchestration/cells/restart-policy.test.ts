// When a process that failed is tried again: with growing pauses, and after five failures not for a while.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  afterFailure,
  decideStart,
  isTooOften,
  noFailures,
  type FailureRecord,
} from "../../../../src/orchestration/cells/restart-policy.ts";

const failed = (failures: number, lastFailureMs = 1_000): FailureRecord => ({
  failures,
  lastFailureMs,
  why: "",
});

test("decideStart() starts at once when nothing failed", () => {
  assert.deepEqual(decideStart(noFailures, 0), { do: "start" });
});

test("decideStart() waits twice as long after each failure, then refuses", () => {
  const rows: readonly (readonly [number, "wait" | "refuse", number])[] = [
    [1, "wait", 100],
    [2, "wait", 200],
    [3, "wait", 400],
    [4, "wait", 800],
    [5, "refuse", 10_000],
    [6, "refuse", 10_000],
    [1_000, "refuse", 10_000],
  ];
  for (const [failures, what, pauseMs] of rows) {
    assert.deepEqual(decideStart(failed(failures), 1_000), { do: what, forMs: pauseMs });
    assert.deepEqual(decideStart(failed(failures), 1_000 + pauseMs - 1), { do: what, forMs: 1 });
    assert.deepEqual(decideStart(failed(failures), 1_000 + pauseMs), { do: "start" });
  }
});

test("afterFailure() counts on and remembers when and why", () => {
  const once = afterFailure(noFailures, 50, "first");
  assert.deepEqual(once, { failures: 1, lastFailureMs: 50, why: "first" });
  assert.deepEqual(afterFailure(once, 70, "second"), { failures: 2, lastFailureMs: 70, why: "second" });
});

test("isTooOften() holds when the most are within the window, and not for what is longer ago", () => {
  const rule = { max: 3, windowMs: 100 };
  const rows: readonly (readonly [readonly number[], number, boolean])[] = [
    [[], 0, false],
    [[1, 2], 2, false],
    [[1, 2, 3], 3, true],
    [[1, 2, 3], 100, true],
    [[1, 2, 3], 101, false],
    [[0, 50, 99], 99, true],
    [[0, 50, 100], 100, false],
  ];
  for (const [times, nowMs, expected] of rows)
    assert.equal(isTooOften(times, nowMs, rule), expected, `${times} at ${nowMs}`);
});
