// No false verdicts: no timeout, memory failure or quarantine for what a guest may do, and no cell that is killed although
// nothing was wrong with it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Outcome, Runtime } from "../../src/index.ts";
import { startBreakable } from "../support/breakable.ts";
import { scaledMs, stopwatch } from "../support/machine.ts";
import { fulfilled, until } from "../support/waiting.ts";

const kindOf = (outcome: Outcome): string =>
  outcome.ok ? "ok" : `${outcome.error.kind}: ${outcome.error.message}`;

function countExits(runtime: Runtime): { causes: string[] } {
  const counted = { causes: [] as string[] };
  runtime.events.on("cell.exited", ({ cause }) => {
    if (cause !== "unwanted") counted.causes.push(cause);
  });
  return counted;
}

function bindAbort(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

suite("a first run", () => {
  test("that cannot be interrupted for longer than a slice, but is within its deadline, gets its answer", async () => {
    await using broken = await startBreakable();
    const source = `export const parse = (n) => JSON.parse("[" + "1,".repeat(n) + "1]").length;`;
    const sandbox = await broken.runtime.create({ modules: { main: source } });
    // Long enough on any machine to outlast a slice and the grace after it.
    const outcome = await fulfilled("parse", sandbox.call("main.parse", { args: [9_000_000] }));
    assert.equal(kindOf(outcome), "ok");
    assert.equal((await sandbox.info()).quarantined, false);
  });

  test("that cannot be interrupted at its deadline is a timeout all the same, and its own fault", async () => {
    await using broken = await startBreakable();
    const source = `export const search = () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);`;
    const sandbox = await broken.runtime.create({ modules: { main: source } });
    const call = sandbox.call("main.search", { timeoutMs: 60 });
    assert.match(kindOf(await fulfilled("search", call)), /^timeout/);
    assert.equal((await sandbox.info()).quarantined, true);
  });

  test("of a module of a megabyte finds it loaded, and no cell is killed for it", async () => {
    await using broken = await startBreakable();
    const exits = countExits(broken.runtime);
    const lines = Array.from({ length: 24_000 }, (_, n) => `export const f${n} = (a) => a + ${n};`);
    const sandbox = await broken.runtime.create({
      modules: { main: lines.join("\n") },
      limits: { loadMs: 60_000 },
    });
    assert.equal(kindOf(await sandbox.call("main.f23", { args: [1] })), "ok");
    assert.deepEqual(exits.causes, []);
  });
});

suite("a cell", () => {
  test("whose main lane was occupied for seconds and freed is not considered stalled", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const exits = countExits(runtime);
    const neighbour = await runtime.create({
      modules: { main: "let n = 0; export const next = () => ++n;" },
    });
    await neighbour.call("main.next");
    const source = "let runs = 0; export const f = () => { if (runs++ > 0) for (;;); return runs; };";
    const sandbox = await runtime.create({ modules: { main: source } });
    await sandbox.call("main.f");
    const held = sandbox.call("main.f", { timeoutMs: 3_500 });
    const next = await fulfilled("neighbour", neighbour.call("main.next"));
    assert.match(kindOf(await held), /^timeout/);
    assert.ok(next.ok && next.value === 2, "the neighbour lost its variables");
    assert.deepEqual(exits.causes, []);
  });

  test("lets a sandbox occupy its main lane once, not repeatedly", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const source =
      "export const f = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return ms; };";
    const [erratic, neighbour] = await Promise.all(
      [1, 2].map(() => runtime.create({ modules: { main: source } })),
    );
    assert.ok(erratic !== undefined && neighbour !== undefined);
    for (const ms of [0, 400, 0, 0]) await erratic.call("main.f", { args: [ms] });
    await neighbour.call("main.f", { args: [0] });
    let isHeld = true;
    const held = erratic
      .call("main.f", { args: [scaledMs(1_500)], timeoutMs: 300_000 })
      .finally(() => (isHeld = false));
    await until("it is under way", async () => (await runtime.metrics()).runsUnderway === 1);
    assert.equal(kindOf(await neighbour.call("main.f", { args: [1] })), "ok");
    assert.ok(isHeld, "the neighbour waited for the erratic one");
    assert.equal(kindOf(await held), "ok");
  });

  test("that always has a run inside can be filled with sandboxes", async () => {
    await using broken = await startBreakable({ cells: { lanes: 2 } });
    const { runtime } = broken;
    const exits = countExits(runtime);
    const busy =
      "export const f = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return ms; };";
    const workers = await Promise.all(
      Array.from({ length: 6 }, () => runtime.create({ modules: { main: busy } })),
    );
    const { signal, abort } = bindAbort();
    const loops = workers.map(async (worker, index) => {
      const outcomes: string[] = [];
      while (!signal.aborted)
        outcomes.push(kindOf(await worker.call("main.f", { args: [150 + index * 40] })));
      return outcomes;
    });
    const state =
      "export const state = new Array(250_000).fill(1.5); export const size = () => state.length;";
    for (let made = 0; made < 180; made += 60) {
      const results = await runtime.batch.create(
        Array.from({ length: 60 }, () => ({ modules: { main: state } })),
      );
      assert.ok(results.every(({ ok }) => ok));
    }
    abort();
    for (const outcomes of await Promise.all(loops)) assert.ok(outcomes.every((kind) => kind === "ok"));
    assert.deepEqual(exits.causes, []);
  });

  test("answers many long results at a time, each to its caller", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const exits = countExits(runtime);
    const source = `export const text = (letter) => letter.repeat(7_000_000);`;
    const made = await runtime.batch.create(
      Array.from({ length: 40 }, () => ({ modules: { main: source } })),
    );
    const ids = made.map(({ sandboxId }) => sandboxId);
    const letters = "abcdefghijklmnopqrstuvwxABCDEFGHIJKLMNOPQRSTUVWX";
    const args = (_id: string, index: number): [string] => [letters[index] as string];
    const batch = runtime.batch.call<string>(ids, "main.text", { args });
    for (const outcome of await fulfilled("texts", batch)) {
      assert.ok(outcome.ok, kindOf(outcome));
      assert.equal(outcome.value.length, 7_000_000);
      assert.equal(outcome.value[6_999_999], letters[outcome.index]);
    }
    assert.deepEqual(exits.causes, []);
  });

  test("blocked by one sandbox does not get the load commands of waiting ones repeatedly", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const source =
      "let runs = 0; export const f = (n) => { if (n < 0 && runs > 0) for (;;); runs++; return n; };";
    const made = await Promise.all(
      Array.from({ length: 30 }, () => runtime.create({ modules: { main: source } })),
    );
    const [holder, ...others] = made;
    assert.ok(holder !== undefined);
    await holder.call("main.f", { args: [1] });
    const held = holder.call("main.f", { args: [-1], timeoutMs: 1_500 });
    const calls = others.map((sandbox, n) => sandbox.call("main.f", { args: [n + 1] }));
    assert.match(kindOf(await held), /^timeout/);
    // Loading thirty sandboxes thirty times over takes seconds.
    const took = stopwatch();
    for (const [n, call] of calls.entries()) {
      const outcome = await call;
      assert.ok(outcome.ok && outcome.value === n + 1, kindOf(outcome));
    }
    took.assertWithin(1_000, "the cell was busy with loads");
  });
});

suite("an isolate", () => {
  test("lost with several runs inside is rebuilt once, and answers again", async () => {
    await using broken = await startBreakable({ limits: { memoryBytes: 32 * 2 ** 20 } });
    const source = `
      export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      export const grow = () => new Promise(() => setTimeout(() => { const a = []; for (;;) a.push(new Array(1000).fill(1)); }, 50));
      export const quick = (n) => n;`;
    const sandbox = await broken.runtime.create({ modules: { main: source } });
    const calls = ["sleep", "grow", "sleep"].map((name) => sandbox.call(`main.${name}`, { args: [9_000] }));
    for (const call of calls) assert.match(kindOf(await fulfilled("call", call)), /^memory/);
    assert.equal(kindOf(await sandbox.call("main.quick", { args: [1] })), "ok");
    assert.equal((await sandbox.info()).rebuilds, 1);
  });

  test("lost in a timer's turn that outlasts its run is rebuilt and answers again", async () => {
    await using broken = await startBreakable();
    const source = `
      const again = () => { Promise.resolve().then(again); };
      export const storm = () => new Promise(() => setTimeout(() => { again(); for (;;); }, 20));
      export const quick = (n) => n;`;
    const sandbox = await broken.runtime.create({ modules: { main: source } });
    const exits = countExits(broken.runtime);
    for (let n = 1; n < 5; n++) {
      const storm = sandbox.call("main.storm", { timeoutMs: 200 });
      assert.match(kindOf(await fulfilled("storm", storm)), /^timeout/);
      assert.equal(kindOf(await sandbox.call("main.quick", { args: [n] })), "ok");
    }
    assert.deepEqual(exits.causes, []);
  });
});
