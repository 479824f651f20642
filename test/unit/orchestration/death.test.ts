// Who is at fault for a cell's death, and what becomes of each operation that it had.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Death } from "../../../src/execution/cell.ts";
import {
  clearEntry,
  readEntries,
  readLastBegun,
  slateBytes,
  writeEntry,
} from "../../../src/execution/slate.ts";
import { guiltyOf, judge, suspectsOf, type OperationFacts } from "../../../src/orchestration/death.ts";

const death = (more: Partial<Death> = {}): Death => ({
  cause: "exit",
  detail: "SIGSEGV",
  culprit: undefined,
  inside: [],
  lastBegun: 10,
  ...more,
});
const facts = (more: Partial<OperationFacts> = {}): OperationFacts => ({
  op: 10,
  key: 1,
  isMainLane: true,
  isSlice: false,
  isRepeatable: false,
  deaths: 0,
  ...more,
});
const inside = [{ op: 10, key: 1 }];

suite("an operation", () => {
  test("that was alone inside when the cell crashed is guilty", () => {
    assert.deepEqual(judge(facts(), death({ inside })), { do: "end", kind: "crashed", isGuilty: true });
  });

  test("at its deadline is a timeout, over its memory a memory verdict", () => {
    const culprit = { op: 10, key: 1 };
    const kindFor = (cause: Death["cause"]): unknown => judge(facts(), death({ cause, culprit, inside }));
    assert.deepEqual(kindFor("deadline"), { do: "end", kind: "timeout", isGuilty: true });
    assert.deepEqual(kindFor("memory"), { do: "end", kind: "memory", isGuilty: true });
    assert.deepEqual(kindFor("frozen"), { do: "end", kind: "crashed", isGuilty: true });
  });

  test("at the end of its slice only begins anew, alone", () => {
    const end = death({ cause: "deadline", culprit: { op: 10, key: 1 }, inside });
    assert.deepEqual(judge(facts({ isSlice: true }), end), { do: "alone" });
    // Its slice is no excuse for bringing down the cell otherwise.
    const crash = death({ inside });
    assert.deepEqual(judge(facts({ isSlice: true }), crash), { do: "end", kind: "crashed", isGuilty: true });
  });

  test("that had not begun runs again, however the cell died", () => {
    for (const cause of ["deadline", "memory", "exit", "silent", "stopped"] as const)
      assert.deepEqual(judge(facts({ op: 11, key: 2 }), death({ cause, inside })), { do: "again" });
  });

  test("that had begun and met another's fault is lost, unless it may be repeated", () => {
    const end = death({ cause: "deadline", culprit: { op: 9, key: 5 }, inside: [{ op: 9, key: 5 }] });
    assert.deepEqual(judge(facts(), end), { do: "end", kind: "cell-lost", isGuilty: false });
    assert.deepEqual(judge(facts({ isRepeatable: true }), end), { do: "again" });
  });

  test("is given up after many cells died under it", () => {
    const lost = { do: "end", kind: "cell-lost", isGuilty: false };
    assert.deepEqual(judge(facts({ op: 11, deaths: 5 }), death()), lost);
    assert.deepEqual(judge(facts({ isRepeatable: true, deaths: 5 }), death()), lost);
  });
});

suite("a death", () => {
  test("from outside accuses nobody", () => {
    for (const end of [death({ detail: "SIGKILL", inside }), death({ cause: "stopped", inside })]) {
      assert.equal(guiltyOf(end), undefined);
      assert.deepEqual(suspectsOf(end), []);
    }
  });

  test("with several inside makes them suspects", () => {
    const end = death({ inside: [...inside, { op: 12, key: 2 }] });
    assert.equal(guiltyOf(end), undefined);
    assert.equal(suspectsOf(end).length, 2);
  });
});

suite("a slate", () => {
  test("remembers the latest operation that began, whatever housekeeping comes after it", () => {
    const page = new Float64Array(slateBytes / 8);
    for (const op of [41, 42, 0, 17]) {
      writeEntry(page, { slot: 0, op, key: 1, startedMs: 1, budgetMs: 1 });
      clearEntry(page, 0);
    }
    assert.equal(readLastBegun(page), 42);
  });

  test("that holds garbage names nobody", () => {
    for (const garbage of [Number.NaN, Infinity, -1, 0.5, -Infinity]) {
      const page = new Float64Array(slateBytes / 8).fill(garbage);
      assert.deepEqual(readEntries(page), []);
    }
  });
});
