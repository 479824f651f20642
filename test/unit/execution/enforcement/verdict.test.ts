// When the watchdog ends a cell, and whom it blames, for everything that it can see.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  cpuInside,
  freshMemory,
  judgeCell,
  remember,
  type CellBounds,
  type CellMemory,
  type CellReading,
} from "../../../../src/execution/enforcement/verdict.ts";
import { graceMs, lateLooksMin } from "../../../../src/execution/enforcement/lateness.ts";
import type { Entry } from "../../../../src/execution/slate.ts";

const MiB = 2 ** 20;
const bounds: CellBounds = {
  memoryBytesMax: 100 * MiB,
  rssBytesMax: 1_000 * MiB,
  heapBytes: 0,
  threadsMax: 100,
};
const quiet: CellReading = {
  nowMs: 10_000,
  rssBytes: 50 * MiB,
  cpuMs: undefined,
  mainCpuMs: undefined,
  threads: 20,
  processState: "S",
  entries: [],
  beat: 1,
  inFlight: 0,
};
const entry: Entry = { slot: 0, op: 7, key: 3, startedMs: 10_000, budgetMs: 200 };
const other: Entry = { slot: 1, op: 8, key: 4, startedMs: 10_000, budgetMs: 60_000 };

const verdictOf = (reading: Partial<CellReading>, memory: CellMemory, given: Partial<CellBounds> = {}) =>
  judgeCell({ ...quiet, ...reading }, memory, { ...bounds, ...given });

/** What is remembered after these looks, one after the other. */
function afterLooks(...looks: readonly Partial<CellReading>[]): CellMemory {
  return looks.reduce<CellMemory>(
    (memory, look) => remember(memory, { ...quiet, ...look }),
    freshMemory(10_000),
  );
}

/** Looks at which these entries are inside: one in time, and then as many as it takes until a late one may be judged. */
const looksLate = (...entries: readonly Entry[]): readonly Partial<CellReading>[] => [
  { entries },
  ...Array.from({ length: lateLooksMin }, (_, n) => ({ nowMs: 10_201 + n, entries })),
];

test("a cell that is quiet, or busy within its bounds, lives", () => {
  assert.equal(verdictOf({}, freshMemory(0)), undefined);
  assert.equal(
    verdictOf({ entries: [entry, other], inFlight: 2 }, afterLooks({ entries: [entry, other] })),
    undefined,
  );
});

test("what a cell used is counted from when the entry at fault was seen first, or else the one inside longest", () => {
  const looks = [
    { entries: [entry], cpuMs: 100 },
    { nowMs: 10_010, entries: [entry, other], cpuMs: 130 },
  ];
  const last = { ...quiet, nowMs: 10_050, entries: [entry, other], cpuMs: 170 };
  const memory = remember(afterLooks(...looks), last);
  assert.deepEqual(cpuInside(memory, last, undefined), { op: entry.op, cpuMs: 70 });
  assert.deepEqual(cpuInside(memory, last, other), { op: other.op, cpuMs: 40 });
  assert.equal(cpuInside(freshMemory(0), quiet, undefined), undefined);
});

suite("deadline", () => {
  const seen = afterLooks(...looksLate(entry));
  const at = (nowMs: number, more: Partial<CellReading> = {}) =>
    verdictOf({ nowMs, entries: [entry], ...more }, seen);

  test("an entry may stay until its budget and the grace are over, and not a moment longer", () => {
    assert.equal(at(10_200 + graceMs), undefined);
    assert.deepEqual(at(10_200 + graceMs + 1), { cause: "deadline", culprit: entry });
  });

  test("only the one that is overdue is blamed", () => {
    const both = afterLooks(...looksLate(other, entry));
    const verdict = verdictOf({ nowMs: 10_201 + graceMs, entries: [other, entry] }, both);
    assert.deepEqual(verdict, { cause: "deadline", culprit: entry });
  });

  test("an entry that is seen for the first time is looked at again before it is judged", () => {
    assert.equal(verdictOf({ nowMs: 99_999, entries: [entry] }, freshMemory(0)), undefined);
  });

  test("another entry in the same place begins its own time", () => {
    for (const change of [{ op: 9 }, { startedMs: 10_001 }, { slot: 2 }])
      assert.equal(
        verdictOf({ nowMs: 10_201 + graceMs, entries: [{ ...entry, ...change }] }, seen),
        undefined,
      );
  });

  test("an entry that says it began in the future is counted from when it was seen", () => {
    const liar = { ...entry, startedMs: 1e12 };
    const memory = afterLooks(...looksLate(liar));
    assert.equal(verdictOf({ nowMs: 10_200 + graceMs, entries: [liar] }, memory), undefined);
    assert.deepEqual(verdictOf({ nowMs: 10_201 + graceMs, entries: [liar] }, memory), {
      cause: "deadline",
      culprit: liar,
    });
  });

  test("an entry keeps the moment at which it was first seen over many looks", () => {
    const liar = { ...entry, startedMs: 1e12 };
    const memory = afterLooks({ nowMs: 10_000, entries: [liar] }, ...looksLate(liar));
    assert.equal(verdictOf({ nowMs: 10_201 + graceMs, entries: [liar] }, memory)?.cause, "deadline");
  });
});

suite("memory", () => {
  const slackMiB = 96;
  const rest = afterLooks({}, {});

  test("one inside may add its limit half again and the slack to what the cell uses at rest", () => {
    const allowedMiB = 50 + 150 + slackMiB;
    assert.equal(verdictOf({ entries: [entry], rssBytes: allowedMiB * MiB }, rest), undefined);
    assert.deepEqual(verdictOf({ entries: [entry], rssBytes: allowedMiB * MiB + 1 }, rest), {
      cause: "memory",
      culprit: entry,
    });
  });

  test("two inside may add twice as much, and neither is blamed alone", () => {
    const allowedMiB = 50 + 300 + slackMiB;
    assert.equal(verdictOf({ entries: [entry, other], rssBytes: allowedMiB * MiB }, rest), undefined);
    assert.deepEqual(verdictOf({ entries: [entry, other], rssBytes: allowedMiB * MiB + 1 }, rest), {
      cause: "memory",
      culprit: undefined,
    });
  });

  test("a cell over its own bound dies whoever is inside, and nobody is blamed when nobody is", () => {
    const tight = { rssBytesMax: 60 * MiB };
    assert.equal(verdictOf({ rssBytes: 60 * MiB }, rest, tight), undefined);
    assert.deepEqual(verdictOf({ rssBytes: 61 * MiB }, rest, tight), { cause: "memory", culprit: undefined });
  });

  test("a cell with more threads than any cell needs dies, and the only one inside is blamed", () => {
    assert.equal(verdictOf({ threads: 100 }, rest), undefined);
    assert.deepEqual(verdictOf({ threads: 101 }, rest), { cause: "threads", culprit: undefined });
    assert.deepEqual(verdictOf({ threads: 101, entries: [entry] }, rest), {
      cause: "threads",
      culprit: entry,
    });
  });

  test("what a cell uses at rest is learned only while nobody is inside", () => {
    const busy = afterLooks(
      {},
      { entries: [entry], rssBytes: 200 * MiB },
      { entries: [entry], rssBytes: 250 * MiB },
    );
    assert.equal(busy.quietRssBytes, 50 * MiB);
    const justLeft = remember(busy, { ...quiet, rssBytes: 250 * MiB });
    assert.equal(justLeft.quietRssBytes, 50 * MiB);
    assert.equal(remember(justLeft, { ...quiet, rssBytes: 80 * MiB }).quietRssBytes, 80 * MiB);
  });

  test("the first look is taken for rest, as there is nothing better", () => {
    assert.equal(afterLooks({ entries: [entry], rssBytes: 70 * MiB }).quietRssBytes, 70 * MiB);
  });
});

suite("stopped", () => {
  for (const state of ["T", "t"]) {
    test(`a process in state ${state} dies when it was stopped at the last look too, and nobody is blamed`, () => {
      const look = { processState: state, entries: [entry] };
      assert.equal(verdictOf(look, afterLooks({})), undefined);
      assert.deepEqual(verdictOf(look, afterLooks(look)), { cause: "stopped", culprit: undefined });
    });
  }

  for (const state of ["R", "S", "D", "Z", "I", "?"]) {
    test(`a process in state ${state} is not stopped`, () => {
      assert.equal(verdictOf({ processState: state }, afterLooks({ processState: state })), undefined);
    });
  }
});

suite("stalled", () => {
  const seen = afterLooks({ nowMs: 10_000, beat: 5 });
  const at = (nowMs: number, more: Partial<CellReading> = {}) =>
    verdictOf({ nowMs, beat: 5, inFlight: 1, ...more }, seen);

  test("a cell that owes an answer and whose main thread stands still for three seconds dies", () => {
    assert.equal(at(13_000), undefined);
    assert.deepEqual(at(13_001), { cause: "stalled", culprit: undefined });
  });

  test("it lives when it owes nothing, when its thread turned, or when a guest holds that thread", () => {
    assert.equal(at(99_000, { inFlight: 0 }), undefined);
    assert.equal(at(99_000, { beat: 6 }), undefined);
    assert.equal(at(13_001, { entries: [{ ...entry, startedMs: 13_000 }] }), undefined);
  });

  test("a guest on a lane of its own is no reason to stand still, and not to blame while it has time", () => {
    const verdict = at(13_001, { entries: [{ ...other, startedMs: 13_000 }] });
    assert.deepEqual(verdict, { cause: "stalled", culprit: undefined });
  });

  test("a turn of the main thread begins the time anew", () => {
    const turned = remember(seen, { ...quiet, nowMs: 12_900, beat: 6 });
    assert.equal(verdictOf({ nowMs: 15_000, beat: 6, inFlight: 1 }, turned), undefined);
    const still = remember(turned, { ...quiet, nowMs: 14_000, beat: 6 });
    assert.equal(verdictOf({ nowMs: 15_901, beat: 6, inFlight: 1 }, still)?.cause, "stalled");
  });
});

test("a cell that breaks several bounds is ended for the first of stopped, deadline, memory, stalled", () => {
  const all = { nowMs: 99_000, processState: "T", entries: [entry], rssBytes: 999 * MiB, inFlight: 1 };
  assert.equal(verdictOf(all, afterLooks({ ...all, nowMs: 10_000 }))?.cause, "stopped");
  const running = { ...all, processState: "R" };
  const looks = looksLate(entry).map((look) => ({ ...running, rssBytes: 1, nowMs: 10_000, ...look }));
  assert.equal(verdictOf(running, afterLooks(...looks))?.cause, "deadline");
});
