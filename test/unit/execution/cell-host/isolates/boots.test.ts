// On which thread isolates are booted, and how many at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BootedIsolate } from "../../../../../src/execution/cell-host/isolates/booted-isolate.ts";
import { Boots } from "../../../../../src/execution/cell-host/isolates/boots.ts";
import { FakeClock } from "../../../../../src/testing/index.ts";

const bootMs = 5;

class Bench {
  readonly clock = new FakeClock();
  readonly warm: BootedIsolate[] = [];
  readonly later: (() => void)[] = [];
  readonly given: BootedIsolate[] = [];
  readonly #isolate = {} as BootedIsolate;
  readonly boots = new Boots({
    clock: this.clock,
    atOnceMax: 2,
    pool: {
      takeWarm: () => this.warm.pop(),
      makeNow: () => {
        this.clock.advance(bootMs);
        return this.#isolate;
      },
      makeLater: () => new Promise((resolve) => this.later.push(() => resolve(this.#isolate))),
    },
  });

  /** Whether an isolate is there at once. */
  take(): boolean {
    return this.boots.take(128, (booted) => this.given.push(booted)) !== undefined;
  }

  /** One that is booted on another thread is there. */
  async arrive(): Promise<void> {
    this.later.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("an isolate is booted at once on the main thread, and then none for three times as long", () => {
  const bench = new Bench();
  assert.deepEqual([bench.take(), bench.take()], [true, false]);
  const rested = new Bench();
  rested.take();
  rested.clock.advance(3 * bootMs);
  assert.equal(rested.take(), true);
});

test("others are booted on other threads, two at a time, and given in their order", async () => {
  const bench = new Bench();
  bench.take();
  for (let n = 0; n < 5; n++) assert.equal(bench.take(), false);
  assert.equal(bench.later.length, 2);
  await bench.arrive();
  assert.deepEqual([bench.given.length, bench.later.length], [1, 2]);
  for (let n = 0; n < 4; n++) await bench.arrive();
  assert.deepEqual([bench.given.length, bench.later.length], [5, 0]);
});

test("a warm isolate is taken at once, whatever is being booted", () => {
  const bench = new Bench();
  bench.take();
  bench.take();
  bench.warm.push({} as BootedIsolate);
  assert.equal(bench.take(), true);
});
