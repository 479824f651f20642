// Turns for slices of long work and for steps of operations: one in each turn of the event loop, owner by owner, and for half of
// the time where another's short work comes in.
import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "../../../src/std/clock.ts";
import { inSlices, sliceBy, slicing, type SliceOwner } from "../../../src/std/slicing.ts";
import { FakeClock } from "../../../src/testing/index.ts";

interface Loop {
  /** Lets so much time pass; the timers of that time run, and what they began. */
  pass(ms: number): Promise<void>;
}

/** The clock stands still, later than every note that an earlier test left. */
function quietClock(t: TestContext): (passMs: number) => void {
  let now = 1e9 * ++clocks;
  t.mock.method(performance, "now", () => now);
  return (passMs) => void (now += passMs);
}
let clocks = 0;

function stoppedLoop(t: TestContext): Loop {
  const passTime = quietClock(t);
  t.mock.timers.enable({ apis: ["setTimeout", "setImmediate"] });
  return {
    async pass(ms) {
      passTime(ms);
      t.mock.timers.tick(ms);
      for (let n = 0; n < 10; n++) await Promise.resolve();
    },
  };
}

const slice = (tenant?: SliceOwner, act: () => void = () => {}): Promise<void> => {
  const next = (): IteratorResult<void, void> => {
    act();
    return { done: true, value: undefined };
  };
  return inSlices({ next }, tenant);
};
/** A step's turn; it need not wait where no short work came in. */
const step = (owner: SliceOwner): Promise<void> => slicing.turn(owner) ?? Promise.resolve();

suite("slices", () => {
  test("have one turn of the event loop each, in the order of asking", async (t) => {
    quietClock(t);
    const turns: [string, number][] = [];
    let turn = 0;
    const pauses = ["first", "second", "third"].map(async (name) => {
      await slice();
      turns.push([name, turn]);
    });
    for (; turns.length < pauses.length && turn < 10; turn++) await nextTurn();
    assert.deepEqual(turns, [
      ["first", 0],
      ["second", 1],
      ["third", 2],
    ]);
  });

  test("leave a slice's time free after each where short work came in, and only for a while", async (t) => {
    const loop = stoppedLoop(t);
    let begun = 0;
    const ask = (): void => void slice().then(() => begun++);
    slicing.noteWanted();
    ask();
    await loop.pass(0);
    assert.equal(begun, 0);
    await loop.pass(1);
    assert.equal(begun, 1);
    await loop.pass(100);
    ask();
    await loop.pass(0);
    assert.equal(begun, 2);
  });

  test("of several owners take turns, however many one has waiting", async (t) => {
    const loop = stoppedLoop(t);
    const order: string[] = [];
    const ask = (owner: string | null): void => void slice(owner).then(() => order.push(owner ?? "none"));
    for (const owner of ["a", "a", "a", "b", null]) ask(owner);
    for (let turn = 0; turn < 5; turn++) await loop.pass(0);
    assert.deepEqual(order, ["a", "b", "none", "a", "a"]);
  });

  test("leave no time free for the short work of their own owner", async (t) => {
    const loop = stoppedLoop(t);
    let begun = 0;
    slicing.noteWanted("a");
    void step("a").then(() => begun++);
    await loop.pass(0);
    assert.equal(begun, 1);
    await loop.pass(2);
    // Another's, before or after that of their own.
    slicing.noteWanted("b");
    slicing.noteWanted("a");
    void step("a").then(() => begun++);
    await loop.pass(0);
    assert.equal(begun, 1);
    await loop.pass(1);
    assert.equal(begun, 2);
  });

  test("wait until a call that was just made is likely answered, and where calls follow each other for eight milliseconds", async (t) => {
    const loop = stoppedLoop(t);
    let begun = 0;
    slicing.noteWanted("b");
    void step("a").then(() => begun++);
    for (let ms = 0; ms < 7; ms++) {
      await loop.pass(0.75);
      slicing.noteWanted("b");
      await loop.pass(0.25);
    }
    assert.equal(begun, 0);
    await loop.pass(0.75);
    slicing.noteWanted("b");
    await loop.pass(0.25);
    assert.equal(begun, 1);
  });

  test("of short steps follow each other without a pause for the time of a slice", async (t) => {
    const loop = stoppedLoop(t);
    let begun = 0;
    slicing.noteWanted("b");
    await loop.pass(1);
    for (let n = 0; n < 3; n++) void step("a").then(() => begun++);
    await loop.pass(1);
    assert.equal(begun, 3);
    // A long one takes all of that time, and then there is a pause.
    await loop.pass(1);
    void step("a").then(() => begun++);
    await loop.pass(0);
    assert.equal(begun, 3);
    await loop.pass(1);
    assert.equal(begun, 4);
  });

  test("wait for another's short work also where that of their own came twice since", async (t) => {
    const loop = stoppedLoop(t);
    let begun = 0;
    for (const owner of ["b", "a", "a"]) slicing.noteWanted(owner);
    void step("a").then(() => begun++);
    await loop.pass(0);
    assert.equal(begun, 0);
    await loop.pass(1);
    assert.equal(begun, 1);
  });

  test("begin anew with another clock: nothing is awaited, and nobody waits", async (t) => {
    const loop = stoppedLoop(t);
    t.after(() => sliceBy(systemClock));
    let begun = 0;
    slicing.noteWanted("b");
    void step("a").then(() => begun++);
    sliceBy(new FakeClock());
    await loop.pass(0);
    assert.equal(begun, 1);
    assert.equal(slicing.turn("a"), undefined);
  });

  test("of a step that is no long work are had at once where no short work comes in", async (t) => {
    const loop = stoppedLoop(t);
    assert.equal(slicing.turn("a"), undefined);
    slicing.noteWanted("a");
    let begun = 0;
    for (let n = 0; n < 2; n++) void slicing.turn("a")?.then(() => begun++);
    assert.equal(begun, 0);
    await loop.pass(0);
    assert.equal(begun, 2);
    await loop.pass(100);
    assert.equal(slicing.turn("a"), undefined);
  });

  test("end after their time, and the work goes on in the next", async (t) => {
    const loop = stoppedLoop(t);
    let steps = 0;
    const work = (function* () {
      for (; steps < 5; steps++) {
        void loop.pass(0.6);
        yield;
      }
      return "done";
    })();
    const done = inSlices(work, "a");
    assert.equal(steps, 0);
    const perTurn: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const before = steps;
      await loop.pass(0);
      perTurn.push(steps - before);
    }
    assert.equal(await done, "done");
    assert.ok(Math.max(...perTurn) <= 2, perTurn.join());
  });

  test("of long work leave time free for the short work of their own owner too", async (t) => {
    const loop = stoppedLoop(t);
    let begun = 0;
    slicing.noteWanted("a");
    void slice("a").then(() => begun++);
    await loop.pass(0);
    assert.equal(begun, 0);
    await loop.pass(1);
    assert.equal(begun, 1);
  });

  test("that took too long are followed by as much free time, which no step has to wait for", async (t) => {
    const clock = new FakeClock();
    sliceBy(clock);
    t.after(() => sliceBy(systemClock));
    const order: string[] = [];
    const pass = async (ms: number): Promise<void> => {
      clock.advance(ms);
      for (let turn = 0; turn < 3; turn++) await nextTurn();
    };
    slicing.noteWanted("a");
    void slice("b", () => {
      order.push("long slice");
      clock.advance(20);
    });
    await pass(1);
    assert.deepEqual(order, ["long slice"]);
    void slice("b").then(() => order.push("slice"));
    slicing.noteWanted("a");
    void step("b").then(() => order.push("step"));
    await pass(10);
    assert.deepEqual(order, ["long slice", "step"]);
    await pass(9);
    assert.deepEqual(order, ["long slice", "step"]);
    await pass(2);
    assert.deepEqual(order, ["long slice", "step", "slice"]);
    // Fifty milliseconds at most.
    slicing.noteWanted("a");
    await pass(10);
    void slice("b", () => clock.advance(500));
    await pass(2);
    void slice("b").then(() => order.push("last"));
    slicing.noteWanted("a");
    await pass(49);
    assert.equal(order.length, 3);
    await pass(3);
    assert.equal(order.at(-1), "last");
  });

  test("of a work that throws are over too", async (t) => {
    const clock = new FakeClock();
    sliceBy(clock);
    t.after(() => sliceBy(systemClock));
    slicing.noteWanted("a");
    const failed = assert.rejects(
      slice("b", () => {
        clock.advance(20);
        throw new Error("no");
      }),
    );
    clock.advance(1);
    await failed;
    let begun = 0;
    slicing.noteWanted("a");
    void slice("b").then(() => begun++);
    clock.advance(15);
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    assert.equal(begun, 0);
    clock.advance(10);
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    assert.equal(begun, 1);
  });

  test("of long work and steps take turns", async (t) => {
    const loop = stoppedLoop(t);
    slicing.noteWanted("a");
    await loop.pass(50);
    const order: string[] = [];
    for (let n = 0; n < 2; n++) {
      void step("a").then(() => order.push("step"));
      void slice("b", () => order.push("slice"));
    }
    await loop.pass(50);
    for (let turn = 0; turn < 6; turn++) await loop.pass(0);
    assert.deepEqual(order.toSorted(), ["slice", "slice", "step", "step"]);
    assert.notEqual(order[0], order[1]);
    assert.notEqual(order[2], order[3]);
  });
});
