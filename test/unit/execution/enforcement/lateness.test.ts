// How late an entry may be: longer where the machine was busy elsewhere.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  graceMs,
  isOverdue,
  lateLooksMin,
  starvedGraceMs,
  starvedGraceMsMax,
  timesOf,
  type SeenTimes,
} from "../../../../src/execution/enforcement/lateness.ts";
import { mainSlot } from "../../../../src/execution/slate.ts";

const everyMs = 10;

type TimeAt = (nowMs: number) => number | undefined;

/**
 * When an entry with this budget is overdue, at looks every 10 ms; `cpuAt` is the processor time that its cell has used, and
 * `mainAt` that of the cell's main thread.
 */
function overdueMs(
  budgetMs: number,
  cpuAt: TimeAt,
  {
    mainAt = () => undefined,
    slot = mainSlot,
    processState = "R",
  }: { readonly mainAt?: TimeAt; readonly slot?: number; readonly processState?: string } = {},
): number {
  const entry = { slot, op: 7, key: 3, startedMs: 0, budgetMs };
  let seen: SeenTimes | undefined;
  for (let nowMs = 0; nowMs <= 100_000; nowMs += everyMs) {
    const look = { nowMs, cpuMs: cpuAt(nowMs), mainCpuMs: mainAt(nowMs), processState };
    if (isOverdue(entry, seen, look)) return nowMs;
    seen = timesOf(entry, seen, look);
  }
  return Infinity;
}

suite("an entry is overdue", () => {
  test("a grace after its deadline, where its cell had the processor or nobody knows", () => {
    for (const cpuAt of [(nowMs: number) => nowMs, (nowMs: number) => nowMs * 0.6, () => undefined])
      assert.equal(overdueMs(500, cpuAt), 500 + graceMs + everyMs);
  });

  test("later where the machine let its cell run too little, but not never", () => {
    for (const share of [0.1, 0])
      assert.equal(
        overdueMs(500, (nowMs) => nowMs * share),
        500 + starvedGraceMs + everyMs,
      );
  });

  test("later where the machine stopped running its cell at the deadline", () => {
    const stoppingAt = (deadlineMs: number, share: number) => (nowMs: number) =>
      Math.min(nowMs, deadlineMs) + Math.max(0, nowMs - deadlineMs) * share;
    assert.equal(overdueMs(500, stoppingAt(500, 0.6)), 500 + graceMs + everyMs);
    assert.equal(overdueMs(500, stoppingAt(500, 0.1)), 500 + starvedGraceMs + everyMs);
  });

  test("later on the main thread where others of its cell took its share of the processor", () => {
    const both = (nowMs: number): number => nowMs * 1.5;
    const mainAt = (nowMs: number): number => nowMs * 0.1;
    assert.equal(overdueMs(500, both, { mainAt }), 500 + starvedGraceMs + everyMs);
    assert.equal(overdueMs(500, both, { mainAt: (nowMs) => nowMs * 0.6 }), 500 + graceMs + everyMs);
    assert.equal(overdueMs(500, both, { mainAt, slot: mainSlot + 1 }), 500 + graceMs + everyMs);
    // One that sleeps does not wait for the processor.
    assert.equal(overdueMs(500, both, { mainAt, processState: "S" }), 500 + graceMs + everyMs);
  });

  test("not before it was seen late a number of times, where the machine stood still and nobody looked", () => {
    const entry = { slot: mainSlot, op: 7, key: 3, startedMs: 0, budgetMs: 500 };
    const lookAt = (nowMs: number) => ({ nowMs, cpuMs: nowMs, mainCpuMs: nowMs, processState: "R" });
    let seen = timesOf(entry, undefined, lookAt(0));
    for (let n = 0; n < lateLooksMin; n++) {
      const look = lookAt(60_000 + n * everyMs);
      assert.equal(isOverdue(entry, seen, look), false, `at look ${n}`);
      seen = timesOf(entry, seen, look);
    }
    assert.equal(isOverdue(entry, seen, lookAt(60_000 + lateLooksMin * everyMs)), true);
  });

  test("in a starved cell the later the longer its own time is, up to a bound", () => {
    const never = (): number => 0;
    assert.equal(overdueMs(100, never), 100 + starvedGraceMs + everyMs);
    assert.equal(overdueMs(5_000, never), 4 * 5_000 + everyMs);
    assert.equal(overdueMs(40_000, never), 40_000 + starvedGraceMsMax + everyMs);
  });
});
