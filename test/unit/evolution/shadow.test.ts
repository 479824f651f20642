// A variant in the shadow of production: compared, never felt.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../../src/index.ts";
import { Shadow, type ShadowOptions } from "../../../src/evolution/index.ts";
import { unusedAfter } from "../../../src/model/runs/usage.ts";
import { mistakeOf } from "../../support/errors.ts";

/** An answer that took so long inside. */
const answered = (value: number, wallMs = 1): Outcome<number> => ({
  ok: true,
  value,
  usage: { ...unusedAfter(0), wallMs },
  logs: [],
});

/** A clock that goes on by so much with every look at it. */
function shadowOf(options: Partial<ShadowOptions<[number], number>>): Shadow<[number], number> {
  let nowMs = 0;
  return new Shadow<[number], number>({
    production: (x) => x * x,
    variant: async (x) => answered(x * x),
    monotonic: () => nowMs++,
    window: 10,
    timeRatioBelow: 10,
    ...options,
  });
}

test("Shadow gives production's answer and promotes a variant that matches, once the window is full", async () => {
  const shadow = shadowOf({});
  for (let x = 0; x < 9; x++) assert.equal(await shadow.serve(x), x * x);
  await shadow.settled();
  assert.equal(shadow.report().promotable, false);
  await shadow.serve(9);
  await shadow.settled();
  const { comparisons, matchRate, failures, promotable } = shadow.report();
  assert.deepEqual([comparisons, matchRate, failures, promotable], [10, 1, 0, true]);
});

test("Shadow promotes nobody who differs, fails or throws, and the caller feels nothing of it", async () => {
  const failure: Outcome<number> = {
    ok: false,
    error: { kind: "timeout", message: "too late" },
    usage: unusedAfter(0),
    logs: [],
  };
  for (const [variant, failures] of [
    [async () => answered(-1), 0],
    [async () => failure, 10],
    [() => Promise.reject(new Error("gone")), 10],
  ] as const) {
    const shadow = shadowOf({ variant });
    for (let x = 0; x < 10; x++) assert.equal(await shadow.serve(x), x * x);
    await shadow.settled();
    const report = shadow.report();
    assert.deepEqual([report.comparisons, report.failures, report.promotable], [10, failures, false]);
  }
});

test("Shadow promotes nobody who is slower than the rule says", async () => {
  const variant = async (x: number) => answered(x * x, 2);
  const shadow = shadowOf({ variant, timeRatioBelow: 1.5, timeSlackMs: 0.5 });
  for (let x = 0; x < 10; x++) await shadow.serve(x);
  await shadow.settled();
  const { timeRatio, promotable } = shadow.report();
  assert.equal(timeRatio, 2);
  assert.equal(promotable, false);
});

test("Shadow compares the time inside, so that a variant that is the same is promotable by the default rule", async () => {
  const same = async (x: number): Promise<Outcome<number>> => answered(x * x, 0.02);
  // On the way there and back it may take any time; entering an isolate takes longer than a short function of the host.
  const host = new Shadow<[number], number>({
    production: (x) => x * x,
    variant: same,
    monotonic: () => 0,
    window: 10,
  });
  const inside = new Shadow<[number], number, Outcome<number>>({
    production: same,
    variant: same,
    window: 10,
  });
  for (let x = 0; x < 10; x++) {
    assert.equal(await host.serve(x), x * x);
    assert.equal((await inside.serve(x)).ok, true);
  }
  await Promise.all([host.settled(), inside.settled()]);
  assert.deepEqual([host.report().promotable, inside.report().promotable], [true, true]);
  assert.equal(inside.report().timeRatio, 1);
});

test("Shadow compares nothing where the outcome of production has no value", async () => {
  const failed = {
    ok: false,
    error: { kind: "crashed", message: "no" },
    usage: unusedAfter(0),
    logs: [],
  } as const;
  const shadow = new Shadow<[], number, Outcome<number>>({
    production: async () => failed,
    variant: async () => answered(1),
  });
  assert.equal(await shadow.serve(), failed);
  await shadow.settled();
  assert.deepEqual([shadow.report().comparisons, shadow.report().skipped], [0, 1]);
});

test("Shadow passes on what production throws, and compares nothing then", async () => {
  const shadow = shadowOf({
    production: () => {
      throw new RangeError("mine");
    },
  });
  await assert.rejects(shadow.serve(1), /mine/);
  await shadow.settled();
  assert.deepEqual([shadow.report().comparisons, shadow.report().skipped], [0, 1]);
});

test("Shadow serves without a variant beyond its bound, and waits for none", async () => {
  const { promise, resolve } = Promise.withResolvers<Outcome<number>>();
  let asked = 0;
  const shadow = shadowOf({
    underwayMax: 2,
    variant: () => {
      asked++;
      return promise;
    },
  });
  for (let x = 0; x < 5; x++) assert.equal(await shadow.serve(x), x * x);
  assert.deepEqual([asked, shadow.report().skipped], [2, 3]);
  resolve(answered(0));
  await shadow.settled();
  assert.equal(shadow.report().comparisons, 2);
});

test("Shadow counts only the latest comparisons", async () => {
  let isRight = false;
  const shadow = shadowOf({ variant: async (x) => answered(isRight ? x * x : -1) });
  for (let x = 0; x < 10; x++) await shadow.serve(x);
  await shadow.settled();
  isRight = true;
  for (let x = 0; x < 10; x++) await shadow.serve(x);
  await shadow.settled();
  assert.deepEqual([shadow.report().comparisons, shadow.report().matchRate], [10, 1]);
  await mistakeOf(() => shadowOf({ window: 0 }), "INVALID_OPTIONS");
});
