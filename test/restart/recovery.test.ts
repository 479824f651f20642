// A runtime that opens a data folder finds what the last one left, as it was left.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, suite, test } from "node:test";
import {
  createRuntime,
  MemoryStore,
  unwrap,
  type Runtime,
  type RuntimeOptions,
  type Store,
} from "../../src/index.ts";
import { Folder } from "../support/folders.ts";
import { FlakyStore } from "../support/flaky-store.ts";
import { fulfilled, rejectionCode, until } from "../support/waiting.ts";

const cells = { count: 1, spare: 0, warm: 2 } as const;
const counter = `
  import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "counter", init: () => ({ count: 0 }),
    handleCall: (_, { count }) => ({ reply: count + 1, state: { count: count + 1 } }) });
  export default supervisor({ children: [{ id: "counter", start: Counter }] });`;
const processes = { supervisor: "main", checkpoint: "message" } as const;

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder[Symbol.dispose]());

const open = (options: RuntimeOptions = {}): Promise<Runtime> =>
  createRuntime({ data: `${folder.path}/run`, cells, ...options });

async function left(act: (runtime: Runtime) => Promise<unknown>, options?: RuntimeOptions): Promise<void> {
  await using runtime = await open(options);
  await act(runtime);
}

suite("a sandbox of an earlier runtime", () => {
  test("has no isolate until it is used, and then answers with its current revision", async () => {
    await left(async (runtime) => {
      const sandbox = await runtime.create("s", { modules: { main: "export const f = () => 1;" } });
      await sandbox.hotReload({ main: "export const f = () => 2;" });
    });
    await using runtime = await open();
    const { status, cell, revision, modules } = await runtime.info("s");
    assert.deepEqual([status, cell, revision, modules["main"]?.exports], ["running", null, 2, ["f"]]);
    const sandbox = await runtime.get("s");
    assert.equal(unwrap(await sandbox.call("main.f")), 2);
    assert.notEqual((await sandbox.info()).cell, null);
    await sandbox.rollback("main", 1);
    assert.equal(unwrap(await sandbox.call("main.f")), 1);
  });

  test("can be reloaded, described, forked and exported before it is used", async () => {
    await left((runtime) =>
      Promise.all(
        ["a", "b", "c"].map((id) => runtime.create(id, { modules: { main: "export const f = () => 1;" } })),
      ),
    );
    await using runtime = await open();
    const [a, b, c] = await Promise.all(["a", "b", "c"].map((id) => runtime.get(id)));
    await a?.hotReload({ main: "export const f = () => 2;" });
    assert.equal(unwrap(await (await runtime.get("a")).call("main.f")), 2);
    const child = await runtime.fork("b", { id: "child" });
    assert.equal(unwrap(await child.call("main.f")), 1);
    assert.equal((await b?.info())?.cell, null);
    assert.deepEqual(await c?.versions("main"), [1]);
    assert.equal((await c?.export())?.revisions.length, 1);
  });

  test("is compiled once for all its lives", async () => {
    await left((runtime) =>
      runtime.create("s", {
        modules: { main: "export const f = (): number => 1;" },
        limits: { fuel: 1_000 },
      }),
    );
    await using runtime = await open();
    assert.equal(unwrap(await (await runtime.get("s")).call("main.f")), 1);
    assert.equal((await runtime.metrics()).compile.misses, 0);
  });

  test("that was suspended is suspended, and goes on when it is resumed", async () => {
    await left(async (runtime) => {
      const sandbox = await runtime.create("s", { modules: { main: counter }, ...processes });
      await sandbox.ask("counter", "next");
      await sandbox.suspend();
    });
    await left(async (runtime) => assert.equal((await runtime.info("s")).status, "suspended"));
    await left(async (runtime) => {
      const sandbox = await runtime.get("s");
      await sandbox.resume();
      assert.equal(unwrap(await sandbox.ask("counter", "next")), 2);
    });
    await using runtime = await open();
    assert.equal((await fulfilled("recovery", recovered(runtime))).suspended, 0);
    assert.equal(unwrap(await (await runtime.get("s")).ask("counter", "next")), 3);
  });

  test("that has processes or timers is loaded without being used", async () => {
    await left(async (runtime) => {
      await runtime.create("processes", { modules: { main: counter }, ...processes });
      await runtime.create("timers", { modules: { main: `setInterval(() => console.log("tick"), 5);` } });
      await runtime.create("neither", { modules: { main: "export const f = 1;" } });
    });
    await using runtime = await open();
    const report = await fulfilled("recovery", recovered(runtime));
    assert.deepEqual([report.sandboxes, report.loaded, report.problems], [3, 2, []]);
    assert.deepEqual((await runtime.health()).store.recovered, report);
    await until("it ticks", async () => (await runtime.logs("timers")).length > 0);
    assert.equal((await runtime.info("neither")).cell, null);
  });

  test("that failed is failed for the same reason, and can be restarted", async () => {
    await left(async (runtime) => {
      const refused = runtime.create("code", { modules: { main: "const = 1;" } });
      assert.equal(await rejectionCode("create", refused), "PARSE_FAILED");
      const thrown = runtime.create("load", { modules: { main: `throw new Error("not today");` } });
      assert.equal(await rejectionCode("create", thrown), "LOAD_FAILED");
    });
    await using runtime = await open();
    const [code, load] = await Promise.all(["code", "load"].map((id) => runtime.info(id)));
    assert.deepEqual([code?.status, code?.lastError?.code], ["failed", "PARSE_FAILED"]);
    assert.deepEqual([load?.status, load?.lastError?.code], ["failed", "LOAD_FAILED"]);
    assert.match(load?.reason ?? "", /not today/);
    assert.equal(await rejectionCode("restart", runtime.restart("load")), "LOAD_FAILED");
  });

  test("has its age, its restarts and its fitness with components and tests", async () => {
    let createdAt = 0;
    const tests = [
      { name: "one", call: "main.f", args: [], expected: 1 },
      { name: "two", call: "main.f", args: [], expected: 2 },
    ] as const;
    await left(async (runtime) => {
      const sandbox = await runtime.create("s", { modules: { main: "export const f = () => 1;" } });
      ({ createdAt } = await sandbox.info());
      await sandbox.restart();
      await runtime.batch.evaluate(["s"], async () => ({ score: 7, components: { speed: 3 } }));
      await runtime.create("tested", { modules: { main: "export const f = () => 1;" } });
      await runtime.batch.evaluate(["tested"], { tests });
    });
    const openedAt = Date.now();
    await using runtime = await open();
    const info = await runtime.info("s");
    assert.deepEqual([info.createdAt, info.restarts], [createdAt, 1]);
    assert.ok(info.uptimeMs >= openedAt - createdAt - 1);
    assert.deepEqual([info.fitness?.score, info.fitness?.components], [7, { speed: 3 }]);
    const { fitness } = await runtime.info("tested");
    assert.equal(fitness?.score, 0.5);
    assert.deepEqual(
      fitness.tests.map(({ name, passed }) => [name, passed]),
      [
        ["one", true],
        ["two", false],
      ],
    );
  });

  test("that was destroyed has its tombstone, until another has its id", async () => {
    await left(async (runtime) => {
      await runtime.create("s", { modules: { main: `console.log("last words");` } });
      await runtime.destroy("s");
    });
    await left(async (runtime) => {
      const { status, reason } = await runtime.info("s");
      assert.deepEqual([status, reason], ["stopped", "destroyed by its owner"]);
      assert.deepEqual(
        (await runtime.logs("s")).map(({ text }) => text),
        ["last words"],
      );
      assert.equal(await runtime.has("s"), false);
      await runtime.create("s", { modules: { main: "export const f = 1;" } });
    });
    await using runtime = await open();
    assert.equal((await runtime.info("s")).status, "running");
    assert.equal((await runtime.metrics()).tombstones, 0);
  });

  test("is judged by the profile as it is now, though its compiled code is stored", async () => {
    const main = "export const f = () => globalThis.process;";
    const lax = { own: { base: "low" } };
    await left((runtime) => runtime.create("s", { modules: { main }, profile: "own" }), { profiles: lax });
    await left(async (runtime) => {
      const { status, reason } = await runtime.info("s");
      assert.equal(status, "failed");
      assert.match(reason ?? "", /own/);
      const { problems } = await fulfilled("recovery", recovered(runtime));
      assert.match(problems.join(), /"s"/);
    });
    const strict = { own: { base: "low", scan: { blocked: "reject", suspicious: "reject" } } } as const;
    await left(async (runtime) => assert.equal((await runtime.info("s")).status, "failed"), {
      profiles: strict,
    });
    await using runtime = await open({ profiles: lax });
    assert.equal(unwrap(await (await runtime.get("s")).call("main.f")), undefined);
  });
});

test("what cannot be read of a data folder is in the report of the recovery", async () => {
  await left(async (runtime) => {
    for (const id of ["a", "b"]) await runtime.create(id, { modules: { main: "export const f = () => 1;" } });
    await runtime.destroy("a");
    await runtime.create("c", { modules: { main: "export const f = () => 1;" } });
  });
  {
    using database = new DatabaseSync(`${folder.path}/run/vivarium.db`);
    database.exec(`UPDATE sandboxes SET id = 'no id!' WHERE id = 'b'; UPDATE tombstones SET info = '{'`);
  }
  await using runtime = await open();
  assert.deepEqual(
    (await runtime.list()).map(({ id }) => id),
    ["c"],
  );
  const { problems } = await fulfilled("recovery", recovered(runtime));
  assert.equal(problems.length, 2);
  assert.match(problems.join(), /no id!/);
});

suite("a store of a caller's own", () => {
  test("with a record that is none, one without an id and one twice harms no other", async () => {
    const store = new FlakyStore();
    await using first = await createRuntime({ store, cells });
    for (const id of ["a", "b"]) await first.create(id, { modules: { main: "export const f = () => 1;" } });
    await first.close();
    const [a, b] = await store.open();
    const odd = [null, { ...a, id: 7 }, a, a, b] as unknown as Awaited<ReturnType<Store["open"]>>;
    store.open = () => Promise.resolve(odd);
    await using runtime = await createRuntime({ store, cells });
    assert.deepEqual(
      (await runtime.list()).map(({ id, status }) => [id, status]),
      [
        ["a", "running"],
        ["b", "running"],
      ],
    );
    assert.equal((await fulfilled("recovery", recovered(runtime))).problems.length, 2);
    assert.equal(unwrap(await (await runtime.get("b")).call("main.f")), 1);
  });

  test("without records of their own has a sandbox as it was suspended", async () => {
    const memory = new MemoryStore();
    const store: Store = {
      open: () => memory.open(),
      save: (sandbox) => memory.save(sandbox),
      remove: (id) => memory.remove(id),
      close: () => memory.close(),
    };
    await using first = await createRuntime({ store, cells });
    await (await first.create("s", { modules: { main: "export const f = () => 1;" } })).suspend();
    await first.close();
    await using runtime = await createRuntime({ store, cells });
    assert.equal((await runtime.info("s")).status, "suspended");
  });
});

suite("a destruction that the store refuses", () => {
  /** A runtime whose store refused to remove its only sandbox. */
  async function refused(store: FlakyStore): Promise<Runtime> {
    const runtime = await createRuntime({ store, cells });
    await runtime.create("s", { modules: { main: "export const f = 1;" } });
    store.beforeNextRemove = () => {
      throw new Error("the disk is full");
    };
    assert.equal(await rejectionCode("destroy", runtime.destroy("s")), "STORE_FAILED");
    return runtime;
  }

  test("is carried out when the caller asks again", async () => {
    const store = new FlakyStore();
    await using runtime = await refused(store);
    assert.equal((await store.open()).length, 1);
    await runtime.destroy("s");
    assert.deepEqual(await store.open(), []);
    assert.equal((await store.tombstones()).length, 1);
    assert.equal(await rejectionCode("destroy", runtime.destroy("s")), "SANDBOX_NOT_FOUND");
  });

  test("is carried out later by itself", async () => {
    const store = new FlakyStore();
    await using _ = await refused(store);
    await until("it is removed", async () => (await store.open()).length === 0);
  });
});

/** The report of the recovery, whether it was made already or is about to be. */
async function recovered(
  runtime: Runtime,
): Promise<NonNullable<Awaited<ReturnType<Runtime["health"]>>["store"]["recovered"]>> {
  const told = new Promise<void>((resolve) => runtime.events.on("store.recovered", () => resolve()));
  if ((await runtime.health()).store.recovered === null) await told;
  const { recovered: report } = (await runtime.health()).store;
  assert.ok(report !== null);
  return report;
}
