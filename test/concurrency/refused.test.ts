// A request at a moment at which it cannot be fulfilled is refused with an error: it is neither done by halves nor waits for
// itself.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime, type Outcome } from "../../src/index.ts";
import { FlakyStore } from "../support/flaky-store.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { fulfilled, rejectionCode } from "../support/waiting.ts";

const plain = (n: number): string => `export const f = () => ${n};`;
const counter = `import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "c", init: () => 0, handleCall: (by, n) => ({ reply: n + by, state: n + by }) });
  export default supervisor({ children: [{ id: "c", start: Counter }] });`;
const valueOf = (outcome: Outcome): unknown => (outcome.ok ? outcome.value : outcome.error.kind);

suite("a batch whose signal was aborted before", () => {
  test("begins nothing", async () => {
    const runtime = await startRuntime();
    for (const id of ["a", "b"]) await runtime.create(id, { modules: { main: plain(1) } });
    const signal = AbortSignal.abort();
    const destroyed = await runtime.batch.destroy(["a", "b"], { signal });
    assert.deepEqual(
      destroyed.map((result) => (result.ok ? "ok" : result.error.code)),
      ["CANCELLED", "CANCELLED"],
    );
    assert.equal((await runtime.list()).length, 2);
    let asked = 0;
    const evaluated = await runtime.batch.evaluate(["a", "b"], () => ++asked, { signal });
    assert.deepEqual([evaluated.map(({ ok }) => ok), asked], [[false, false], 0]);
  });
});

suite("what was not saved when the runtime was closed", () => {
  test("is not in the store: new limits, and restored states", async () => {
    const store = new FlakyStore();
    const runtime = await createRuntime({ store, cells: { count: 1, spare: 0 } });
    const spec = { modules: { main: counter }, supervisor: "main", checkpoint: "message" } as const;
    const a = await runtime.create("a", spec);
    const b = await runtime.create("b", spec);
    for (const sandbox of [a, b]) await sandbox.ask("c", 3);
    const { servers, children } = await b.captureState();
    const before = (await runtime.info("a")).limits;
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const goOn = Promise.withResolvers<void>();
    store.beforeNextSave = () => {
      first.resolve();
      return goOn.promise;
    };
    const limits = rejectionCode("the limits", a.updateLimits({ outputBytes: 12_345 }));
    await first.promise;
    store.beforeNextSave = () => {
      second.resolve();
      return goOn.promise;
    };
    const others = servers.map((server) => ({ ...server, state: "100" }));
    const restored = rejectionCode("the states", b.restoreState({ servers: others, children }));
    await second.promise;
    const closed = runtime.close();
    assert.deepEqual([await limits, await restored], ["RUNTIME_CLOSED", "RUNTIME_CLOSED"]);
    goOn.resolve();
    await closed;
    const kept = new Map((await store.open()).map((stored) => [stored.id, stored]));
    assert.equal(kept.get("a")?.limits.outputBytes, before.outputBytes);
    assert.equal(kept.get("b")?.state?.servers[0]?.state, "3");
  });
});

suite("while a reload is being verified", () => {
  test("the present states cannot be exported, which is an error and not an omission", async () => {
    const runtime = await startRuntime();
    const sandbox = await runtime.create("a", { modules: { main: counter }, supervisor: "main" });
    await sandbox.ask("c", 4);
    const begun = Promise.withResolvers<void>();
    const verify = (): Promise<never> => {
      begun.resolve();
      return new Promise(() => {});
    };
    const reload = sandbox.hotReload({ main: `${counter}\nexport const n = 2;` }, { verify });
    const ended = rejectionCode("the reload", reload);
    await begun.promise;
    assert.equal(await rejectionCode("the export", sandbox.export()), "SANDBOX_NOT_RUNNING");
    const fork = runtime.fork("a", { state: true });
    assert.equal(await rejectionCode("the fork", fork), "SANDBOX_NOT_RUNNING");
    await sandbox.restart();
    assert.equal(await ended, "CANCELLED");
  });

  test("a call by the verification itself through another handle is refused, as it would wait for itself", async () => {
    const runtime = await startRuntime();
    const sandbox = await createMain(runtime, plain(1));
    const calls: unknown[] = [];
    const verify = async (): Promise<boolean> => {
      calls.push(valueOf(await sandbox.call("main.f")));
      for (const outcome of await runtime.batch.call([sandbox.id], "main.f")) calls.push(valueOf(outcome));
      return true;
    };
    const report = await fulfilled("the reload", sandbox.hotReload({ main: plain(2) }, { verify }));
    assert.deepEqual([report.status, calls], ["reloaded", ["not-running", "not-running"]]);
  });
});

test("a store that cannot save the states of a new sandbox is not blamed on its code", async () => {
  const store = new FlakyStore();
  store.saveState = () => Promise.reject(new TypeError("the disk is full"));
  const runtime = await startRuntime({ store });
  const spec = { modules: { main: counter }, supervisor: "main", checkpoint: "message" } as const;
  const sandbox = await runtime.create("a", spec);
  assert.equal((await sandbox.info()).status, "running");
  store.beforeNextSave = () => Promise.reject(new TypeError("the disk is full"));
  assert.equal(await rejectionCode("the create", runtime.create("b", spec)), "STORE_FAILED");
  assert.equal(await runtime.has("b"), false);
});

test("a callback of the user that rejects has no effect on others", async () => {
  const runtime = await startRuntime();
  const rejects = (): Promise<never> => Promise.reject(new TypeError("the callback failed"));
  const source = `console.log("said"); export default () => 7;`;
  assert.equal(valueOf(await runtime.once(source, { onOutput: rejects as () => void })), 7);
  runtime.retention(rejects as never);
  assert.equal((await runtime.collect()).policyFailures.length, 1);
});
