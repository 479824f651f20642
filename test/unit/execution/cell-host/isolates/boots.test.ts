// On which thread isolates are booted, and how many at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BootedIsolate } from "../../../../../src/execution/cell-host/isolates/booted-isolate.ts";
import { Boots } from "../../../../../src/execution/cell-host/isolates/boots.ts";
import type { SharedIsolate } from "../../../../../src/execution/cell-host/isolates/shared-isolate.ts";
import { FakeIsolate } from "../../../../support/fake-isolate.ts";
import { FakeClock } from "../../../../../src/testing/index.ts";

const bootMs = 5;

const newShared = (): SharedIsolate => new FakeIsolate().shared;
// Nothing else of it is looked at.
const bootedIn = (shared: SharedIsolate): BootedIsolate => ({ isolate: { shared } }) as BootedIsolate;

class Bench {
  readonly clock = new FakeClock();
  readonly warm: BootedIsolate[] = [];
  readonly later: (() => void)[] = [];
  readonly given: BootedIsolate[] = [];
  /** What is there already, for dense sandboxes and for others. */
  dense: SharedIsolate | undefined;
  idle: SharedIsolate | undefined;
  readonly made: string[] = [];
  readonly left: SharedIsolate[] = [];
  readonly boots = new Boots({
    clock: this.clock,
    atOnceMax: 2,
    pool: { takeWarm: () => this.warm.pop() },
    factory: {
      makeNow: () => this.#now("made", newShared()),
      makeLater: () => this.#later("made", newShared()),
      addNow: (shared) => (shared.checkGone() ? undefined : this.#now("added", shared)),
      addLater: (shared) => this.#later("added", shared),
    },
    reusable: {
      takeIdle: () => {
        const { idle } = this;
        this.idle = undefined;
        return idle;
      },
      findDense: () => (this.dense?.isHeld === true ? undefined : this.dense),
      makeDense: (shared) => void (shared.isDense = true),
      noteLeft: (shared) => void this.left.push(shared),
    },
  });

  #now(how: string, shared: SharedIsolate): BootedIsolate {
    this.made.push(how);
    this.clock.advance(bootMs);
    return bootedIn(shared);
  }

  #later(how: string, shared: SharedIsolate): Promise<BootedIsolate> {
    return new Promise((resolve) => {
      this.later.push(() => {
        this.made.push(how);
        resolve(bootedIn(shared));
      });
    });
  }

  /** Whether an isolate is there at once. */
  take(isDense = false): boolean {
    return this.boots.take({ memoryMiB: 128, isDense }, (booted) => this.given.push(booted)) !== undefined;
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
  bench.warm.push(bootedIn(newShared()));
  assert.equal(bench.take(), true);
});

test("an isolate that a sandbox has left comes before a new one, and a warm one before both", () => {
  const bench = new Bench();
  bench.idle = newShared();
  bench.warm.push(bootedIn(newShared()));
  assert.deepEqual([bench.take(), bench.made], [true, []]);
  assert.deepEqual([bench.take(), bench.made], [true, ["added"]]);
  bench.clock.advance(3 * bootMs);
  assert.deepEqual([bench.take(), bench.made], [true, ["added", "made"]]);
});

test("a dense sandbox goes where others are before it takes a warm isolate; one that is not never does", () => {
  const bench = new Bench();
  bench.dense = newShared();
  bench.warm.push(bootedIn(newShared()));
  assert.deepEqual([bench.take(true), bench.made, bench.warm.length], [true, ["added"], 1]);
  bench.warm.pop();
  bench.clock.advance(3 * bootMs);
  assert.deepEqual([bench.take(false), bench.made], [true, ["added", "made"]]);
});

test("where the isolate that was there is gone, a new one is made", () => {
  const bench = new Bench();
  const fake = new FakeIsolate();
  fake.die();
  bench.idle = fake.shared;
  assert.deepEqual([bench.take(), bench.made], [true, ["made"]]);
});

test("while a context is added on another thread, nobody else enters its isolate", async () => {
  const bench = new Bench();
  const shared = newShared();
  bench.take();
  bench.dense = shared;
  assert.equal(bench.take(true), false);
  assert.equal(shared.isHeld, true);
  await bench.arrive();
  assert.deepEqual([bench.made, shared.isHeld, bench.given.length], [["made", "added"], false, 1]);
});

test("what came for a sandbox while its isolate was held begins when that is over, also where it is alone", async () => {
  const bench = new Bench();
  const isolate = new FakeIsolate();
  let admitted = 0;
  isolate.booted.isolate.onAdmitted = () => void admitted++;
  bench.take();
  bench.idle = isolate.shared;
  bench.take();
  assert.equal(admitted, 0);
  await bench.arrive();
  assert.deepEqual([isolate.shared.isHeld, admitted], [false, 1]);
});

test("an isolate that is there already is for the next one where its sandbox is not wanted any more", async () => {
  const bench = new Bench();
  const isolate = new FakeIsolate();
  isolate.shared.isDense = true;
  isolate.booted.isolate.end("gone");
  bench.take();
  bench.dense = isolate.shared;
  bench.take(true);
  await bench.arrive();
  assert.deepEqual(bench.left, [isolate.shared]);
});
