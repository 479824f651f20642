// Runs concurrent with other operations: none is repeated that may not be, none is lost, and every wait ends.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { suite, test } from "node:test";
import type { Outcome, Runtime, Sandbox } from "../../src/index.ts";
import { startBreakable } from "../support/breakable.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { fulfilled, until } from "../support/waiting.ts";

const waitMs = 120_000;
const spinner = `export const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return 1; };`;
const kindOf = (outcome: Outcome): string => (outcome.ok ? "ok" : outcome.error.kind);

async function besides(
  runtime: Runtime,
  neighbour: Sandbox,
  make: (n: number) => Promise<Sandbox>,
): Promise<Sandbox> {
  const { cell } = await neighbour.info();
  for (let n = 0; n < 50; n++) {
    const made = await make(n);
    if ((await made.info()).cell === cell) return made;
  }
  return assert.fail(`no sandbox came into cell ${cell}, of ${(await runtime.metrics()).cells.length}`);
}

suite("a run that may not be repeated", () => {
  test("makes its capability request once, though a neighbour blocks the main lane while it waits for the answer", async () => {
    let charges = 0;
    const answer = Promise.withResolvers<number>();
    const charge = (): Promise<number> => {
      charges++;
      return answer.promise;
    };
    const runtime = await startRuntime({
      cells: { count: 2, spare: 0 },
      capabilities: { charge: { run: charge, timeoutMs: 60_000 } },
    });
    await until("both cells are there", async () => (await runtime.metrics()).cells.length === 2);
    const holder = await createMain(runtime, spinner);
    for (let n = 0; n < 3; n++) await holder.call("main.spin", { args: [0] });
    const main = `import { charge } from "vivarium/capabilities"; export const go = async () => await charge();`;
    const payer = await besides(runtime, holder, () =>
      runtime.create({ modules: { main }, capabilities: ["charge"] }),
    );
    const paid = payer.call("main.go");
    await until("it asked", () => charges === 1);
    assert.equal(kindOf(await holder.call("main.spin", { args: [600], timeoutMs: 60_000 })), "ok");
    answer.resolve(7);
    const outcome = await fulfilled("the payment", paid, waitMs);
    assert.deepEqual([outcome.ok && outcome.value, charges], [7, 1]);
  });
});

suite("a repeatable run", () => {
  test("is not cancelled for its waiting time when its cell is lost late", async () => {
    await using broken = await startBreakable({ cells: { count: 1, spare: 1, waitMs: 1_000 } });
    const { runtime } = broken;
    const sandbox = await createMain(
      runtime,
      `${spinner} export const go = () => { spin(1500); console.log("late"); spin(500); return 1; };`,
    );
    const run = sandbox.call("main.go", { repeatable: true, timeoutMs: 60_000 });
    await until("it has been inside for longer than a run may wait", async () =>
      (await sandbox.logs()).some(({ text }) => text === "late"),
    );
    await broken.signal("SIGKILL", [await broken.cellOf(sandbox.id)]);
    assert.equal(kindOf(await fulfilled("the run", run, waitMs)), "ok");
  });
});

suite("a run that waits", () => {
  test("for a suspended sandbox ends after the maximal wait, though nothing else runs, with the reason", async () => {
    const runtime = await startRuntime({ cells: { waitMs: 200 } });
    const sandbox = await createMain(runtime, spinner);
    await sandbox.suspend();
    const outcome = await fulfilled("the call", sandbox.call("main.spin", { args: [0] }), waitMs);
    assert.equal(kindOf(outcome), "cancelled");
    assert.match(
      outcome.ok ? "" : outcome.error.message,
      /must begin within 200 ms: its sandbox is suspended/,
    );
  });

  test("for a sandbox that is being reloaded does so too", async () => {
    const runtime = await startRuntime({ cells: { waitMs: 200 } });
    const sandbox = await createMain(runtime, spinner);
    const verified = Promise.withResolvers<boolean>();
    const verifying = Promise.withResolvers<void>();
    const verify = (): Promise<boolean> => {
      verifying.resolve();
      return verified.promise;
    };
    const reload = sandbox.hotReload({ main: `${spinner} // 2` }, { verify });
    await verifying.promise;
    const outcome = await fulfilled("the call", sandbox.call("main.spin", { args: [0] }), waitMs);
    assert.match(outcome.ok ? "" : outcome.error.message, /its sandbox was still being reloaded/);
    verified.resolve(true);
    assert.equal((await reload).status, "reloaded");
  });
});

suite("runs under way", () => {
  test("are at most capacity.runs; one more ends at once", async () => {
    const runtime = await startRuntime({ capacity: { runs: 3 } });
    const sandbox = await createMain(runtime, spinner);
    await sandbox.suspend();
    const held = [1, 2, 3].map(() => sandbox.call("main.spin", { args: [0] }));
    const outcome = await fulfilled("one more", sandbox.call("main.spin", { args: [0] }), waitMs);
    assert.deepEqual(
      [kindOf(outcome), outcome.ok ? "" : outcome.error.reason, (await runtime.metrics()).runsUnderway],
      ["cancelled", "queue", 3],
    );
    await sandbox.resume();
    for (const run of held) assert.equal(kindOf(await fulfilled("a held one", run, waitMs)), "ok");
  });

  test("leave no listener on a caller's signal, also where they are refused or the batch is empty", async () => {
    const runtime = await startRuntime();
    await assert.rejects(runtime.create("bad", { modules: { main: `throw new Error("no")` } }));
    const bad = await runtime.get("bad");
    const good = await createMain(runtime, spinner);
    const { signal } = new AbortController();
    for (let n = 0; n < 10; n++) {
      assert.equal(kindOf(await bad.call("main.f", { signal })), "not-running");
      assert.equal(kindOf(await good.call("main.spin", { args: [0], signal })), "ok");
      await runtime.batch.call([], "main.f", { signal });
      await good.hotReload({ main: `${spinner} // ${n}` }, { signal });
    }
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });
});

test("a run that was requested before a reload, and not sent yet, does not see code that is only verified", async () => {
  const runtime = await startRuntime({ cells: { lanes: 1 } });
  const source = (tag: string): string =>
    `export const tag = () => "${tag}"; export const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return tag(); };`;
  const [holder, sandbox] = [
    await createMain(runtime, source("other")),
    await createMain(runtime, source("old")),
  ];
  for (const each of [holder, sandbox]) await each.call("main.spin", { args: [120] });
  // The only lane for long runs is taken: what comes now waits for it.
  const held = holder.call("main.spin", { args: [300] });
  const waiting = sandbox.call("main.spin", { args: [1] });
  const verify = async (): Promise<boolean> => {
    await held;
    return false;
  };
  await assert.rejects(sandbox.hotReload({ main: source("refused") }, { verify }), { code: "VERIFY_FAILED" });
  const outcome = await fulfilled("the run", waiting, waitMs);
  assert.equal(outcome.ok && outcome.value, "old");
});
