// Traps of the engine and of our own that no single program shows: they need two sandboxes, or a busy host.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Outcome } from "../../src/index.ts";
import { startBreakable } from "../support/breakable.ts";
import { assertWithin, stopwatch } from "../support/machine.ts";
import { isAlive } from "../support/processes.ts";
import { fulfilled, until } from "../support/waiting.ts";

// Nothing interrupts it, and it takes about half a second for each million steps.
const stuck = `const length = 2 ** 53 - 1;
  export const f = (steps) => Array.prototype.indexOf.call({ length }, 1, length - steps);`;
const busy = `export const f = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return ms; };`;
const spin = `let runs = 0; export const f = () => { if (runs++ > 0) for (;;); const end = Date.now() + 30; while (Date.now() < end); return runs; };`;

const kindOf = (outcome: Outcome): string =>
  outcome.ok ? "ok" : `${outcome.error.kind}: ${outcome.error.message}`;

/** Blocks this thread, as a user's own code may, until a condition holds or the time is over. */
function block(forMs: number, isEnough: () => boolean): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs && !isEnough());
}

suite("in one cell", () => {
  test("an isolate that hangs does not disarm the deadlines of the others", async () => {
    await using broken = await startBreakable({ cells: { lanes: 4 } });
    const { runtime } = broken;
    const hangs = await runtime.create("hangs", {
      modules: { main: stuck },
    });
    const spins = await runtime.create("spins", { modules: { main: spin } });
    // First runs that are slow, so that the next ones get lanes of their own.
    await hangs.call("main.f", { args: [100_000] });
    await spins.call("main.f");
    let isHanging = true;
    const hanging = hangs
      .call("main.f", { args: [6_000_000], timeoutMs: 120_000 })
      .finally(() => (isHanging = false));
    await until("it hangs", async () => (await runtime.metrics()).runsUnderway === 1);
    assert.match(kindOf(await fulfilled("spin", spins.call("main.f", { timeoutMs: 300 }))), /^timeout/);
    assert.ok(isHanging, "its deadline was disarmed");
    assert.equal(kindOf(await fulfilled("hang", hanging)), "ok");
  });

  test("many that run over their deadline at a time all end at it", async () => {
    await using broken = await startBreakable({ cells: { lanes: 4 } });
    const { runtime } = broken;
    const made = await runtime.batch.create(Array.from({ length: 24 }, () => ({ modules: { main: busy } })));
    const ids = made.map(({ sandboxId }) => sandboxId);
    const batch = runtime.batch.call(ids, "main.f", { args: [60_000], timeoutMs: 150 });
    for (const outcome of await fulfilled("batch", batch)) {
      assert.match(kindOf(outcome), /^timeout/);
      assertWithin(outcome.usage.wallMs, 150 + 400, "it ran on");
    }
  });
});

suite("while the user's own code blocks the thread", () => {
  test("a run that is done in time is not reported as late", async () => {
    await using broken = await startBreakable();
    const sandbox = await broken.runtime.create({ modules: { main: busy } });
    await sandbox.call("main.f", { args: [20] });
    const wait = `export const f = (ms) => new Promise((resolve) => setTimeout(resolve, ms, ms));`;
    const waiting = await broken.runtime.create({ modules: { main: wait } });
    const calls = [
      sandbox.call("main.f", { args: [100], timeoutMs: 1_000 }),
      waiting.call("main.f", { args: [100], timeoutMs: 1_000 }),
    ];
    await until("both have begun", async () => (await broken.runtime.metrics()).runsUnderway === 2);
    await Promise.resolve();
    block(1_500, () => false);
    for (const call of calls) assert.equal(kindOf(await fulfilled("call", call)), "ok");
  });

  test("a cell that must be killed is killed in time", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const sandbox = await runtime.create("a", { modules: { main: stuck } });
    await sandbox.call("main.f", { args: [200_000] });
    const pid = await broken.cellOf("a");
    const call = sandbox.call("main.f", { args: [2 ** 40], timeoutMs: 200 });
    await until("it is under way", async () => (await runtime.metrics()).runsUnderway === 1);
    const took = stopwatch();
    block(60_000, () => !isAlive(pid));
    took.assertWithin(3_000, "the cell lived on");
    assert.match(kindOf(await fulfilled("call", call)), /^timeout/);
  });
});
