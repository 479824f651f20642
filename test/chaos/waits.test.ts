// Every wait ends: what a caller waits for settles, also when a cell is killed, a sandbox destroyed or the runtime closed
// at the worst moment.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { MemoryStore, type Outcome, type Sandbox } from "../../src/index.ts";
import type { DoneItem, DoneReport } from "../../src/execution/protocol/messages.ts";
import { startBreakable, type Between } from "../support/breakable.ts";
import { fulfilled, rejectionCode, settled, until } from "../support/waiting.ts";

const MiB = 2 ** 20;
const steady = `
  export const quick = (n) => n;
  export const spin = () => { for (;;); };
  export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms, ms));`;
// The engine aborts on it: no interrupt, no exception.
const fatal = "Array.prototype.toSorted.call({ length: 2 ** 27 + 1 })";

// A cell that answers several operations at once tells of short runs first, as values in a row: before the load that they
// came after. Here every answer to a load waits for that to the run behind it.
const runsBeforeLoads: Between = (isolates, listener) => {
  let held: DoneReport["items"] = [];
  return {
    onReport: (report) => {
      if (report.t !== "done") return listener.onReport(report);
      const isHeld = (item: DoneItem): boolean => isolates.isBeforeRun(item, report);
      const items = [...report.items.filter((item) => !isHeld(item)), ...held];
      held = report.items.filter(isHeld);
      listener.onReport({ ...report, items });
    },
    onDeath: (death) => listener.onDeath(death),
  };
};

const kindOf = (outcome: Outcome): string => (outcome.ok ? "ok" : outcome.error.kind);

suite("a change of limits", () => {
  test("that waits for runs continues when their cell is lost", async () => {
    await using broken = await startBreakable();
    const sandbox = await broken.runtime.create("a", { modules: { main: steady } });
    await sandbox.call("main.quick", { args: [1] });
    const run = sandbox.call("main.sleep", { args: [500], repeatable: true });
    await until("the run has begun", async () => (await broken.runtime.metrics()).runsUnderway === 1);
    const update = sandbox.updateLimits({ memoryBytes: 200 * MiB });
    await broken.signal("SIGKILL", [await broken.cellOf("a")]);
    assert.equal((await fulfilled("updateLimits", update)).rebuilt, true);
    assert.equal(kindOf(await fulfilled("run", run)), "ok");
  });

  test("of a sandbox that is destroyed meanwhile is cancelled", async () => {
    await using broken = await startBreakable();
    const sandbox = await broken.runtime.create("a", { modules: { main: steady } });
    const run = sandbox.call("main.sleep", { args: [5_000] });
    const update = sandbox.updateLimits({ memoryBytes: 200 * MiB });
    await sandbox.destroy();
    assert.equal(await rejectionCode("updateLimits", update), "CANCELLED");
    assert.equal(kindOf(await fulfilled("run", run)), "cancelled");
  });
});

suite("close()", () => {
  test("in the middle of a batch larger than what is worked on at a time settles every item", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const made = await runtime.batch.create(
      Array.from({ length: 20 }, () => ({ modules: { main: steady } })),
    );
    const ids = Array.from({ length: 2_000 }, (_, index) => made[index % made.length]?.sandboxId ?? "");
    const calls = runtime.batch.call(ids, "main.sleep", { args: [300], concurrency: 100 });
    const shipped = runtime.batch.run(ids, (_modules, n: number) => n, { args: [1], concurrency: 10 });
    await until("some are under way", async () => (await runtime.metrics()).runsUnderway > 50);
    await fulfilled("close", runtime.close());
    for (const batch of [calls, shipped]) {
      const results = await fulfilled("batch", batch);
      assert.ok(results.every((result) => result.ok || result.error.kind === "cancelled"));
      assert.ok(results.some((result) => !result.ok));
    }
  });

  test("while sandboxes are created, restarted, measured and changed settles all of it", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const made = await runtime.batch.create(Array.from({ length: 8 }, () => ({ modules: { main: steady } })));
    const sandboxes = made.map((result) => (result.ok ? result.value : assert.fail("not created")));
    const waits = [
      runtime.batch.create(
        Array.from({ length: 200 }, (_, n) => ({ modules: { main: `${steady} // ${n}` } })),
      ),
      ...sandboxes.map((sandbox) => sandbox.call("main.spin")),
      ...sandboxes.map((sandbox) => sandbox.usage()),
      ...sandboxes.map((sandbox) => sandbox.updateLimits({ memoryBytes: 200 * MiB })),
      ...sandboxes.slice(4).map((sandbox) => sandbox.restart()),
    ].map((wait) => settled("wait", Promise.resolve(wait as PromiseLike<unknown>)));
    await fulfilled("close", runtime.close());
    await Promise.all(waits);
  });
});

suite("a sandbox that is removed while it is created", () => {
  const fresh = (): { modules: { main: string } } => ({ modules: { main: `${steady} // ${Math.random()}` } });

  test("destroyed while it is compiled, leaves no isolate behind", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const creation = runtime.create("a", fresh());
    creation.catch(() => {});
    await runtime.destroy("a");
    assert.equal(await rejectionCode("create", creation), "CANCELLED");
    const other = await runtime.create("a", fresh());
    assert.equal(kindOf(await other.call("main.quick", { args: [1] })), "ok");
    assert.equal(
      (await runtime.metrics()).cells.reduce((sum, { sandboxes }) => sum + sandboxes, 0),
      1,
    );
  });

  test("given up by its signal while it is compiled, leaves no isolate behind", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const controller = new AbortController();
    const creation = runtime.create("a", { ...fresh(), signal: controller.signal });
    controller.abort();
    assert.equal(await rejectionCode("create", creation), "CANCELLED");
    await runtime.create("b", fresh());
    assert.equal(
      (await runtime.metrics()).cells.reduce((sum, { sandboxes }) => sum + sandboxes, 0),
      1,
    );
  });

  test("that the store cannot save, leaves no record behind", async () => {
    class FullStore extends MemoryStore {
      override save(): Promise<void> {
        return Promise.reject(new RangeError("the disk is full"));
      }
    }
    await using broken = await startBreakable({ store: new FullStore() });
    const { runtime } = broken;
    assert.equal(await rejectionCode("create", runtime.create("a", fresh())), "STORE_FAILED");
    assert.equal(await runtime.has("a"), false);
    assert.equal(
      (await runtime.metrics()).cells.reduce((sum, { sandboxes }) => sum + sandboxes, 0),
      0,
    );
  });

  test("destroyed or cancelled while its cell is lost, settles all that was requested of it", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    for (let round = 0; round < 3; round++) {
      await broken.whole();
      const made = await runtime.batch.create(Array.from({ length: 12 }, fresh));
      const sandboxes = made.map((result) => (result.ok ? result.value : assert.fail("not created")));
      const controller = new AbortController();
      const calls = sandboxes.flatMap((sandbox) => [
        sandbox.call("main.sleep", { args: [200], repeatable: true }),
        sandbox.call("main.sleep", { args: [200], signal: controller.signal }),
      ]);
      await until("the runs have begun", async () => (await runtime.metrics()).runsUnderway === calls.length);
      await broken.signal("SIGKILL");
      controller.abort();
      const ends = sandboxes.slice(0, 6).map((sandbox) => sandbox.destroy());
      const restarts = sandboxes.slice(6).map((sandbox) => settled("restart", sandbox.restart()));
      await Promise.all(ends.map((end) => fulfilled("destroy", end)));
      await Promise.all(restarts);
      for (const call of calls) await fulfilled("call", call);
      for (const sandbox of sandboxes.slice(6))
        assert.equal(kindOf(await fulfilled("call", sandbox.call("main.quick", { args: [1] }))), "ok");
      await runtime.batch.destroy(sandboxes.slice(6).map(({ id }) => id));
    }
  });
});

suite("sandboxes that must be alone", () => {
  const killer = { modules: { main: `${steady} export const kill = () => ${fatal};` } };

  test("with the code of one that brought down a cell, are all created and all answer", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const first = await runtime.create("first", killer);
    await first.call("main.quick", { args: [1] });
    assert.notEqual(kindOf(await fulfilled("kill", first.call("main.kill"))), "ok");
    const made = await fulfilled("create", runtime.batch.create(Array.from({ length: 8 }, () => killer)));
    assert.ok(made.every(({ ok }) => ok));
    const ids = made.map(({ sandboxId }) => sandboxId);
    const calls = await fulfilled("call", runtime.batch.call(ids, "main.quick", { args: [7] }));
    assert.deepEqual(
      calls.map(kindOf),
      Array.from({ length: 8 }, () => "ok"),
    );
    const kills = await fulfilled("kill", runtime.batch.call(ids, "main.kill"));
    assert.ok(kills.every(({ ok }) => !ok));
  });

  test("get a cell also where the answer to a run is read before that to the load before it", async () => {
    await using broken = await startBreakable({}, runsBeforeLoads);
    const { runtime } = broken;
    const first = await runtime.create("first", killer);
    assert.notEqual(kindOf(await fulfilled("kill", first.call("main.kill"))), "ok");
    const made = await fulfilled("create", runtime.batch.create(Array.from({ length: 8 }, () => killer)));
    const ids = made.map(({ sandboxId }) => sandboxId);
    const calls = await fulfilled("call", runtime.batch.call(ids, "main.quick", { args: [7] }));
    assert.deepEqual(
      calls.map(kindOf),
      Array.from({ length: 8 }, () => "ok"),
    );
  });

  test("more of them than there are cells are all looked into, and take each other's cells only for that", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const main = `import { server, supervisor } from "vivarium/guest";
      const S = server({ name: "s", init: () => 0, handleCall: (message, state) => ({ reply: state, state }) });
      export default supervisor({ children: [{ id: "s", start: S }] });
      export const kill = () => ${fatal};`;
    const make = (n: number): Promise<Sandbox> =>
      runtime.create(`killer-${n}`, { modules: { main }, supervisor: "main" });
    const sandboxes = await Promise.all([1, 2, 3].map(make));
    for (const sandbox of sandboxes) await fulfilled("kill", sandbox.call("main.kill"));
    let evictions = 0;
    runtime.events.on("sandbox.rebuilt", ({ reason }) => void (evictions += reason === "evicted" ? 1 : 0));
    const looks = sandboxes.map((sandbox) => fulfilled("processes", sandbox.processes()));
    for (const processes of await Promise.all(looks)) assert.ok(processes.length > 0);
    assert.ok(evictions <= sandboxes.length, `${evictions} evictions`);
  });

  test("do not wait for one whose run was cancelled", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const sandboxes = await Promise.all([1, 2, 3].map((n) => runtime.create(`killer-${n}`, killer)));
    for (const sandbox of sandboxes) await fulfilled("kill", sandbox.call("main.kill"));
    const controller = new AbortController();
    const held = sandboxes
      .slice(0, 2)
      .map((sandbox) =>
        sandbox.call("main.sleep", { args: [290_000], timeoutMs: 300_000, signal: controller.signal }),
      );
    const third = sandboxes[2]?.call("main.quick", { args: [3] }) ?? assert.fail();
    // The third may have its turn before the others have a cell.
    await until("they are under way", async () => (await runtime.metrics()).runsUnderway >= 2);
    controller.abort();
    assert.equal(kindOf(await fulfilled("third", third)), "ok");
    for (const call of held) assert.equal(kindOf(await call), "cancelled");
  });

  test("for what their timers do, are refused when they bring down a cell again", async () => {
    await using broken = await startBreakable();
    const source = `export const arm = () => { setTimeout(() => ${fatal}, 10); return 1; };`;
    const sandbox = await broken.runtime.create("a", { modules: { main: source } });
    let exits = 0;
    broken.runtime.events.on("cell.exited", () => exits++);
    for (const wanted of [1, 2]) {
      await fulfilled("arm", sandbox.call("main.arm"));
      await until("its cell is gone", () => exits >= wanted);
    }
    await until("it is refused", async () => (await sandbox.info()).status === "failed");
    assert.equal(kindOf(await sandbox.call("main.arm")), "not-running");
  });
});
