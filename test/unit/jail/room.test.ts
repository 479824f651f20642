// Whether there is room for another child, by what is granted, in use, and owed to those that are still growing.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { lookAtRoom, threadsOf, type RoomFacts } from "../../../src/jail/spawn/headroom-facts.ts";
import { objectionIn } from "../../../src/jail/spawn/headroom.ts";

const free: RoomFacts = { threads: undefined, descriptors: undefined, addressBytesMax: undefined };
const nothing = { threads: 0, descriptors: 0 };
const cell = { threads: 14, workers: 0 };

suite("there is room", () => {
  test("where nothing is bounded, or nothing is known", () => {
    assert.equal(objectionIn(free, cell, nothing), undefined);
  });

  test("for as many threads as the user has left, less those owed, and not for one more", () => {
    const with14 = { ...free, threads: { max: 40, inUse: 26 } };
    assert.equal(objectionIn(with14, cell, nothing), undefined);
    for (const [need, owed] of [
      [{ ...cell, threads: 15 }, nothing],
      [{ ...cell, workers: 1 }, nothing],
      [cell, { ...nothing, threads: 1 }],
    ] as const)
      assert.match(objectionIn(with14, need, owed) ?? "", /ulimit -u.*40.*room for 15: 26 are in use/);
  });

  test("for the descriptors of a child and of threads that come first, less those owed", () => {
    const with11 = { ...free, descriptors: { max: 64, inUse: 53 } };
    assert.equal(objectionIn(with11, cell, nothing), undefined);
    assert.match(
      objectionIn(with11, { ...cell, workers: 1 }, nothing) ?? "",
      /ulimit -n.*64.*room for 17: 53/,
    );
    assert.match(objectionIn(with11, cell, { ...nothing, descriptors: 5 }) ?? "", /room for 16/);
  });

  test("not where addresses are bounded below what the engine reserves", () => {
    assert.equal(objectionIn({ ...free, addressBytesMax: 2 ** 40 }, cell, nothing), undefined);
    assert.match(objectionIn({ ...free, addressBytesMax: 4e9 }, cell, nothing) ?? "", /ulimit -v.*3 GiB/);
  });
});

suite("what the kernel tells", () => {
  test("of this process: its threads, and fewer descriptors in use than it may have", () => {
    assert.ok(threadsOf(process.pid) >= 1);
    const { descriptors } = lookAtRoom(undefined, 1);
    assert.ok(descriptors === undefined || descriptors.inUse < descriptors.max);
  });

  test("of root is no bound on threads", () => {
    assert.equal(lookAtRoom(0, 1).threads, undefined);
  });

  test("of a process that does not exist is nothing", () => {
    assert.equal(threadsOf(2 ** 30), 0);
  });
});
