// fuel: loop turns and function entries of one run, counted in the code itself. The verdict does not depend on what a
// guest does with the error.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidLimitsError, type Outcome } from "../../src/index.ts";
import { mistakeOf } from "../support/errors.ts";
import { assertFailed, failureOf, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();

// One for the function's entry and one for each turn.
const source = `
let count = 0;
export const bump = (): number => ++count;
export function turn(times: number): number {
  let done = 0;
  for (let i = 0; i < times; i++) done++;
  return done;
}
export const forever = (): never => { for (;;); };
export const wait = (ms: number): Promise<number> => new Promise((resolve) => setTimeout(resolve, ms, ms));
export async function turnLater(times: number): Promise<number> {
  await wait(5);
  return turn(times);
}
export async function keepTurning(): Promise<string> {
  await wait(5);
  try { for (;;); } catch { return "caught"; }
}`;

function assertExhausted(outcome: Outcome, fuel: number): void {
  assertFailed(outcome, "fuel", "fuel");
  assert.equal(outcome.usage.fuel, fuel, "all of it was used");
  assert.match(outcome.error.message, new RegExp(`granted, ${fuel}$`));
}

test("a run that uses less than its fuel gives its value and reports what it used", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
  const outcome = await sandbox.call("main.turn", { args: [10] });
  assert.equal(valueOf(outcome), 10);
  assert.equal(outcome.usage.fuel, 11);
});

test("a run that uses exactly its fuel gives its value", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
  const outcome = await sandbox.call("main.turn", { args: [999] });
  assert.equal(valueOf(outcome), 999);
  assert.equal(outcome.usage.fuel, 1_000);
});

for (const [how, target, args] of [
  ["one turn too many", "main.turn", [1_000]],
  ["a million too many", "main.turn", [1_001_000]],
  ["turns without end", "main.forever", []],
] as const) {
  test(`a run that makes ${how} ends with fuel, and the sandbox goes on with its variables`, async () => {
    await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
    await using neighbour = await createMain(runtime, source, { fuel: 1_000 });
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    assert.equal(valueOf(await neighbour.call("main.bump")), 1);
    assertExhausted(await sandbox.call(target, { args: [...args] }), 1_000);
    assert.equal(valueOf(await sandbox.call("main.bump")), 2);
    assert.equal((await sandbox.info()).rebuilds, 0);
    assert.equal(valueOf(await neighbour.call("main.bump")), 2);
  });
}

test("a run that used up its fuel is emitted as an event and counted", async () => {
  const reasons: string[] = [];
  const stop = runtime.events.on("sandbox.killed", ({ reason }) => reasons.push(reason));
  const before = (await runtime.metrics()).killed.fuel ?? 0;
  const outcome = await runtime.once("export default () => { for (;;); }", { limits: { fuel: 50 } });
  stop();
  assertExhausted(outcome, 50);
  assert.deepEqual(reasons, ["fuel"]);
  assert.equal((await runtime.metrics()).killed.fuel, before + 1);
});

test("fuel is counted through the waits of a run", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
  const outcome = await sandbox.call("main.turnLater", { args: [100] });
  assert.equal(valueOf(outcome), 100);
  const { fuel } = outcome.usage;
  assertExhausted(await sandbox.call("main.turnLater", { args: [1_000] }), 1_000);
  assertExhausted(await sandbox.call("main.keepTurning"), 1_000);
  const again = await sandbox.call("main.turnLater", { args: [100] });
  assert.deepEqual([valueOf(again), again.usage.fuel], [100, fuel]);
});

test("each run has its own fuel: many small ones add up to nothing", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
  for (let i = 0; i < 20; i++) valueOf(await sandbox.call("main.turn", { args: [900] }));
});

test("the largest fuel there is ends nothing that ends by itself", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: Number.MAX_SAFE_INTEGER });
  const outcome = await sandbox.call("main.turn", { args: [1_000_000] });
  assert.equal(outcome.usage.fuel, 1_000_001);
});

test("a run without end ends by its time where that is shorter than its fuel", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: Number.MAX_SAFE_INTEGER, timeoutMs: 200 });
  assertFailed(await sandbox.call("main.forever"), "timeout", "timeoutMs");
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
});

test("a call may lower fuel", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
  assertExhausted(await sandbox.call("main.turn", { args: [100], fuel: 100 }), 100);
  assert.equal(valueOf(await sandbox.call("main.turn", { args: [100], fuel: 101 })), 100);
  assert.equal(valueOf(await sandbox.call("main.turn", { args: [900] })), 900);
});

for (const fuel of [1_001, Number.MAX_SAFE_INTEGER]) {
  test(`a call that asks for fuel ${fuel} where the sandbox has 1000 is refused`, async () => {
    await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
    const error = await mistakeOf(() => sandbox.call("main.bump", { fuel }), "INVALID_LIMITS");
    assert.ok(error instanceof InvalidLimitsError);
    assert.equal(error.limit, "fuel");
    assert.equal(valueOf(await sandbox.call("main.bump", { fuel: 1_000 })), 1);
  });
}

test("a call that asks for fuel in a sandbox that was created without is refused", async () => {
  await using sandbox = await createMain(runtime, source);
  for (const act of [
    () => sandbox.call("main.bump", { fuel: 10 }),
    () => sandbox.run(() => 1, { fuel: 10 }),
    () => sandbox.updateLimits({ fuel: 10 }),
  ]) {
    const error = await mistakeOf(act, "INVALID_LIMITS");
    assert.ok(error instanceof InvalidLimitsError && error.limit === "fuel");
  }
  const outcome = await sandbox.call("main.bump");
  assert.deepEqual([valueOf(outcome), outcome.usage.fuel], [1, null]);
});

for (const fuel of [0, -1, 1.5, Number.NaN, 2 ** 53, "10"]) {
  test(`fuel ${String(fuel)} is refused`, async () => {
    const limits = { fuel: fuel as number };
    const error = await mistakeOf(() => createMain(runtime, source, limits), "INVALID_LIMITS");
    assert.equal((error as InvalidLimitsError).limit, "fuel");
  });
}

test("fuel can be changed while the sandbox is running, but not switched off", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 100 });
  assertExhausted(await sandbox.call("main.turn", { args: [100] }), 100);
  await sandbox.updateLimits({ fuel: 200 });
  assert.equal(valueOf(await sandbox.call("main.turn", { args: [100] })), 100);
  await mistakeOf(() => sandbox.updateLimits({ fuel: null }), "INVALID_LIMITS");
});

test("a function that is shipped into the sandbox is counted like its modules", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
  const turn = (_: object, times: number): number => {
    let done = 0;
    for (let i = 0; i < times; i++) done++;
    return done;
  };
  const outcome = await sandbox.run(turn, { args: [10] });
  assert.deepEqual([valueOf(outcome), outcome.usage.fuel], [10, 11]);
  assertExhausted(await sandbox.run(turn, { args: [1_000] }), 1_000);
  assertExhausted(await sandbox.run(turn, { args: [50], fuel: 50 }), 50);
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
});

test("new code that is hot-reloaded into the sandbox is counted too", async () => {
  await using sandbox = await createMain(runtime, source, { fuel: 1_000 });
  await sandbox.hotReload({
    main: `export const turn = (times: number) => { while (times-- > 0); return "new"; };`,
  });
  const outcome = await sandbox.call("main.turn", { args: [10] });
  assert.deepEqual([valueOf(outcome), outcome.usage.fuel], ["new", 11]);
  assertExhausted(await sandbox.call("main.turn", { args: [1_000] }), 1_000);
});

test("a module that was compiled without the counter is compiled again for a sandbox that counts", async () => {
  const artifact = await runtime.compile.source(source);
  await using sandbox = await runtime.create({ modules: { main: artifact }, limits: { fuel: 100 } });
  assertExhausted(await sandbox.call("main.forever"), 100);
});

test("each call of a batch has its own fuel, which the batch can lower", async () => {
  await using generous = await createMain(runtime, source, { fuel: 1_000 });
  await using frugal = await createMain(runtime, source, { fuel: 100 });
  const ids = [generous.id, frugal.id];
  const [first, second] = await runtime.batch.call(ids, "main.turn", { args: [500] });
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([valueOf(first), first.usage.fuel], [500, 501]);
  assertExhausted(second, 100);
  const lowered = await runtime.batch.call(ids, "main.turn", { args: [90], fuel: 50 });
  for (const outcome of lowered) assertExhausted(outcome, 50);
  const enough = await runtime.batch.call(ids, "main.turn", { args: [49], fuel: 50 });
  assert.deepEqual(
    enough.map((outcome) => [valueOf(outcome), outcome.usage.fuel]),
    [
      [49, 50],
      [49, 50],
    ],
  );
});

test("a function that a batch ships is counted in the sandboxes that count, and runs in those that do not", async () => {
  await using counting = await createMain(runtime, source, { fuel: 100 });
  await using free = await createMain(runtime, source);
  const turn = (_: object, times: number): number => {
    let done = 0;
    while (done < times) done++;
    return done;
  };
  const ids = [counting.id, free.id, counting.id];
  const short = await runtime.batch.run(ids, turn, { args: [10] });
  assert.deepEqual(
    short.map((outcome) => [valueOf(outcome), outcome.usage.fuel]),
    [
      [10, 11],
      [10, null],
      [10, 11],
    ],
  );
  const [cut, done] = await runtime.batch.run(ids, turn, { args: [1_000] });
  assert.ok(cut !== undefined && done !== undefined);
  assertExhausted(cut, 100);
  assert.equal(valueOf(done), 1_000);
});

test("a batch that asks for fuel ends only the items whose sandboxes were created without, or have less", async () => {
  await using counting = await createMain(runtime, source, { fuel: 100 });
  await using frugal = await createMain(runtime, source, { fuel: 10 });
  await using free = await createMain(runtime, source);
  const ids = [counting.id, frugal.id, free.id];
  const [done, above, without] = await runtime.batch.call(ids, "main.bump", { fuel: 50 });
  assert.ok(done !== undefined && above !== undefined && without !== undefined);
  assert.equal(valueOf(done), 1);
  assert.match(failureOf(above).message, /must be at most 10: got 50/);
  assert.match(failureOf(without).message, /must be created with it/);
});

test("what is left of a run that used up its fuel does not go on in the next one", async () => {
  const late = `
    let turns = 0;
    export const count = () => turns;
    export async function spread() {
      for (let i = 0; i < 3; i++) setTimeout(() => { for (;;) turns++; }, 1);
      for (;;) { try { for (;;); } catch { await null; } }
    }`;
  await using sandbox = await createMain(runtime, late, { fuel: 1_000, timeoutMs: 20_000 });
  assertExhausted(await sandbox.call("main.spread"), 1_000);
  const outcome = await sandbox.call("main.count");
  assert.deepEqual([typeof valueOf(outcome), outcome.usage.fuel], ["number", 1]);
});
