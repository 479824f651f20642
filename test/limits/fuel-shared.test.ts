// fuel, where several runs of one sandbox wait at the same time: each has its own, and what one uses up is counted for no
// other.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome, Sandbox } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const fuel = 300;

const source = `
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const turn = (times: number): number => { for (let i = 0; i < times; i++); return times; };
export async function slowly(times: number): Promise<number> {
  for (let i = 0; i < times; i++) await wait(2);
  return times;
}
export async function greedily(): Promise<never> {
  for (;;) { await wait(1); try { for (;;); } catch {} }
}
export async function forever(): Promise<never> { for (;;) await wait(1); }`;

const create = (): Promise<Sandbox> => createMain(runtime, source, { fuel, timeoutMs: 20_000 });
const used = (outcome: Outcome): unknown => [valueOf(outcome), outcome.usage.fuel];

/** A run, and whether it is over. */
function watched(outcome: Promise<Outcome>): { readonly outcome: Promise<Outcome>; isOver: boolean } {
  const run = { outcome, isOver: false };
  void outcome.then(() => {
    run.isOver = true;
  });
  return run;
}

test("runs that wait at the same time use what each of them uses alone", async () => {
  await using sandbox = await create();
  const alone = used(await sandbox.call("main.slowly", { args: [20] }));
  const together = await Promise.all([
    ...Array.from({ length: 5 }, () => sandbox.call("main.slowly", { args: [20] })),
    sandbox.call("main.turn", { args: [200] }),
  ]);
  assert.deepEqual(together.map(used), [...Array.from({ length: 5 }, () => alone), [200, 201]]);
});

test("a run gets no more fuel by others that begin while it waits", async () => {
  await using sandbox = await create();
  const waiting = watched(sandbox.call("main.forever"));
  while (!waiting.isOver) valueOf(await sandbox.call("main.turn", { args: [200] }));
  const outcome = await waiting.outcome;
  assertFailed(outcome, "fuel", "fuel");
  assert.equal(outcome.usage.fuel, fuel);
});

test("a run gets no more fuel by a reload while it waits", async () => {
  await using sandbox = await create();
  const waiting = watched(sandbox.call("main.forever"));
  for (let i = 0; !waiting.isOver; i++) await sandbox.hotReload({ other: `export const n = ${i};` });
  assertFailed(await waiting.outcome, "fuel", "fuel");
});

test("a run that uses up its fuel ends no other run, whatever it leaves behind", async () => {
  await using sandbox = await create();
  const slow = sandbox.call("main.slowly", { args: [50] });
  const greedy = await sandbox.call("main.greedily");
  assertFailed(greedy, "fuel", "fuel");
  assert.equal(greedy.usage.fuel, fuel);
  assert.equal(valueOf(await slow), 50);
  assert.equal((await sandbox.info()).rebuilds, 0);
});

test("timers that a run left behind use nothing of the next run's fuel", async () => {
  const left = `
    export const leave = (): void => { for (let i = 0; i < 5; i++) setInterval(() => { for (;;); }, 1); };
    export async function slowly(times: number): Promise<number> {
      for (let i = 0; i < times; i++) await new Promise((resolve) => setTimeout(resolve, 2));
      return times;
    }`;
  await using sandbox = await createMain(runtime, left, { fuel, timeoutMs: 20_000 });
  const alone = used(await sandbox.call("main.slowly", { args: [20] }));
  valueOf(await sandbox.call("main.leave"));
  assert.deepEqual(used(await sandbox.call("main.slowly", { args: [20] })), alone);
});
