// What a caller was told has failed is not there: neither in the isolate, nor in the head, nor in the store.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime, type Outcome, type Sandbox } from "../../src/index.ts";
import { startBreakable } from "../support/breakable.ts";
import { FlakyStore } from "../support/flaky-store.ts";
import { Folder } from "../support/folders.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { fulfilled, rejectionCode, until } from "../support/waiting.ts";

const plain = (n: number): string => `export const f = () => ${n};`;
const counter = `import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "c", init: () => 0, handleCall: (by, n) => ({ reply: n + by, state: n + by }) });
  export default supervisor({ children: [{ id: "c", start: Counter }] });`;
const never = (): Promise<never> => new Promise(() => {});
const valueOf = (outcome: Outcome): unknown => (outcome.ok ? outcome.value : outcome.error.kind);
const called = async (sandbox: Sandbox): Promise<unknown> =>
  valueOf(await fulfilled("a call", sandbox.call("main.f")));

/** A reload in its verification, which does not end; `ended` is the code with which it is rejected. */
async function verifying(sandbox: Sandbox): Promise<{ readonly ended: Promise<unknown> }> {
  const begun = Promise.withResolvers<void>();
  const verify = (): Promise<never> => {
    begun.resolve();
    return never();
  };
  const ended = rejectionCode("the reload", sandbox.hotReload({ main: plain(2) }, { verify }));
  await begun.promise;
  return { ended };
}

suite("a restart during a reload", () => {
  test("whose caller has given up already ends nothing", async () => {
    const runtime = await startRuntime();
    const sandbox = await createMain(runtime, plain(1));
    const verified = Promise.withResolvers<boolean>();
    const begun = Promise.withResolvers<void>();
    const verify = (): Promise<boolean> => {
      begun.resolve();
      return verified.promise;
    };
    const reload = sandbox.hotReload({ main: plain(2) }, { verify });
    await begun.promise;
    const restart = sandbox.restart({ signal: AbortSignal.abort() });
    assert.equal(await rejectionCode("the restart", restart), "CANCELLED");
    verified.resolve(true);
    assert.equal((await fulfilled("the reload", reload)).status, "reloaded");
    assert.deepEqual([(await sandbox.info()).status, await called(sandbox)], ["running", 2]);
  });

  test("comes before what waited for the reload, which then finds a running sandbox", async () => {
    const runtime = await startRuntime();
    const sandbox = await createMain(runtime, plain(1));
    const { ended } = await verifying(sandbox);
    const limits = sandbox.updateLimits({ timeoutMs: 500 });
    const restart = sandbox.restart();
    const suspended = sandbox.suspend();
    assert.equal(await ended, "CANCELLED");
    await fulfilled("the restart", restart);
    assert.equal((await fulfilled("the limits", limits)).limits.timeoutMs, 500);
    await fulfilled("the suspension", suspended);
    assert.equal((await sandbox.info()).status, "suspended");
  });
});

test("a destroy is never refused because of waiting operations", async () => {
  const runtime = await startRuntime();
  const sandbox = await runtime.create("s", { modules: { main: plain(1) } });
  const { ended } = await verifying(sandbox);
  const waiting = Array.from({ length: 999 }, () => rejectionCode("a resume", sandbox.resume()));
  await fulfilled("the destroy", sandbox.destroy());
  assert.deepEqual(new Set([await ended, ...(await Promise.all(waiting))]), new Set(["CANCELLED"]));
  assert.equal(await runtime.has("s"), false);
});

suite("a reload that is not saved", () => {
  test("since the store fails leaves the old code, also where the cell was lost meanwhile", async () => {
    const store = new FlakyStore();
    await using broken = await startBreakable({ store });
    const { runtime } = broken;
    const sandbox = await runtime.create("s", { modules: { main: plain(1) } });
    store.beforeNextSave = async () => {
      await broken.signal("SIGKILL", [await broken.cellOf("s")]);
      await until("it has another isolate", async () => {
        const { rebuilds, cell } = await sandbox.info();
        return rebuilds > 0 && cell !== null;
      });
      throw new TypeError("disk full");
    };
    const reload = sandbox.hotReload({ main: plain(2) });
    assert.equal(await rejectionCode("the reload", reload), "STORE_FAILED");
    assert.deepEqual([await sandbox.version("main"), await called(sandbox)], [1, 1]);
  });

  test("since its caller gives up while the store is slow is undone", async () => {
    const store = new FlakyStore();
    const runtime = await startRuntime({ store });
    const sandbox = await runtime.create("s", { modules: { main: plain(1) } });
    const saved = Promise.withResolvers<void>();
    const giveUp = new AbortController();
    store.beforeNextSave = () => {
      giveUp.abort();
      return saved.promise;
    };
    const reload = sandbox.hotReload({ main: plain(2) }, { signal: giveUp.signal });
    assert.equal(await rejectionCode("the reload", reload), "CANCELLED");
    saved.resolve();
    // An operation that comes after it finds it undone.
    await sandbox.updateLimits({ timeoutMs: 500 });
    assert.deepEqual([await sandbox.version("main"), await called(sandbox)], [1, 1]);
    assert.deepEqual(Object.keys((await store.open())[0]?.modules["main"] ?? {}).length, 1);
  });
});

suite("states that are restored and not saved", () => {
  for (const [why, code] of [
    ["since the store fails", "STORE_FAILED"],
    ["since the caller gives up", "CANCELLED"],
  ] as const)
    test(`${why} are not used by the sandbox`, async () => {
      const store = new FlakyStore();
      const runtime = await startRuntime({ store });
      const sandbox = await runtime.create("s", { modules: { main: counter }, supervisor: "main" });
      const first = await sandbox.captureState();
      await sandbox.ask("c", 5);
      await sandbox.checkpoint();
      const giveUp = new AbortController();
      store.beforeNextSave = () => {
        if (code === "STORE_FAILED") throw new TypeError("disk full");
        giveUp.abort();
      };
      const restored = sandbox.restoreState(first, { signal: giveUp.signal });
      assert.equal(await rejectionCode("restoreState", restored), code);
      await sandbox.updateLimits({ timeoutMs: 500 });
      assert.equal(valueOf(await sandbox.ask("c", 0)), 5);
      assert.deepEqual(
        (await store.open())[0]?.state?.servers.map(({ state }) => state),
        ["5"],
      );
    });
});

test("a repeatable run whose cell was lost while it waited inside is not ended for the time that it had there", async () => {
  await using broken = await startBreakable({ cells: { count: 1, spare: 1, waitMs: 5_000 } });
  const { runtime } = broken;
  const go = `export const go = () => { console.log("in"); return new Promise((resolve) => setTimeout(resolve, 60_000)); };`;
  const sandbox = await createMain(runtime, go);
  const run = sandbox.call("main.go", { repeatable: true, timeoutMs: 4_000 });
  await until("it is inside", async () => (await sandbox.logs()).length > 0);
  await sandbox.suspend();
  await broken.signal("SIGKILL", [await broken.cellOf(sandbox.id)]);
  const outcome = await fulfilled("the run", run);
  assert.match(
    outcome.ok ? "" : outcome.error.message,
    /must begin within 5000 ms: its sandbox is suspended/,
  );
});

test("a reload that loses the isolate with a run inside makes one new isolate, and reports one", async () => {
  const answer = Promise.withResolvers<number>();
  const asked = Promise.withResolvers<void>();
  const wait = (): Promise<number> => {
    asked.resolve();
    return answer.promise;
  };
  const runtime = await startRuntime({ capabilities: { wait } });
  const main = `import { wait } from "vivarium/capabilities"; export const f = async () => await wait();`;
  const limits = { memoryBytes: 16 * 2 ** 20 };
  const sandbox = await runtime.create({ modules: { main }, capabilities: ["wait"], limits });
  const run = sandbox.call("main.f", { timeoutMs: 60_000 });
  await asked.promise;
  const greedy = `${main} const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length));`;
  assert.equal(await rejectionCode("the reload", sandbox.hotReload({ main: greedy })), "LOAD_FAILED");
  assert.equal(valueOf(await fulfilled("the run", run)), "memory");
  assert.equal((await sandbox.info()).rebuilds, 1);
  answer.resolve(1);
});

test("files are not followed for a sandbox that is being destroyed", async () => {
  const store = new FlakyStore();
  const runtime = await startRuntime({ store });
  using folder = new Folder({ "main.ts": plain(1) });
  const sandbox = await runtime.create("s", { path: folder.at("main.ts") });
  const removed = Promise.withResolvers<void>();
  store.beforeNextRemove = () => removed.promise;
  const destroyed = sandbox.destroy();
  assert.equal(await rejectionCode("following", sandbox.autoReload(true)), "SANDBOX_NOT_RUNNING");
  removed.resolve();
  await destroyed;
});

test("a sandbox that fails while it is being stored rejects with the reason, in create() as in restart()", async () => {
  const store = new FlakyStore();
  let mayRot = Promise.withResolvers<void>();
  const runtime = await startRuntime({ store, capabilities: { rot: () => mayRot.promise } });
  const main = `import { rot } from "vivarium/capabilities";
    import { sendAfter, server, supervisor } from "vivarium/guest";
    const Rotten = server({ name: "rotten", init: (_, self) => (sendAfter(0, self, "now"), 0),
      handleInfo: async () => { await rot(); throw new RangeError("rotten"); } });
    export default supervisor({ restartsMax: 0, children: [{ id: "rotten", start: Rotten }] });`;
  const untilFailed = async (): Promise<void> => {
    const failed = new Promise<void>((resolve) => runtime.events.on("sandbox.failed", () => resolve()));
    mayRot.resolve();
    await failed;
  };
  const reason = { code: "LOAD_FAILED", message: /its tree of processes ended: .*RangeError: rotten/ };
  store.beforeNextSave = untilFailed;
  const spec = { modules: { main }, supervisor: "main", capabilities: ["rot"] } as const;
  await assert.rejects(runtime.create("s", spec), reason);
  assert.equal((await runtime.info("s")).status, "failed");
  await until("that is stored", async () => (await store.open())[0]?.record?.status === "failed");
  mayRot = Promise.withResolvers();
  store.beforeNextRecord = untilFailed;
  await assert.rejects(runtime.restart("s"), reason);
});

suite("a store that cannot be closed", () => {
  class Unclosable extends FlakyStore {
    override close(): Promise<never> {
      return Promise.reject(new TypeError("still locked"));
    }
  }

  test("is reported by the runtime's close, which ends all the rest", async () => {
    const runtime = await createRuntime({ store: new Unclosable(), cells: { count: 1, spare: 0, warm: 1 } });
    assert.equal(await rejectionCode("close", runtime.close()), "STORE_FAILED");
    assert.equal((await runtime.health()).cells.ready, 0);
  });

  test("does not hide why a start failed", async () => {
    const store = new Unclosable();
    store.open = () => Promise.reject(new TypeError("no such disk"));
    await assert.rejects(createRuntime({ store, cells: { count: 1, spare: 0, warm: 1 } }), {
      code: "STORE_FAILED",
      message: /no such disk/,
    });
  });
});

test("an incomplete record is restored as failed, without other errors", async () => {
  const store = new FlakyStore();
  store.open = async () => [{ id: "x" }] as never;
  await using runtime = await createRuntime({ store, cells: { count: 1, spare: 0, warm: 1 } });
  assert.equal((await runtime.info("x")).status, "failed");
  assert.deepEqual(await runtime.list({ labels: { role: "none" } }), []);
});
