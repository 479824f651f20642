// Which way a run enters its isolate, for everything that is known of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane } from "../../../../src/execution/protocol/messages.ts";
import {
  chooseLane,
  chooseLoadLane,
  PaceHistory,
  SliceHistories,
  SliceHistory,
  type LaneFacts,
  type Pace,
} from "../../../../src/orchestration/runs/lane.ts";

const facts: LaneFacts = {
  pace: "unknown",
  meanMs: 0,
  timeoutMs: 30_000,
  isCpuBound: false,
  isPristine: true,
  isHeavy: false,
  isMainLaneClosed: false,
  slicesAreWasted: false,
};

const rows: readonly (readonly [string, Partial<LaneFacts>, string])[] = [
  ["a first run of unknown length is tried in a slice", {}, "slice"],
  ["a first run has a lane of its own where slices are wasted", { slicesAreWasted: true }, "async"],
  ["and while the main lane is spared", { isMainLaneClosed: true }, "async"],
  [
    "a run of unknown length that could not be repeated has a lane of its own",
    { isPristine: false },
    "async",
  ],
  [
    "a run of a sandbox that is known to be slow has a lane of its own",
    { pace: "slow", isPristine: false },
    "async",
  ],
  ["a first run of a sandbox known to be slow is tried in a slice", { pace: "slow" }, "slice"],
  [
    "a run of a sandbox that is known to be quick enters at once",
    { pace: "quick", isPristine: false },
    "sync",
  ],
  ["a run that must end within 50 ms enters at once", { timeoutMs: 50, isPristine: false }, "sync"],
  ["a run that may take 51 ms does not enter at once", { timeoutMs: 51, isPristine: false }, "async"],
  [
    "a run that must end within 50 ms has a lane of its own where its sandbox used much lately",
    { timeoutMs: 50, isHeavy: true, pace: "slow" },
    "async",
  ],
  [
    "a run that must end within 50 ms has a lane of its own where its sandbox is known to be slow",
    { timeoutMs: 50, isPristine: false, pace: "slow" },
    "async",
  ],
  ["a first run has a lane of its own where its sandbox used much lately", { isHeavy: true }, "async"],
  ["a run of a quick sandbox enters at once", { pace: "quick", meanMs: 9 }, "sync"],
  [
    "also where it used much, if its runs take a millisecond at most",
    { pace: "quick", isHeavy: true, meanMs: 1 },
    "sync",
  ],
  ["but not where they take longer", { pace: "quick", isHeavy: true, meanMs: 1.1 }, "async"],
  [
    "a run of a quick sandbox has a lane of its own while the main lane is spared",
    { pace: "quick", isMainLaneClosed: true },
    "async",
  ],
  ["a run whose processor time is limited has a lane of its own", { isCpuBound: true }, "async"],
  ["even when it is short and quick", { isCpuBound: true, timeoutMs: 1, pace: "quick" }, "async"],
];

for (const [name, given, lane] of rows) {
  test(name, () => assert.equal(chooseLane({ ...facts, ...given }), lane));
}

function paceOf(...runs: readonly (readonly [wallMs: number, lane: Lane])[]): Pace {
  const history = new PaceHistory();
  for (const [wallMs, lane] of runs) history.note(wallMs, lane);
  return history.pace;
}

test("PaceHistory calls a run of at most 10 ms quick", () => {
  assert.equal(paceOf(), "unknown");
  const paces = [0, 10, 10.01, 1_000].map((wallMs) => paceOf([wallMs, "async"]));
  assert.deepEqual(paces, ["quick", "quick", "slow", "slow"]);
});

test("PaceHistory trusts one that held the main lane only after it was quick a thousand times", () => {
  const quick = Array.from({ length: 999 }, () => [1, "async"] as const);
  assert.equal(paceOf([101, "async"], [1, "async"]), "quick");
  assert.equal(paceOf([101, "sync"], ...quick), "slow");
  assert.equal(paceOf([101, "sync"], ...quick, [1, "async"]), "quick");
});

test("chooseLoadLane() gives much code a lane of its own", () => {
  assert.deepEqual([0, 65_536, 65_537].map(chooseLoadLane), ["slice", "slice", "async"]);
});

function historyOf(...cuts: readonly boolean[]): SliceHistory {
  const history = new SliceHistory();
  for (const wasCut of cuts) history.note(wasCut);
  return history;
}

test("SliceHistory does not give up slices before it has seen four of them", () => {
  assert.equal(historyOf(true, true, true).isWasted(0), false);
  assert.equal(historyOf(true, true, true, true).isWasted(0), true);
});

test("SliceHistory calls slices wasted when a quarter of the last sixteen was cut", () => {
  const of = (cut: number): SliceHistory => historyOf(...Array.from({ length: 16 }, (_, n) => n < cut));
  assert.equal(of(3).isWasted(0), false);
  assert.equal(of(4).isWasted(0), true);
});

test("SliceHistory forgets what is longer ago than sixteen slices", () => {
  const history = historyOf(...Array.from({ length: 16 }, () => true));
  for (let i = 0; i < 16; i++) history.note(false);
  assert.equal(history.isWasted(0), false);
});

test("SliceHistory tries a slice once in sixteen times even when they are wasted", () => {
  const history = historyOf(true, true, true, true);
  const answers = Array.from({ length: 32 }, () => history.isWasted(0));
  assert.equal(answers.filter((isWasted) => !isWasted).length, 2);
});

test("SliceHistory gives no slices for five seconds after one that could not be cut", () => {
  const history = historyOf(false, false, false, false);
  history.noteUncut(1_000);
  assert.deepEqual(
    [1_000, 5_999, 6_000].map((nowMs) => history.isWasted(nowMs)),
    [true, true, false],
  );
});

test("SliceHistories keeps each tenant's apart", () => {
  const histories = new SliceHistories();
  histories.of({ tenant: "a" }).noteUncut(0);
  assert.deepEqual(
    ["a", "b", null].map((tenant) => histories.of({ tenant }).isWasted(1)),
    [true, false, false],
  );
});
