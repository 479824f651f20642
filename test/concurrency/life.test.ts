// Concurrent operations of one sandbox: a destroy wins over all, what is ended gets an error, and nothing is left behind.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Runtime, Sandbox } from "../../src/index.ts";
import { startBreakable } from "../support/breakable.ts";
import { FlakyStore } from "../support/flaky-store.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { fulfilled, rejectionCode, until } from "../support/waiting.ts";

const waitMs = 120_000;
const plain = (n: number): string => `export const f = () => ${n};`;
const counter = (n: number): string => `import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "c", init: () => ({ n: ${n} }), handleCall: (m, s) => ({ reply: s.n, state: s }) });
  export default supervisor({ children: [{ id: "c", start: Counter }] });`;
const never = (): Promise<never> => new Promise(() => {});

const isolates = async (runtime: Runtime): Promise<number> =>
  (await runtime.metrics()).cells.reduce((sum, { sandboxes }) => sum + sandboxes, 0);
const called = async (sandbox: Sandbox): Promise<unknown> => {
  const outcome = await fulfilled("a call", sandbox.call("main.f"), waitMs);
  return outcome.ok ? outcome.value : outcome.error.kind;
};

/** A sandbox whose reload is waiting for a slow store. */
async function keeping(): Promise<{
  sandbox: Sandbox;
  store: FlakyStore;
  reload: Promise<unknown>;
  goOn: () => void;
}> {
  const store = new FlakyStore();
  const runtime = await startRuntime({ store });
  const sandbox = await runtime.create("s", { modules: { main: plain(1) } });
  const saving = Promise.withResolvers<void>();
  const saved = Promise.withResolvers<void>();
  store.beforeNextSave = () => {
    saving.resolve();
    return saved.promise;
  };
  const reload = sandbox.hotReload({ main: plain(2) });
  await saving.promise;
  return { sandbox, store, reload, goOn: saved.resolve };
}

suite("a destroy", () => {
  test("during a slow migrate ends the reload and leaves no isolate", async () => {
    const runtime = await startRuntime();
    const sandbox = await runtime.create({ modules: { main: counter(0) }, supervisor: "main" });
    const begun = Promise.withResolvers<void>();
    const state = Promise.withResolvers<unknown>();
    const migrate = (): Promise<unknown> => {
      begun.resolve();
      return state.promise;
    };
    const reload = sandbox.hotReload({ main: counter(1) }, { migrate });
    const ended = rejectionCode("the reload", reload, waitMs);
    await begun.promise;
    await sandbox.destroy();
    assert.equal(await ended, "CANCELLED");
    state.resolve({ n: 5 });
    // By the time another sandbox was created and has answered, the reload would have done what it still does, if anything.
    const other = await createMain(runtime, plain(1));
    assert.equal(await called(other), 1);
    assert.equal(await isolates(runtime), 1);
  });

  test("while a reload is saved by a slow store ends it with a typed error, and the store has nothing left", async () => {
    const { sandbox, store, reload, goOn } = await keeping();
    const ended = rejectionCode("the reload", reload, waitMs);
    const destroyed = sandbox.destroy();
    assert.equal(await ended, "CANCELLED");
    goOn();
    await destroyed;
    assert.deepEqual(await store.open(), []);
  });

  test("while a verification never ends settles the reload; so does the runtime's end", async () => {
    const runtime = await startRuntime();
    const ends = await Promise.all(
      ["a", "b"].map(async (id) => {
        const sandbox = await runtime.create(id, { modules: { main: plain(1) } });
        const begun = Promise.withResolvers<void>();
        const verify = (): Promise<never> => {
          begun.resolve();
          return never();
        };
        const ended = rejectionCode("the reload", sandbox.hotReload({ main: plain(2) }, { verify }), waitMs);
        await begun.promise;
        return { sandbox, ended };
      }),
    );
    await ends[0]?.sandbox.destroy();
    await runtime.close();
    assert.deepEqual(await Promise.all(ends.map(({ ended }) => ended)), ["CANCELLED", "RUNTIME_CLOSED"]);
  });

  test("requested twice is awaited by both callers, and settles whatever waited behind the operation it ended", async () => {
    const store = new FlakyStore();
    const runtime = await startRuntime({ store });
    const sandbox = await runtime.create("s", { modules: { main: plain(1) } });
    const reloads = [2, 3, 4].map((n) =>
      rejectionCode("a reload", sandbox.hotReload({ main: plain(n) }, { verify: never }), waitMs),
    );
    const removed = Promise.withResolvers<void>();
    store.beforeNextRemove = () => removed.promise;
    const destroys = [sandbox.destroy(), sandbox.destroy()];
    assert.deepEqual(await Promise.all(reloads), ["CANCELLED", "CANCELLED", "CANCELLED"]);
    removed.resolve();
    await Promise.all(destroys);
    assert.equal(await runtime.has("s"), false);
  });
});

suite("a verification", () => {
  test("that is not over within verifyMs undoes the reload, and the sandbox continues", async () => {
    const runtime = await startRuntime();
    const sandbox = await createMain(runtime, plain(1));
    const reload = sandbox.hotReload({ main: plain(2) }, { verify: never, verifyMs: 50 });
    assert.equal(await rejectionCode("the reload", reload, waitMs), "VERIFY_FAILED");
    assert.deepEqual([await called(sandbox), (await sandbox.info()).status], [1, "running"]);
    assert.equal((await sandbox.hotReload({ main: plain(3) })).status, "reloaded");
  });

  test("that suspends or reloads its own sandbox is refused at once, as it would wait for itself", async () => {
    const runtime = await startRuntime();
    const sandbox = await createMain(runtime, plain(1));
    const verify = async (): Promise<boolean> => {
      const codes = [
        await rejectionCode("suspend", sandbox.suspend(), waitMs),
        await rejectionCode("rollback", sandbox.rollback("main", 1), waitMs),
        await rejectionCode("limits", sandbox.updateLimits({ timeoutMs: 5 }), waitMs),
      ];
      return codes.every((code) => code === "SANDBOX_NOT_RUNNING");
    };
    assert.equal((await sandbox.hotReload({ main: plain(2) }, { verify })).status, "reloaded");
  });
});

suite("a restart", () => {
  test("ends a reload that does not end, and keeps the revision that was current", async () => {
    const runtime = await startRuntime();
    const sandbox = await createMain(runtime, plain(1));
    const begun = Promise.withResolvers<void>();
    const verify = (): Promise<never> => {
      begun.resolve();
      return never();
    };
    const ended = rejectionCode("the reload", sandbox.hotReload({ main: plain(2) }, { verify }), waitMs);
    await begun.promise;
    await sandbox.restart();
    assert.deepEqual([await ended, await called(sandbox)], ["CANCELLED", 1]);
  });
});

suite("a reload that is being saved", () => {
  test("is undone by a restart, in the sandbox and in the store", async () => {
    const { sandbox, store, reload, goOn } = await keeping();
    const ended = rejectionCode("the reload", reload, waitMs);
    const restarted = sandbox.restart();
    assert.equal(await ended, "CANCELLED");
    goOn();
    await restarted;
    assert.deepEqual([await called(sandbox), (await sandbox.info()).revision], [1, 1]);
    await until(
      "the store has the revision that holds",
      async () => (await store.open())[0]?.revisions.length === 1,
    );
  });
});

suite("a suspended sandbox", () => {
  const ticking = `${counter(0)} setInterval(() => console.log("tick"), 5);
    export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));`;

  test("whose cell is lost stays suspended in another, and continues when it is resumed", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const sandbox = await runtime.create("s", { modules: { main: ticking }, supervisor: "main" });
    const ticks = async (): Promise<number> =>
      (await sandbox.logs()).filter(({ text }) => text === "tick").length;
    await until("it ticks", async () => (await ticks()) > 2);
    await sandbox.suspend();
    await broken.signal("SIGKILL", [await broken.cellOf("s")]);
    await until("it has another cell", async () => (await sandbox.info()).rebuilds === 1);
    // It is loaded there: its processes can be described.
    assert.equal((await sandbox.processes()).length, 1);
    const clock = await createMain(
      runtime,
      `export const wait = (ms) => new Promise((r) => setTimeout(r, ms));`,
    );
    const before = await ticks();
    await clock.call("main.wait", { args: [200] });
    assert.deepEqual([await ticks(), (await sandbox.info()).status], [before, "suspended"]);
    await sandbox.resume();
    await until("it ticks again, though nobody called it", async () => (await ticks()) > before + 2);
  });
});

suite("a sandbox in quarantine", () => {
  test("whose cell another one needs is rebuilt, which is counted and reported", async () => {
    const runtime = await startRuntime({ cells: { count: 1, spare: 1 } });
    const source = (n: number): string =>
      `let n = 0; export const f = () => ++n; export const kill = () => Array.prototype.toSorted.call({ length: 2 ** 27 + 1 }); // ${n}`;
    const reasons: string[] = [];
    runtime.events.on("sandbox.rebuilt", ({ sandboxId, reason }) => reasons.push(`${sandboxId} ${reason}`));
    const sandboxes: Sandbox[] = [];
    for (const n of [0, 1, 2]) {
      const sandbox = await runtime.create(`k${n}`, { modules: { main: source(n) } });
      await sandbox.call("main.kill", { timeoutMs: 60_000 });
      sandboxes.push(sandbox);
    }
    const [first, ...others] = sandboxes as [Sandbox, ...Sandbox[]];
    assert.deepEqual([await called(first), await called(first)], [1, 2]);
    for (const other of others) assert.equal(await called(other), 1);
    assert.equal(await called(first), 1);
    assert.ok(reasons.includes("k0 evicted"), reasons.join());
  });
});
