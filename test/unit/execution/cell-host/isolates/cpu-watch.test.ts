// Processor time is watched while an entry lasts: in all, and as a share of the last second.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Activity } from "../../../../../src/execution/cell-host/activity.ts";
import type { Box } from "../../../../../src/execution/cell-host/box.ts";
import { CpuWatch } from "../../../../../src/execution/cell-host/isolates/cpu-watch.ts";
import { CpuWindow } from "../../../../../src/execution/cell-host/isolates/meters.ts";
import { FakeClock } from "../../../../../src/testing/index.ts";

/** A sandbox whose processor time the test sets. */
class FakeBox {
  isLost = false;
  endedBy: string | undefined;
  usedMs = 0;
  readonly cpuWindow = new CpuWindow();
  readonly limits: { readonly cpuPercent: number | null };

  constructor(cpuPercent: number | null) {
    this.limits = { cpuPercent };
  }

  cpuMs(): number {
    return this.usedMs;
  }

  dispose(why: string): void {
    this.isLost = true;
    this.endedBy = why;
  }
}

class Bench {
  readonly clock = new FakeClock();
  readonly box: FakeBox;
  readonly #watch = new CpuWatch(this.clock);

  constructor(cpuPercent: number | null) {
    this.box = new FakeBox(cpuPercent);
  }

  /** One entry that lasts so long and uses so much of the processor. */
  enter(lastsMs: number, usesMs: number, cpuMs: number | null = null): void {
    const from = this.box.usedMs;
    const activity = { cpuMs, cpuUsedMs: () => this.box.usedMs - from } as unknown as Activity;
    const watch = this.#watch.start(this.box as unknown as Box, [activity]);
    for (let ms = 1; ms <= lastsMs && !this.box.isLost; ms++) {
      this.box.usedMs += usesMs / lastsMs;
      this.clock.advance(1);
    }
    watch?.cancel();
  }
}

test("CpuWatch sets nothing where nothing is limited", () => {
  const bench = new Bench(null);
  bench.enter(10, 10);
  assert.equal(bench.clock.pending, 0);
});

test("CpuWatch ends a run that used its processor time up, and only then", () => {
  const bench = new Bench(null);
  bench.enter(99, 99, 100);
  assert.equal(bench.box.endedBy, undefined);
  bench.enter(101, 101, 100);
  assert.equal(bench.box.endedBy, "cpu");
  assert.equal(bench.clock.pending, 0);
});

test("CpuWatch lets a run take its time as long as it does not use the processor", () => {
  const bench = new Bench(null);
  bench.enter(5_000, 50, 100);
  assert.equal(bench.box.endedBy, undefined);
});

test("CpuWatch ends an entry that takes more than its share of a second", () => {
  const bench = new Bench(30);
  bench.enter(299, 299);
  assert.equal(bench.box.endedBy, undefined);
  bench.enter(5, 5);
  assert.equal(bench.box.endedBy, "cpu-share");
});

test("CpuWatch lets an entry go on that stays below its share", () => {
  const bench = new Bench(30);
  bench.enter(10_000, 2_900);
  assert.equal(bench.box.endedBy, undefined);
});

test("CpuWatch does not hold against an entry what was used more than a second before it", () => {
  const bench = new Bench(30);
  for (let round = 0; round < 5; round++) {
    bench.enter(200, 200);
    assert.equal(bench.box.endedBy, undefined, `round ${round}`);
    bench.clock.advance(1_000);
  }
});

test("CpuWatch adds up what several short entries take of one second", () => {
  const bench = new Bench(30);
  for (let round = 0; round < 4; round++) {
    bench.enter(90, 90);
    bench.clock.advance(10);
  }
  assert.equal(bench.box.endedBy, "cpu-share");
});
