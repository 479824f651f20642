// What the watchdog makes of what it sees of a cell, look by look.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  freshMemory,
  sleepingLooksMax,
  sleepMsMax,
  judgeCell,
  remember,
  type CellBounds,
  type CellReading,
  type CellVerdictOfWatchdog,
} from "../../../../src/execution/enforcement/verdict.ts";
import { graceMs, lateLooksMin } from "../../../../src/execution/enforcement/lateness.ts";
import { readEntries, slateBytes, writeEntry, type Entry } from "../../../../src/execution/slate.ts";

const MiB = 2 ** 20;
const bounds: CellBounds = {
  memoryBytesMax: 100 * MiB,
  rssBytesMax: 8_000 * MiB,
  heapBytes: 0,
  threadsMax: 100,
};
const quiet: CellReading = {
  nowMs: 0,
  rssBytes: 60 * MiB,
  cpuMs: undefined,
  mainCpuMs: undefined,
  threads: 20,
  processState: "R",
  entries: [],
  beat: 1,
  inFlight: 0,
};

function entry(more: Partial<Entry> = {}): Entry {
  return { slot: 0, op: 7, key: 3, startedMs: 0, budgetMs: 1_000_000, ...more };
}

/** Looks every 10 ms at what `at` says of that moment; the first verdict, or undefined. */
function watch(
  forMs: number,
  at: (nowMs: number) => Partial<CellReading>,
  within: Partial<CellBounds> = {},
): (CellVerdictOfWatchdog & { readonly atMs: number }) | undefined {
  let memory = freshMemory(0);
  for (let nowMs = 0; nowMs <= forMs; nowMs += 10) {
    const reading = { ...quiet, beat: nowMs, ...at(nowMs), nowMs };
    const verdict = judgeCell(reading, memory, { ...bounds, ...within });
    if (verdict !== undefined) return { ...verdict, atMs: nowMs };
    memory = remember(memory, reading);
  }
  return undefined;
}

suite("an entry", () => {
  test("is overdue when it is still there after its budget and the grace", () => {
    const verdict = watch(2_000, () => ({ entries: [entry({ budgetMs: 500 })] }));
    assert.equal(verdict?.cause, "deadline");
    assert.equal(verdict.culprit?.key, 3);
    assert.ok(verdict.atMs > 500 + graceMs && verdict.atMs <= 500 + graceMs + 20);
  });

  test("that claims to start in the future is counted from the moment it was seen", () => {
    const verdict = watch(2_000, () => ({ entries: [entry({ startedMs: 1e12, budgetMs: 500 })] }));
    assert.equal(verdict?.cause, "deadline");
  });

  test("whose times are garbage is overdue as soon as it was seen often enough", () => {
    const page = new Float64Array(slateBytes / 8);
    writeEntry(page, entry({ startedMs: Number.NaN, budgetMs: Infinity }));
    const verdict = watch(2_000, (nowMs) => ({ entries: nowMs < 500 ? [] : readEntries(page) }));
    assert.equal(verdict?.cause, "deadline");
    assert.equal(verdict.atMs, 500 + (lateLooksMin + 1) * 10);
  });

  test("that is a new one at every look is never overdue", () => {
    assert.equal(
      watch(5_000, (nowMs) => ({ entries: [entry({ op: nowMs, startedMs: nowMs, budgetMs: 20 })] })),
      undefined,
    );
  });

  test("on the main thread that sleeps look after look is frozen, and its sandbox to blame", () => {
    const verdict = watch(5_000, () => ({ entries: [entry()], processState: "S", inFlight: 1 }));
    assert.equal(verdict?.cause, "frozen");
    assert.equal(verdict.culprit?.op, 7);
    assert.ok(verdict.atMs < 1_000);
  });

  test("on the main thread that the engine suspends, as its time was over long ago, is overdue and not frozen", () => {
    // A machine that is so busy that the entry is not overdue before.
    const watchFrom = (sleepsFromMs: number): string | undefined =>
      watch(60_000, (nowMs) => ({
        entries: [entry({ budgetMs: 4_000 })],
        cpuMs: Math.min(nowMs, sleepsFromMs) / 10,
        processState: nowMs < sleepsFromMs ? "R" : "S",
      }))?.cause;
    assert.deepEqual(
      [watchFrom(9_000), watchFrom(8_000), watchFrom(1_000)],
      ["deadline", "frozen", "frozen"],
    );
  });

  test("on the main thread that sleeps now and then works", () => {
    const state = (nowMs: number): string => (nowMs % 200 === 0 ? "R" : "S");
    assert.equal(
      watch(5_000, (nowMs) => ({ entries: [entry()], processState: state(nowMs) })),
      undefined,
    );
  });

  test("on the main thread that sleeps while another thread of its cell works waits for that one, but not for ever", () => {
    const watchAt = (cpuMsAt: (nowMs: number) => number): number | undefined =>
      watch(20_000, (nowMs) => ({ entries: [entry()], processState: "S", cpuMs: cpuMsAt(nowMs) }))?.atMs;
    // A tenth of a processor, as on a busy machine, in the kernel's units of 10 ms.
    assert.equal(
      watchAt((nowMs) => 10 * Math.floor(nowMs / 100)),
      sleepMsMax + 20,
    );
    // The other thread has ended after two seconds, and the first does not wake.
    assert.equal(
      watchAt((nowMs) => 10 * Math.floor(Math.min(nowMs, 2_000) / 100)),
      2_000 + 10 * sleepingLooksMax,
    );
  });

  test("on a thread of its own does not keep the main thread from sleeping", () => {
    assert.equal(
      watch(5_000, () => ({ entries: [entry({ slot: 1 })], processState: "S" })),
      undefined,
    );
  });
});

suite("an entry on a lane of its own", () => {
  const budgetMs = 500;
  const honest = entry({ slot: 1, budgetMs });
  const evil = entry({ slot: 0, op: 8, key: 4, startedMs: 100, budgetMs: 10_000 });
  const beatMs = 100;
  const turning = (nowMs: number): number => Math.floor(nowMs / beatMs);

  test("is overdue once the main thread, which would tell that it has left, has turned since", () => {
    const verdict = watch(2_000, (nowMs) => ({ entries: [honest], beat: turning(nowMs) }));
    assert.deepEqual([verdict?.cause, verdict?.culprit?.key], ["deadline", honest.key]);
    const [fromMs, toMs] = [budgetMs + graceMs, budgetMs + Math.max(graceMs, 2 * beatMs) + 30];
    assert.ok(verdict !== undefined && verdict.atMs > fromMs && verdict.atMs <= toMs, `at ${verdict?.atMs}`);
  });

  test("is not to blame while another holds the main thread: it may be long gone", () => {
    const held = (nowMs: number): Partial<CellReading> =>
      nowMs < 100 ? { entries: [honest] } : { entries: [evil, honest], beat: 1 };
    assert.equal(watch(9_000, held), undefined);
  });

  test("that was gone is not to blame in the moments in which the main thread comes to say so", () => {
    const at = (nowMs: number): Partial<CellReading> => {
      if (nowMs < 3_000) return { entries: nowMs < 100 ? [honest] : [evil, honest], beat: 1 };
      // Its timers come first, what has ended meanwhile after them.
      return nowMs < 3_020 ? { entries: [honest], beat: 2 } : { entries: [], beat: 2 };
    };
    assert.equal(watch(4_000, at), undefined);
  });

  test("that is still there when the main thread is free again and has turned is to blame", () => {
    const at = (nowMs: number): Partial<CellReading> =>
      nowMs < 3_000 ? { entries: [evil, honest], beat: 1 } : { entries: [honest], beat: turning(nowMs) };
    const verdict = watch(4_000, at);
    assert.deepEqual([verdict?.cause, verdict?.culprit?.key], ["deadline", honest.key]);
  });

  test("does not cover the one that holds the main thread and is overdue itself", () => {
    const late = { ...evil, budgetMs: 1_000 };
    const verdict = watch(4_000, () => ({ entries: [honest, late], beat: 1 }));
    assert.deepEqual([verdict?.cause, verdict?.culprit?.key], ["deadline", late.key]);
  });

  test("is overdue too when the main thread stands still without a guest, and to blame when it is the only one", () => {
    const still = (...entries: Entry[]): ReturnType<typeof watch> =>
      watch(9_000, () => ({ entries, beat: 1, inFlight: 1 }));
    assert.deepEqual([still(honest)?.cause, still(honest)?.culprit?.key], ["deadline", honest.key]);
    const both = still(honest, entry({ slot: 2, op: 9, key: 5 }));
    assert.deepEqual([both?.cause, both?.culprit], ["deadline", undefined]);
  });
});

suite("a main thread", () => {
  test("that stands still with work and nobody inside is stalled", () => {
    const verdict = watch(5_000, () => ({ beat: 1, inFlight: 1 }));
    assert.equal(verdict?.cause, "stalled");
    assert.ok(verdict.atMs > 3_000);
  });

  test("that was held by an entry for long is not stalled in the moment after it", () => {
    const at = (nowMs: number): Partial<CellReading> =>
      nowMs < 8_000 ? { beat: 1, inFlight: 2, entries: [entry()] } : { beat: 1, inFlight: 1 };
    assert.equal(watch(8_500, at), undefined);
  });

  test("without work may stand still", () => {
    assert.equal(
      watch(9_000, () => ({ beat: 1 })),
      undefined,
    );
  });
});

suite("a cell", () => {
  test("that is stopped at two looks in a row is killed, at one it is left alone", () => {
    assert.equal(
      watch(1_000, (nowMs) => ({ processState: nowMs % 20 === 0 ? "T" : "S" })),
      undefined,
    );
    assert.equal(watch(1_000, () => ({ processState: "T" }))?.cause, "stopped");
  });

  test("that outgrows what the one inside may use is killed, and that one is to blame", () => {
    const growing = (nowMs: number): Partial<CellReading> =>
      nowMs < 100 ? {} : { entries: [entry({ slot: 1 })], rssBytes: (60 + nowMs) * MiB };
    const verdict = watch(2_000, growing);
    assert.equal(verdict?.cause, "memory");
    assert.equal(verdict.culprit?.key, 3);
  });

  test("that one has outgrown and left is killed, and whoever was beside it is not to blame", () => {
    const [bomb, calm] = [entry({ slot: 1 }), entry({ slot: 2, op: 8, key: 4 })];
    const leaving = (nowMs: number): Partial<CellReading> => {
      if (nowMs < 100) return {};
      if (nowMs < 350) return { entries: [calm, bomb], rssBytes: (60 + nowMs) * MiB };
      return { entries: [calm], rssBytes: 410 * MiB };
    };
    const verdict = watch(2_000, leaving);
    assert.equal(verdict?.cause, "memory");
    assert.equal(verdict.culprit, undefined);
  });

  test("that grew beside others by one that went on alone is its fault", () => {
    const [bomb, calm] = [entry({ slot: 1 }), entry({ slot: 2, op: 8, key: 4 })];
    const growing = (nowMs: number): Partial<CellReading> => {
      if (nowMs < 100) return {};
      return { entries: nowMs < 120 ? [calm, bomb] : [bomb], rssBytes: (60 + nowMs) * MiB };
    };
    assert.equal(watch(2_000, growing)?.culprit?.key, 3);
  });

  test("with two inside blames neither", () => {
    const growing = (nowMs: number): Partial<CellReading> => ({
      entries: [entry({ slot: 1 }), entry({ slot: 2, op: 8, key: 4 })],
      rssBytes: (60 + nowMs) * MiB,
    });
    const verdict = watch(2_000, growing);
    assert.equal(verdict?.cause, "memory");
    assert.equal(verdict.culprit, undefined);
  });

  test("that is never quiet may grow with the heaps of its sandboxes", () => {
    const always = (): Partial<CellReading> => ({ entries: [entry({ slot: 1 })] });
    const full = watch(1_000, (nowMs) => ({ ...always(), rssBytes: nowMs < 500 ? 60 * MiB : 900 * MiB }));
    assert.equal(full?.cause, "memory");
    const filled = watch(1_000, (nowMs) => ({ ...always(), rssBytes: nowMs < 500 ? 60 * MiB : 900 * MiB }), {
      heapBytes: 400 * MiB,
    });
    assert.equal(filled, undefined);
  });

  test("may never use more than a whole cell may", () => {
    const verdict = watch(1_000, () => ({ rssBytes: 900 * MiB }), {
      rssBytesMax: 800 * MiB,
      heapBytes: 5_000 * MiB,
    });
    assert.equal(verdict?.cause, "memory");
  });
});
