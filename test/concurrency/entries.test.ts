// Every way to start something passes the same gate, obeys the same bounds, and creates only what was requested.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { MemoryStore, type StoredSandbox, type VivariumError } from "../../src/index.ts";
import { Tracker } from "../../src/evolution/index.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { fulfilled, rejectionCode, until } from "../support/waiting.ts";

const waitMs = 120_000;
const plain = (n: number): string => `export const f = () => ${n};`;
const never = (): Promise<never> => new Promise(() => {});

suite("a function that travels with a run", () => {
  test("passes the gate in an evaluation as it does in run() and batch.run(), and is in the audit log", async () => {
    const runtime = await startRuntime();
    const sandbox = await runtime.create("h", { modules: { main: plain(1) }, profile: "high" });
    // oxlint-disable-next-line no-eval -- what the gate is to find
    const fn = (): unknown => eval("1");
    const kinds: unknown[] = [];
    const noted = (outcome: { ok: boolean; error?: { kind: string } }): void =>
      void kinds.push(outcome.ok ? "ok" : outcome.error?.kind);
    noted(await sandbox.run(fn));
    for (const item of await runtime.batch.run(["h"], fn)) noted(item);
    await runtime.batch.evaluate(["h"], async (candidate) => {
      noted(await candidate.run(fn));
      return 1;
    });
    assert.deepEqual(kinds, ["rejected", "rejected", "rejected"]);
    const entries = await runtime.audit.query({ sandboxId: "h", kind: "rejected" });
    assert.ok(entries.reduce((sum, { count }) => sum + count, 0) >= 3, `${entries.length} entries`);
  });
});

suite("a batch", () => {
  test("of reloads ends at its deadline, what is not done is undone, and the error names the deadline", async () => {
    const runtime = await startRuntime();
    const sandbox = await runtime.create("s", { modules: { main: plain(1) } });
    const batch = runtime.batch.hotReload(["s"], { main: plain(2) }, { deadlineMs: 100, verify: never });
    const [item] = await fulfilled("the batch", batch, waitMs);
    assert.equal(item?.ok, false);
    const { code, message } = (item as { error: VivariumError }).error;
    assert.deepEqual([code, message.includes("its batch came to its deadline")], ["CANCELLED", true]);
    const outcome = await sandbox.call("main.f");
    assert.equal(outcome.ok && outcome.value, 1);
  });

  test("of destroys ends with its signal, and what was begun continues", async () => {
    const removed = Promise.withResolvers<void>();
    class SlowStore extends MemoryStore {
      override async remove(id: string): Promise<void> {
        await removed.promise;
        return super.remove(id);
      }
    }
    const runtime = await startRuntime({ store: new SlowStore() });
    for (const id of ["a", "b"]) await runtime.create(id, { modules: { main: plain(1) } });
    const controller = new AbortController();
    const batch = runtime.batch.destroy(["a", "b"], { signal: controller.signal });
    controller.abort();
    const items = await fulfilled("the batch", batch, waitMs);
    assert.deepEqual(
      items.map((item) => (item.ok ? "ok" : item.error.code)),
      ["CANCELLED", "CANCELLED"],
    );
    removed.resolve();
    await until("both are gone", async () => (await runtime.list()).length === 0);
  });
});

suite("an operation whose signal is aborted", () => {
  test("ends, and the sandbox is as it was", async () => {
    const runtime = await startRuntime();
    const sandbox = await runtime.create("s", { modules: { main: plain(1) } });
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const verify = (): Promise<never> => {
      begun.resolve();
      return never();
    };
    const reload = sandbox.hotReload({ main: plain(2) }, { verify, signal: controller.signal });
    const waiting = sandbox.rollback("main", 1, { signal: controller.signal });
    const codes = [rejectionCode("reload", reload, waitMs), rejectionCode("rollback", waiting, waitMs)];
    await begun.promise;
    controller.abort();
    assert.deepEqual(await Promise.all(codes), ["CANCELLED", "CANCELLED"]);
    const outcome = await sandbox.call("main.f");
    assert.deepEqual([outcome.ok && outcome.value, await sandbox.version("main")], [1, 1]);
  });

  test("before it began is refused, whichever it is", async () => {
    const runtime = await startRuntime();
    const sandbox = await runtime.create("s", { modules: { main: plain(1) } });
    const individual = await sandbox.export();
    const signal = AbortSignal.abort();
    const attempts = {
      hotReload: sandbox.hotReload({ main: plain(2) }, { signal }),
      rollback: sandbox.rollback("main", 1, { signal }),
      rollbackTo: sandbox.rollbackTo(1, { signal }),
      restart: sandbox.restart({ signal }),
      "runtime.restart": runtime.restart("s", { signal }),
      import: runtime.import(individual, { id: "t", signal }),
      "compile.source": runtime.compile.source(plain(5), { signal }),
      "compile.check": runtime.compile.check(plain(6), { signal }),
    };
    for (const [what, attempt] of Object.entries(attempts))
      assert.equal(await rejectionCode(what, attempt, waitMs), "CANCELLED", what);
    assert.deepEqual([(await sandbox.info()).restarts, await runtime.has("t")], [0, false]);
  });
});

suite("an internal sandbox", () => {
  test("of a scorer, a recording, a dry run or once() is no individual: no lineage event, not tracked and not stored", async () => {
    const kept: string[] = [];
    class WatchedStore extends MemoryStore {
      override save(sandbox: StoredSandbox): Promise<void> {
        kept.push(sandbox.id);
        return super.save(sandbox);
      }
    }
    const runtime = await startRuntime({ store: new WatchedStore() });
    const tracker = new Tracker();
    tracker.follow(runtime.events);
    const sandbox = await runtime.create("s", {
      modules: {
        main: `import { server, supervisor } from "vivarium/guest"; ${plain(1)}
        const C = server({ name: "c", init: () => 0, handleCall: (m, n) => ({ reply: n, state: n }) });
        export default supervisor({ children: [{ id: "c", start: C }] });`,
      },
      supervisor: "main",
      deterministic: { seed: 1 },
    });
    const source = await sandbox.source("main");
    await runtime.batch.evaluate(["s"], {
      questions: [{ call: "main.f" }],
      scorer: { modules: { main: `export const score = (a) => a[0];` }, call: "main.score" },
    });
    assert.equal((await sandbox.call("main.f", { record: true })).ok, true);
    await sandbox.hotReload({ main: `${source} // 2` }, { dryRun: true });
    assert.equal((await runtime.once("export default () => 1")).ok, true);
    assert.deepEqual(
      [tracker.size().individuals, (await runtime.metrics()).created, [...new Set(kept)]],
      [1, 1, ["s"]],
    );
    await until("all helpers are gone", async () => {
      const { cells } = await runtime.metrics();
      return cells.reduce((sum, cell) => sum + cell.sandboxes, 0) === 1;
    });
  });
});

test("cells that were started for a peak end when they are empty again", async () => {
  const runtime = await startRuntime({ cells: { count: 1, spare: 0, sandboxesMax: 2 } });
  const ids = await Promise.all([1, 2, 3, 4, 5].map(async () => (await createMain(runtime, plain(1))).id));
  const cells = async (): Promise<number> => (await runtime.metrics()).cells.length;
  await until("there are more cells", async () => (await cells()) >= 3);
  await runtime.batch.destroy(ids);
  await runtime.collect();
  await until("only the usual one is left", async () => (await cells()) === 1);
});
