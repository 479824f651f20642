// An isolate that does not come back at its time is ended by our own clock: soon where it had the processor, later where the
// machine was busy elsewhere, and never where its end had only not been read yet.
import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite, test } from "node:test";
import type { Announcer } from "../../../../src/execution/cell-host/announcer.ts";
import { disposeGraceMs, starvedGraceMs } from "../../../../src/execution/cell-host/grace.ts";
import { Lanes, type Enterable } from "../../../../src/execution/cell-host/lanes.ts";
import { FakeClock } from "../../../../src/testing/index.ts";

const budgetMs = 100;
/** How late an entry that was cut was seen to come back beside busy loops, where the cell had more than half of a core. */
const lateMs = 55;

/** An entry that does not come back by itself; `share` is what the cell gets of the processor meanwhile. */
class Bench {
  readonly clock = new FakeClock();
  readonly back = Promise.withResolvers<unknown>();
  readonly entry: Promise<unknown>;
  endedMs: number | undefined;

  /** `shareLater` is what it gets from its deadline on. */
  constructor(share: number, shareLater = share) {
    const beganMs = this.clock.monotonic();
    const cpuMs = (): number => {
      const passedMs = this.clock.monotonic() - beganMs;
      return Math.min(passedMs, budgetMs) * share + Math.max(0, passedMs - budgetMs) * shareLater;
    };
    const announcer = { enter: () => {}, leave: () => {} } as unknown as Announcer;
    const lanes = new Lanes(announcer, { clock: this.clock, cpuMs }, 1);
    const box: Enterable = {
      key: 1,
      isolate: {
        isGone: false,
        addCpuMs: () => {},
        checkGone: () => this.endedMs !== undefined,
        enter: () => {},
        noteCut: () => {},
      },
      isEntered: false,
      dispose: () => {
        this.endedMs = this.clock.monotonic();
        this.back.reject(new TypeError("disposed"));
      },
      noteUnhandled: () => {},
    };
    this.entry = lanes.enterLater(box, { op: 1, budgetMs, slot: 1 }, () => this.back.promise);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed++) {
      this.clock.advance(1);
      await nextTurn();
    }
  }
}

suite("an entry that does not come back", () => {
  test("is ended a grace after its time", async () => {
    const bench = new Bench(1);
    await bench.pass(2_000);
    assert.equal(bench.endedMs, budgetMs + disposeGraceMs);
    assert.deepEqual(await bench.entry, { end: "disposed", answer: undefined });
    assert.equal(bench.clock.pending, 0);
  });

  test("is given longer where the machine has no time for the cell, and is ended all the same", async () => {
    const bench = new Bench(0.1);
    await bench.pass(1_000);
    assert.equal(bench.endedMs, undefined);
    await bench.pass(1_000);
    assert.equal(bench.endedMs, budgetMs + starvedGraceMs);
    assert.equal(bench.clock.pending, 0);
  });

  test("is given longer where the machine had time for the cell until its deadline, and none since", async () => {
    const bench = new Bench(1, 0.1);
    await bench.pass(budgetMs + 5 * disposeGraceMs);
    assert.equal(bench.endedMs, undefined);
    bench.back.reject(new Error("cut"));
    assert.deepEqual(await bench.entry, { end: "timeout", answer: undefined });
    assert.equal(bench.clock.pending, 0);
  });

  test("is given longer where all threads of the cell were held up at its deadline", async () => {
    const bench = new Bench(1, 0);
    await bench.pass(budgetMs);
    bench.clock.advance(5 * disposeGraceMs);
    await nextTurn();
    assert.equal(bench.endedMs, undefined);
  });

  test("is ended where only this thread comes late", async () => {
    const bench = new Bench(1);
    await bench.pass(budgetMs);
    bench.clock.advance(2 * disposeGraceMs);
    await nextTurn();
    assert.equal(bench.endedMs, budgetMs + 2 * disposeGraceMs);
  });

  test("is ended soon where this thread was held up at its deadline", async () => {
    const bench = new Bench(1);
    bench.clock.advance(budgetMs + 3 * disposeGraceMs);
    await nextTurn();
    assert.equal(bench.endedMs, undefined);
    await bench.pass(20);
    assert.equal(bench.endedMs, budgetMs + 3 * disposeGraceMs + 20);
  });

  test("is looked at again where the whole machine stood still for longer than any grace", async () => {
    const bench = new Bench(0, 0);
    bench.clock.advance(budgetMs + 3 * starvedGraceMs);
    await nextTurn();
    assert.equal(bench.endedMs, undefined);
    bench.back.reject(new Error("cut"));
    assert.deepEqual(await bench.entry, { end: "timeout", answer: undefined });
    assert.equal(bench.clock.pending, 0);
  });

  test("is ended soon after the first look where that came late, though the machine has no time for the cell", async () => {
    for (const heldMs of [disposeGraceMs, starvedGraceMs - disposeGraceMs, 3 * starvedGraceMs]) {
      const bench = new Bench(0.1);
      bench.clock.advance(budgetMs + heldMs);
      await nextTurn();
      assert.equal(bench.endedMs, undefined);
      await bench.pass(2 * starvedGraceMs);
      // The watchdog would kill the cell 2,000 ms after the deadline, and 100 ms after its first look.
      const endedMs = bench.endedMs ?? Infinity;
      assert.ok(endedMs - budgetMs < Math.max(2_000, heldMs + 100), `held ${heldMs}, ended at ${endedMs}`);
    }
  });

  test("at once when it is cut, as the machine is busy, keeps its isolate", async () => {
    const bench = new Bench(0.6);
    await bench.pass(budgetMs + lateMs);
    bench.back.reject(new Error("cut"));
    assert.deepEqual(await bench.entry, { end: "timeout", answer: undefined });
    assert.equal(bench.endedMs, undefined);
    assert.equal(bench.clock.pending, 0);
  });

  test("until after its time is not ended where it is back before we look", async () => {
    const bench = new Bench(1);
    bench.clock.advance(budgetMs + disposeGraceMs);
    bench.back.resolve(7);
    assert.deepEqual(await bench.entry, { end: "returned", answer: 7 });
    await nextTurn();
    assert.equal(bench.endedMs, undefined);
    assert.equal(bench.clock.pending, 0);
  });
});
