// What is asked of a sandbox that is gone, of a handle whose id another has now, and of a runtime that is closed.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime, unwrap, type Runtime } from "../../../src/index.ts";
import { errorOf } from "../../support/errors.ts";
import { busySource } from "../../support/guests.ts";
import { assertFailed, valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";
import { until } from "../../support/waiting.ts";

const runtime = await startRuntime();

suite("a handle whose sandbox is destroyed", () => {
  test("ends calls and shipped functions with not-running", async () => {
    const sandbox = await createMain(runtime, busySource);
    await sandbox.destroy();
    const outcome = await sandbox.call("main.bump");
    assertFailed(outcome, "not-running");
    assert.match(outcome.error.message, /must be running: it is stopped: destroyed by its owner/);
    assertFailed(await sandbox.run(() => 1), "not-running");
    await assert.rejects(async () => unwrap(await sandbox.call("main.bump")), { code: "GUEST_FAILED" });
  });

  test("refuses to change, measure, restart or destroy it, and still tells about it", async () => {
    const sandbox = await createMain(runtime, `console.log("hello"); export {};`);
    await sandbox.destroy();
    for (const act of [
      () => sandbox.updateLimits({ timeoutMs: 5 }),
      () => sandbox.usage(),
      () => sandbox.restart(),
      () => sandbox.destroy(),
    ])
      await errorOf(act, "SANDBOX_NOT_FOUND");
    assert.equal((await sandbox.info()).status, "stopped");
    assert.deepEqual(
      (await sandbox.logs()).map(({ text }) => text),
      ["hello"],
    );
  });

  test("can be disposed of once more, which is no mistake", async () => {
    const sandbox = await createMain(runtime, busySource);
    await sandbox.destroy();
    await sandbox[Symbol.asyncDispose]();
  });

  test("does not reach another sandbox of the same id", async () => {
    const modules = { main: busySource };
    const old = await runtime.create("reused", { modules });
    valueOf(await old.call("main.bump"));
    await old.destroy();
    await using fresh = await runtime.create("reused", { modules });
    assertFailed(await old.call("main.bump"), "not-running");
    await errorOf(() => old.destroy(), "SANDBOX_NOT_FOUND");
    await old[Symbol.asyncDispose]();
    assert.equal(valueOf(await fresh.call("main.bump")), 1);
    assert.deepEqual([(await old.info()).status, (await fresh.info()).status], ["stopped", "running"]);
  });
});

suite("what is under way when its sandbox goes", () => {
  for (const [target, what] of [
    ["main.ticking", "waits"],
    ["main.spinForever", "computes"],
  ] as const) {
    test(`a run that ${what} is cancelled when its sandbox is destroyed`, async () => {
      const sandbox = await createMain(runtime, busySource);
      valueOf(await sandbox.call("main.spin", { args: [30] }));
      const running = sandbox.call(target, { timeoutMs: 20_000 });
      await until("it is under way", async () => (await runtime.metrics()).runsUnderway > 0);
      await sandbox.destroy();
      const outcome = await running;
      assertFailed(outcome, "cancelled");
      assert.equal(outcome.error.reason, "destroyed");
    });

    test(`a run that ${what} is cancelled when its sandbox is restarted`, async () => {
      await using sandbox = await createMain(runtime, busySource);
      valueOf(await sandbox.call("main.spin", { args: [30] }));
      const running = sandbox.call(target, { timeoutMs: 20_000 });
      await sandbox.restart();
      const outcome = await running;
      assertFailed(outcome, "cancelled");
      assert.equal(outcome.error.reason, "restarted");
      assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    });
  }

  test("a creation is cancelled by its signal and leaves nothing behind", async () => {
    const signal = AbortSignal.timeout(50);
    const error = await errorOf(
      () =>
        runtime.create("given-up", { modules: { main: "for (;;);" }, limits: { loadMs: 20_000 }, signal }),
      "CANCELLED",
    );
    assert.equal(error.cause, signal.reason);
    assert.equal(await runtime.has("given-up"), false);
    await errorOf(
      () => runtime.create("never", { modules: { main: "export {}" }, signal: AbortSignal.abort("why") }),
      "CANCELLED",
    );
    assert.equal(await runtime.has("never"), false);
  });

  test("a creation that is under way is told when its id is destroyed", async () => {
    const creating = runtime.create("doomed", { modules: { main: "for (;;);" }, limits: { loadMs: 20_000 } });
    const told = errorOf(() => creating, "CANCELLED");
    await until("it is being created", () => runtime.has("doomed"));
    await runtime.destroy("doomed");
    await told;
  });
});

suite("a runtime that is closed", () => {
  async function closedWith(prepare: (runtime: Runtime) => Promise<void>): Promise<Runtime> {
    const closed = await createRuntime({ cells: { count: 1, spare: 0, warm: 0 } });
    await prepare(closed);
    await closed.close();
    return closed;
  }

  test("refuses everything that would need it to work, with RUNTIME_CLOSED", async () => {
    const modules = { main: busySource };
    let acts: readonly (() => unknown)[] = [];
    const closed = await closedWith(async (open) => {
      const sandbox = await open.create("a", { modules });
      acts = [
        () => sandbox.call("main.bump"),
        () => sandbox.run(() => 1),
        () => sandbox.usage(),
        () => sandbox.updateLimits({ timeoutMs: 5 }),
        () => sandbox.restart(),
        () => sandbox.destroy(),
        () => open.create({ modules }),
        () => open.fork("a"),
        () => open.once("export {}"),
        () => open.restart("a"),
        () => open.destroy("a"),
        () => open.collect(),
        () => open.retention(() => []),
        () => open.compile.source("export {}"),
        () => open.compile.check("export {}"),
        () => open.batch.create([{ modules }]),
        () => open.batch.destroy(["a"]),
        () => open.batch.call(["a"], "main.bump"),
        () => open.batch.run(["a"], () => 1),
      ];
    });
    for (const act of acts) {
      const { message } = await errorOf(act, "RUNTIME_CLOSED");
      assert.match(message, /^Cannot .+ as the runtime must be open: it was closed$/);
    }
    assert.equal((await closed.health()).status, "closed");
  });

  test("leaves no promise pending: runs, creations, batches and compilations that were under way are told", async () => {
    const modules = { main: busySource };
    const closing = await createRuntime({ cells: { count: 1, spare: 0, warm: 0 } });
    const sandbox = await closing.create("a", { modules });
    const run = sandbox.call("main.ticking");
    const spinning = sandbox.call("main.spinForever");
    const created = errorOf(() => closing.create({ modules: { main: "for (;;);" } }), "RUNTIME_CLOSED");
    const compiled = errorOf(() => closing.compile.source("export const x = 1;"), "RUNTIME_CLOSED");
    const batch = closing.batch.call(["a", "a"], "main.ticking");
    const shipped = closing.batch.run(["a"], () => 12_345);
    const usage = sandbox.usage();
    await closing.close();
    for (const outcome of await Promise.all([run, spinning])) {
      assertFailed(outcome, "cancelled");
      assert.equal(outcome.error.reason, "closed");
    }
    await Promise.all([created, compiled, usage]);
    for (const result of [...(await batch), ...(await shipped)])
      assert.equal(result.ok ? "ok" : result.error.kind, "cancelled");
  });

  test("can be closed again and again, and while it is closing", async () => {
    const closing = await createRuntime({ cells: { count: 1, spare: 0, warm: 0 } });
    const first = closing.close();
    assert.equal(closing.close(), first);
    await Promise.all([first, closing.close(), closing[Symbol.asyncDispose]()]);
    await closing.close();
  });

  test("says nothing of sandboxes that were rebuilt, as none is", async () => {
    const events: string[] = [];
    await closedWith(async (open) => {
      await open.create("a", { modules: { main: busySource } });
      open.events.onAny(({ name }) => events.push(name));
    });
    assert.deepEqual(
      events.filter((name) => name.startsWith("sandbox.")),
      [],
    );
  });
});
