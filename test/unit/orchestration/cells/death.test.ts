// A cell died: who is at fault, who begins again, and who cannot, for every way to die and everything that can be known.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Death } from "../../../../src/execution/cell.ts";
import {
  guiltyOf,
  asSliceOverrun,
  decide,
  suspectsOf,
  type TicketFacts,
  type Decision,
} from "../../../../src/orchestration/cells/death.ts";

const me = { op: 10, key: 1 };
const another = { op: 9, key: 2 };

/** Sent on a lane of its own to sandbox 1; the main lane stands at operation 5. */
const facts: TicketFacts = { ...me, isLoad: false, isMainLane: false, isRepeatable: false, deaths: 0 };
const death: Death = { cause: "deadline", detail: "SIGKILL", culprit: undefined, inside: [], lastBegun: 5 };

const judged = (about: Partial<TicketFacts>, how: Partial<Death>): Decision =>
  decide({ ...facts, ...about }, { ...death, ...how });
const ended = (kind: "timeout" | "memory" | "crashed" | "cell-lost", isGuilty: boolean): Decision => ({
  do: "end",
  kind,
  isGuilty,
});
const lost = ended("cell-lost", false);

// Deaths for which somebody inside must answer, with what the one at fault is told.
const faults: readonly (readonly [string, Partial<Death>, "timeout" | "memory" | "crashed"])[] = [
  ["a deadline", { cause: "deadline" }, "timeout"],
  ["memory", { cause: "memory" }, "memory"],
  ["threads", { cause: "threads" }, "crashed"],
  ["sleep", { cause: "frozen" }, "crashed"],
  ["poison", { cause: "poisoned" }, "crashed"],
  ["a broken protocol", { cause: "protocol" }, "crashed"],
  ["a crash of its own", { cause: "exit", detail: "SIGSEGV" }, "crashed"],
  ["an exit of its own", { cause: "exit", detail: "exit code 1: out of memory" }, "crashed"],
];

// Deaths that blame nobody inside.
const accidents: readonly (readonly [string, Partial<Death>])[] = [
  ["being stopped", { cause: "stopped" }],
  ["standing still", { cause: "stalled" }],
  ["owing an answer", { cause: "silent" }],
  ["being unwanted", { cause: "unwanted" }],
  ["a kill from outside", { cause: "exit", detail: "SIGKILL" }],
  ["a kill from outside, with its last words", { cause: "exit", detail: "SIGKILL: bye" }],
];

for (const [what, how, kind] of faults) {
  suite(`a cell that dies of ${what}`, () => {
    // Of memory only the watchdog knows whose it is.
    const culprit = how.cause === "memory" ? me : undefined;

    test("ends the run that was alone inside, which is at fault, even when it may be repeated", () => {
      for (const isRepeatable of [false, true])
        assert.deepEqual(judged({ isRepeatable }, { ...how, culprit, inside: [me] }), ended(kind, true));
    });

    test("ends the load that was inside, and repeats one that was over when a run of its sandbox began", () => {
      const load = { isLoad: true, isRepeatable: true };
      assert.deepEqual(judged(load, { ...how, culprit, inside: [me] }), ended(kind, true));
      const later = { op: 11, key: me.key };
      assert.deepEqual(judged(load, { ...how, culprit: culprit && later, inside: [later], lastBegun: 11 }), {
        do: "again",
      });
    });

    test("ends every run of the sandbox at fault that has begun, and no other sandbox's", () => {
      const blamed = { ...how, culprit: me, inside: [me, another] };
      assert.deepEqual(judged({ op: 8 }, blamed), ended(kind, true));
      assert.deepEqual(judged({ key: 2 }, blamed), lost);
      assert.deepEqual(judged({ key: 2, isRepeatable: true }, blamed), { do: "again" });
    });

    test("makes suspects of all who were inside when it is not known who is at fault", () => {
      const together = { ...how, inside: [me, another] };
      assert.equal(guiltyOf({ ...death, ...together }), undefined);
      assert.deepEqual(suspectsOf({ ...death, ...together }), [me, another]);
      assert.deepEqual(judged({ isRepeatable: true }, together), { do: "alone" });
      assert.deepEqual(judged({ isRepeatable: false }, together), lost);
    });

    test("lets one that waited outside begin again without suspicion, if it may be repeated", () => {
      const elsewhere = { ...how, inside: [another, { op: 8, key: 3 }] };
      assert.deepEqual(judged({ isRepeatable: true }, elsewhere), { do: "again" });
      assert.deepEqual(judged({}, elsewhere), lost);
    });
  });
}

for (const [what, how] of accidents) {
  suite(`a cell that dies of ${what}`, () => {
    test("blames nobody, whoever is inside", () => {
      for (const inside of [[], [me], [me, another]]) {
        assert.equal(guiltyOf({ ...death, ...how, inside }), undefined);
        assert.deepEqual(suspectsOf({ ...death, ...how, inside }), []);
      }
    });

    test("lets what may be repeated begin again, and ends the rest as lost", () => {
      assert.deepEqual(judged({ isRepeatable: true }, { ...how, inside: [me] }), { do: "again" });
      assert.deepEqual(judged({}, { ...how, inside: [me] }), lost);
    });
  });
}

test("whom the watchdog blames is guilty, also when it is no longer inside", () => {
  assert.deepEqual(guiltyOf({ ...death, culprit: me, inside: [another] }), me);
  assert.deepEqual(suspectsOf({ ...death, culprit: me, inside: [another] }), []);
});

suite("memory that nobody inside was seen to take", () => {
  const left: Partial<Death> = { cause: "memory", inside: [me] };

  test("blames nobody for certain, and who may be repeated runs alone", () => {
    assert.equal(guiltyOf({ ...death, ...left }), undefined);
    assert.deepEqual(suspectsOf({ ...death, ...left }), [me]);
    assert.deepEqual(judged({ isRepeatable: true }, left), { do: "alone" });
    assert.deepEqual(judged({ isRepeatable: false }, left), lost);
  });
});

suite("what had not begun", () => {
  const behind = { op: 12, isMainLane: true };

  test("begins again on the main lane, whoever is at fault and whether or not it may be repeated", () => {
    for (const culprit of [undefined, me, another])
      assert.deepEqual(judged(behind, { culprit, inside: [me], lastBegun: 11 }), { do: "again" });
  });

  test("is told from what had by the operation that entered last", () => {
    assert.deepEqual(judged({ ...behind, op: 11 }, { cause: "unwanted", lastBegun: 11 }), lost);
    assert.deepEqual(judged({ ...behind, op: 12 }, { cause: "unwanted", lastBegun: 11 }), { do: "again" });
  });

  test("begins again on any lane when the main lane was held by what was sent before it", () => {
    const held = { cause: "deadline", culprit: me, inside: [me], lastBegun: me.op } as const;
    assert.deepEqual(judged({ op: 12 }, held), { do: "again" });
    assert.deepEqual(judged({ op: 12, key: 2 }, held), { do: "again" });
  });

  test("is not assumed on a lane of its own when the main lane was free", () => {
    assert.deepEqual(judged({ op: 12 }, { cause: "unwanted", inside: [], lastBegun: 11 }), lost);
  });

  test("is given up when ten cells died before it could begin", () => {
    assert.deepEqual(judged({ ...behind, deaths: 9 }, { lastBegun: 11 }), { do: "again" });
    assert.deepEqual(judged({ ...behind, deaths: 10 }, { lastBegun: 11 }), lost);
  });
});

test("a run that may be repeated is repeated four times among others, then alone, then given up", () => {
  const sentences = [0, 3, 4, 9, 10].map((deaths) =>
    judged({ isRepeatable: true, deaths }, { cause: "unwanted" }),
  );
  assert.deepEqual(sentences, [{ do: "again" }, { do: "again" }, { do: "alone" }, { do: "alone" }, lost]);
});

suite("a slice that could not be cut", () => {
  const overdue: Death = { ...death, culprit: me, inside: [me, another] };
  const asSlice = asSliceOverrun(overdue, (op) => op === me.op);

  test("is told from a deadline by the one that is blamed", () => {
    assert.equal(asSlice.cause, "slice");
    assert.equal(asSliceOverrun(overdue, () => false).cause, "deadline");
    assert.equal(asSliceOverrun({ ...overdue, cause: "memory" }, () => true).cause, "memory");
    assert.equal(asSliceOverrun({ ...overdue, culprit: undefined }, () => true).cause, "deadline");
  });

  test("makes nobody guilty and only its own run a suspect, which is repeated alone", () => {
    assert.equal(guiltyOf(asSlice), undefined);
    assert.deepEqual(suspectsOf(asSlice), [me]);
    assert.deepEqual(
      decide({ ...facts, isMainLane: true, isRepeatable: true }, { ...asSlice, lastBegun: 10 }),
      {
        do: "alone",
      },
    );
  });

  test("is an accident to all others", () => {
    const neighbour = { ...facts, ...another };
    assert.deepEqual(decide({ ...neighbour, isRepeatable: true }, asSlice), { do: "again" });
    assert.deepEqual(decide(neighbour, asSlice), lost);
  });
});
