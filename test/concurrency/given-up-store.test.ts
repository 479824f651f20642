// Callers whose deadline passes while the store hangs: they are told, and what they began is undone or goes on as said.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Runtime } from "../../src/index.ts";
import { FakeClock } from "../../src/testing/index.ts";
import { FlakyStore } from "../support/flaky-store.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { fulfilled, rejectionCode, settled, until } from "../support/waiting.ts";

const deadlineMs = 50;
/** How long a caller that gave up waits for what is undone. */
const undoMs = 1_000;
const plain = { main: "export const f = () => 1;" };
const endless = { modules: { main: "for (;;);" }, limits: { loadMs: 60_000 } };

/** A request that the store has begun and does not end until it is released. */
class Hanging {
  readonly #begun = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();
  readonly begun = this.#begun.promise;
  readonly act = (): Promise<void> => {
    this.#begun.resolve();
    return this.#end.promise;
  };
  readonly release = (): void => this.#end.resolve();
}

class HangingStore extends FlakyStore {
  beforeClose: () => Promise<void> = async () => {};

  override async close(): Promise<void> {
    await this.beforeClose();
    return super.close();
  }
}

async function start(): Promise<{ runtime: Runtime; store: HangingStore; clock: FakeClock }> {
  const [store, clock] = [new HangingStore(), new FakeClock()];
  return { runtime: await startRuntime({ store, clock }), store, clock };
}

suite("a deadline that passes while the store hangs", () => {
  test("ends a creation, which is removed when the store goes on", async () => {
    const { runtime, store, clock } = await start();
    const saving = new Hanging();
    store.beforeNextSave = saving.act;
    const creating = settled("the creation", runtime.create("s", { modules: plain, deadlineMs }));
    await saving.begun;
    await until("it is loaded", async () => (await runtime.info("s")).status === "running");
    clock.advance(deadlineMs);
    // The undoing hangs as well: it is waited for, but not for good.
    clock.advance(undoMs);
    const result = await creating;
    assert.match(String((result as PromiseRejectedResult).reason), /"s" as it must be done within 50 ms/);
    saving.release();
    await until("it is gone", async () => !(await runtime.has("s")));
    assert.deepEqual(await store.open(), []);
  });

  test("leaves a sandbox that was to be suspended running, and one that was to be resumed suspended", async () => {
    const { runtime, store, clock } = await start();
    const sandbox = await createMain(runtime, plain.main);
    for (const [move, status] of [
      ["suspend", "running"],
      ["resume", "suspended"],
    ] as const) {
      if (status === "suspended") await fulfilled("the suspension", sandbox.suspend());
      const saving = new Hanging();
      store.beforeNextRecord = saving.act;
      const moving = rejectionCode(move, sandbox[move]({ deadlineMs }));
      await saving.begun;
      clock.advance(deadlineMs);
      assert.equal(await moving, "CANCELLED");
      assert.equal((await sandbox.info()).status, status);
      saving.release();
    }
    await fulfilled("the resume", sandbox.resume());
    assert.equal((await fulfilled("a call", sandbox.call("main.f"))).ok, true);
  });

  test("puts limits back", async () => {
    const { runtime, store, clock } = await start();
    const sandbox = await createMain(runtime, plain.main, { timeoutMs: 500 });
    const saving = new Hanging();
    store.beforeNextSave = saving.act;
    const changing = rejectionCode("the change", sandbox.updateLimits({ timeoutMs: 700 }, { deadlineMs }));
    await saving.begun;
    assert.equal((await sandbox.info()).limits.timeoutMs, 700);
    clock.advance(deadlineMs);
    assert.equal(await changing, "CANCELLED");
    await until("they are put back", async () => (await sandbox.info()).limits.timeoutMs === 500);
    saving.release();
    const { limits } = await fulfilled("another change", sandbox.updateLimits({ cpuMs: 100 }));
    assert.equal(limits.timeoutMs, 500);
  });

  test("ends the wait for a destroy, which goes on", async () => {
    const { runtime, store, clock } = await start();
    for (const destroy of ["runtime", "sandbox"] as const) {
      const sandbox = await runtime.create("s", { modules: plain });
      const removing = new Hanging();
      store.beforeNextRemove = removing.act;
      const given =
        destroy === "runtime" ? runtime.destroy("s", { deadlineMs }) : sandbox.destroy({ deadlineMs });
      const destroying = rejectionCode("the destroy", given);
      await removing.begun;
      clock.advance(deadlineMs);
      assert.equal(await destroying, "CANCELLED");
      const again = runtime.destroy("s");
      removing.release();
      await fulfilled("the same end", again);
      assert.equal(await runtime.has("s"), false);
    }
  });

  test("ends the wait for the close of a runtime, which goes on", async () => {
    const { runtime, store, clock } = await start();
    const closing = new Hanging();
    store.beforeClose = closing.act;
    const given = rejectionCode("the close", runtime.close({ deadlineMs }));
    await closing.begun;
    clock.advance(deadlineMs);
    assert.equal(await given, "CANCELLED");
    assert.equal((await runtime.health()).status, "closed");
    closing.release();
    await fulfilled("the close itself", runtime.close());
  });
});

test("a session that is closed without its caller is closed all the same", async () => {
  const runtime = await startRuntime();
  const session = await runtime.session({ id: "s" });
  const giveUp = new AbortController();
  const closing = rejectionCode("the close", session.close({ signal: giveUp.signal }));
  giveUp.abort();
  assert.equal(await closing, "CANCELLED");
  await until("it is gone", async () => !(await runtime.has("s")));
});

suite("the deadline of one item", () => {
  test("ends its creation alone, in batches that create and fork", async () => {
    const runtime = await startRuntime();
    const codes = (
      results: readonly { readonly ok: boolean; readonly error?: { readonly code: string } }[],
    ) => results.map(({ error }) => error?.code ?? "ok");
    const made = runtime.batch.create([
      { id: "slow", ...endless, deadlineMs },
      { id: "quick", modules: plain },
    ]);
    assert.deepEqual(codes(await made), ["CANCELLED", "ok"]);
    const forks = runtime.batch.fork([
      { parentId: "quick", id: "child", modules: endless.modules, deadlineMs },
      { parentId: "quick", id: "other" },
    ]);
    assert.deepEqual(codes(await forks), ["CANCELLED", "ok"]);
    assert.deepEqual([await runtime.has("slow"), await runtime.has("child")], [false, false]);
  });

  test("ends the creation of a sandbox that is made for a run, with reason deadline", async () => {
    const runtime = await startRuntime();
    const specs = [{ ...endless, deadlineMs }, { modules: plain }];
    const outcomes = await runtime.batch.call(specs, "main.f");
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.reason)),
      ["deadline", "ok"],
    );
  });

  test("of a reload is that of the whole batch", async () => {
    const runtime = await startRuntime();
    await runtime.create("s", { modules: plain });
    const verify = (): Promise<never> => new Promise(() => {});
    const [result] = await runtime.batch.hotReload(
      ["s"],
      { main: "export const f = () => 2;" },
      { verify, deadlineMs },
    );
    assert.ok(result !== undefined && !result.ok);
    assert.match(result.error.message, /its batch came to its deadline/);
    const sandbox = await runtime.get("s");
    const outcome = await fulfilled("a call, which waits until it is undone", sandbox.call("main.f"));
    assert.equal(outcome.ok && outcome.value, 1);
  });
});
