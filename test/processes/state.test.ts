// The states of servers: checked against their schema, migrated forwards and back, tried out beforehand, written down, and
// taken along wherever their sandbox goes.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FakeClock } from "../../src/testing/index.ts";
import {
  MemoryStore,
  createRuntime,
  type EventMap,
  type LoadError,
  type Runtime,
  type Sandbox,
  type SandboxSpec,
  type StateCapture,
} from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { killCellOf, refusalOf } from "../support/reloading.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/until.ts";

const runtime = await startRuntime({ cells: { spare: 1 } });

const create = (main: string, spec: Partial<SandboxSpec> = {}, from: Runtime = runtime): Promise<Sandbox> =>
  from.create({ modules: { main }, supervisor: "main", ...spec });

const counter = (n = 1): string => `
import { server, supervisor } from "vivarium/guest";
export const code = () => ${n};
const Counter = server({ name: "counter", init: () => ({ count: 0 }), handleCall: (message, state) =>
  message === "add" ? { reply: state.count + 1, state: { count: state.count + 1 } } : { reply: state, state } });
export default supervisor({ children: [{ id: "counter", start: Counter }] });`;

const add = async (sandbox: Sandbox): Promise<number> => valueOf(await sandbox.ask<number>("counter", "add"));
const get = async (sandbox: Sandbox, name = "counter"): Promise<unknown> =>
  valueOf(await sandbox.ask(name, "get"));

/** A server with a schema of this version; `more` are its fields and migrations. */
const schemed = (
  version: number,
  { fields = "", migrations = "", init = "{ count: 0 }", more = "" } = {},
): string => `
import { server, supervisor } from "vivarium/guest";
const Counter = server({ name: "counter", init: () => (${init}),
  handleCall: (message, state) => message === "get" ? { reply: state, state } : { reply: null, state: message },
  schema: { version: ${version}, fields: { ${fields} } }, migrations: [${migrations}], ${more} });
export default supervisor({ maxRestarts: 20, children: [{ id: "counter", start: Counter }] });`;

suite("schemas", () => {
  test("fill in defaults, and say all that is wrong at once", async () => {
    const fields = `count: { type: "number", check: (n) => n >= 0 || "must not be negative" },
      label: { type: "string", default: "none" }, list: { type: "array" }, note: { type: "string", isOptional: true }`;
    await using sandbox = await create(schemed(1, { fields, init: "{ count: 1, list: [] }" }));
    assert.deepEqual(await get(sandbox), { count: 1, list: [], label: "none" });
    const error = await refusalOf(
      create(schemed(1, { fields, init: "{ count: -1, label: 7 }" })),
      "LOAD_FAILED",
    );
    assert.match(error.message, /count: must not be negative; label must be string; list is missing/);
  });

  for (const [type, good, bad] of [
    ["string", `"a"`, "1"],
    ["number", "1", `"1"`],
    ["boolean", "true", "0"],
    ["bigint", "1n", "1"],
    ["array", "[]", "{}"],
    ["object", "{}", "[]"],
    ["map", "new Map()", "{}"],
    ["set", "new Set()", "new Map()"],
    ["any", "1", undefined],
  ] as const) {
    test(`the type ${type} admits what it says and nothing else`, async () => {
      const fields = `x: { type: "${type}" }`;
      await using sandbox = await create(schemed(1, { fields, init: `{ x: ${good} }` }));
      assert.ok((await sandbox.info()).status === "running");
      const wrong = schemed(1, { fields, init: bad === undefined ? "{}" : `{ x: ${bad} }` });
      await refusalOf(create(wrong), "LOAD_FAILED");
    });
  }
});

const step = (versions: string, up: string, down?: string): string =>
  `{ ${versions}, up: (state) => (${up})${down === undefined ? "" : `, down: (state) => (${down})`} },`;
const toTwo = step("from: 1, to: 2", "{ total: state.count }", "{ count: state.total }");
const toThree = step("from: 2, to: 3", "{ total: state.total, log: ['2→3'] }", "{ total: state.total }");
const direct = step("from: 1, to: 3", "{ total: state.count, log: ['1→3'] }");

suite("migrations", () => {
  test("go the shortest way from one version of the schema to another", async () => {
    await using sandbox = await create(schemed(1));
    await sandbox.ask("counter", { count: 5 });
    const report = await sandbox.hotReload({ main: schemed(3, { migrations: toTwo + toThree }) });
    assert.deepEqual(report.states, [
      {
        path: "counter",
        name: "counter",
        module: "main",
        way: "migrations",
        versions: [1, 2, 3],
        problem: null,
      },
    ]);
    assert.deepEqual(await get(sandbox), { total: 5, log: ["2→3"] });
    await using other = await create(schemed(1));
    const shorter = await other.hotReload({ main: schemed(3, { migrations: toTwo + toThree + direct }) });
    assert.deepEqual(shorter.states?.[0]?.versions, [1, 3]);
    assert.deepEqual(await get(other), { total: 0, log: ["1→3"] });
  });

  test("may be asynchronous, and are told as an event", async () => {
    const migrations: EventMap["state.migrated"][] = [];
    await using sandbox = await create(schemed(1));
    runtime.events.on("state.migrated", (event) => {
      if (event.sandboxId === sandbox.id) migrations.push(event);
    });
    const slow = `{ from: 1, to: 2, up: async (state) => { await null; return { total: state.count }; } },`;
    await sandbox.hotReload({ main: schemed(2, { migrations: slow }) });
    assert.deepEqual(await get(sandbox), { total: 0 });
    assert.deepEqual(
      migrations.map(({ revision, servers }) => [revision, servers]),
      [[2, 1]],
    );
    // The same form, other code: nothing is migrated, nothing is told.
    await sandbox.hotReload({ main: schemed(2, { migrations: slow, more: "terminate() {}," }) });
    assert.equal(migrations.length, 1);
  });

  test("go back by `down` when a module is rolled back, with what happened since", async () => {
    await using sandbox = await create(schemed(1));
    await sandbox.ask("counter", { count: 5 });
    await sandbox.hotReload({ main: schemed(3, { migrations: toTwo + toThree }) });
    await sandbox.ask("counter", { total: 8, log: [] });
    const report = await sandbox.rollback("main", 1);
    assert.deepEqual([report.states?.[0]?.way, report.states?.[0]?.versions], ["migrations", [3, 2, 1]]);
    assert.deepEqual(await get(sandbox), { count: 8 });
    await sandbox.rollbackTo(2);
    assert.deepEqual(await get(sandbox), { total: 8, log: ["2→3"] });
  });

  test("that have no way back keep the new code in place", async () => {
    await using sandbox = await create(schemed(1));
    await sandbox.hotReload({ main: schemed(3, { migrations: direct }) });
    const error = await refusalOf(sandbox.rollback("main", 1), "MIGRATION_FAILED");
    assert.match(error.message, /no way from schema 3 to 1/);
    assert.deepEqual(await get(sandbox), { total: 0, log: ["1→3"] });
    assert.equal(await sandbox.version("main"), 2);
  });

  test("fall back on codeChange where the schema knows no way", async () => {
    await using sandbox = await create(schemed(1));
    const more = "codeChange: (state, from, to) => ({ changed: [state.count, from, to] }),";
    const report = await sandbox.hotReload({ main: schemed(9, { more }) });
    assert.equal(report.states?.[0]?.way, "codeChange");
    assert.deepEqual(await get(sandbox), { changed: [0, 1, 2] });
  });
});

suite("dry runs", () => {
  const change = schemed(3, {
    migrations: toTwo + toThree,
    fields: `total: { type: "number", check: (n) => n < 10 || "too much" }`,
  });

  test("try a reload on the states as they are, and leave everything alone", async () => {
    await using sandbox = await create(
      `${schemed(1)}\nexport const touch = () => (globalThis.touched = (globalThis.touched ?? 0) + 1);`,
    );
    await sandbox.ask("counter", { count: 5 });
    assert.equal(valueOf(await sandbox.call("main.touch")), 1);
    const before = await sandbox.captureState();
    const report = await sandbox.hotReload(
      { main: `${change}\nglobalThis.touched = 100;` },
      { dryRun: true },
    );
    assert.deepEqual([report.status, report.revision, report.modules], ["reloaded", 2, { main: 2 }]);
    assert.deepEqual(
      report.states?.map(({ path, versions, problem }) => [path, versions, problem]),
      [["counter", [1, 2, 3], null]],
    );
    assert.deepEqual(await sandbox.captureState(), before);
    const { revision, rebuilds } = await sandbox.info();
    assert.deepEqual([revision, rebuilds], [1, 0]);
    assert.deepEqual(
      (await runtime.list({ status: "running" })).map(({ id }) => id),
      [sandbox.id],
    );
  });

  test("tell which states would not fit, and why; the reload itself is then refused with the same words", async () => {
    await using sandbox = await create(schemed(1));
    await sandbox.ask("counter", { count: 50 });
    const report = await sandbox.hotReload({ main: change }, { dryRun: true });
    assert.match(report.states?.[0]?.problem ?? "", /total: too much/);
    const error = await refusalOf(sandbox.hotReload({ main: change }), "MIGRATION_FAILED");
    assert.match(error.message, /total: too much/);
    const none = await sandbox.hotReload({ main: schemed(7) }, { dryRun: true });
    assert.deepEqual(
      [none.states?.[0]?.way, none.states?.[0]?.problem],
      ["none", "there is no way from schema 1 to 7"],
    );
    // The caller's own migration is tried out too.
    const migrate = (state: unknown): unknown => ({ total: (state as { count: number }).count / 10 });
    const own = await sandbox.hotReload({ main: change }, { dryRun: true, migrate });
    assert.deepEqual([own.states?.[0]?.way, own.states?.[0]?.problem], ["host", null]);
  });
});

suite("checkpoints", () => {
  test("on demand: a restart and a lost cell begin with what was written down", async () => {
    await using sandbox = await create(counter());
    for (let n = 1; n <= 3; n++) await add(sandbox);
    await sandbox.checkpoint();
    await add(sandbox);
    await sandbox.restart();
    assert.deepEqual(await get(sandbox), { count: 3 });
    await add(sandbox);
    await killCellOf(runtime, sandbox);
    assert.deepEqual(await get(sandbox), { count: 3 });
  });

  test("regularly, on the runtime's own clock", async () => {
    const clock = new FakeClock({ now: 1_000 });
    const store = new CountingStore();
    await using own = await createRuntime({ clock, store, cells: { count: 1, spare: 0 } });
    const sandbox = await create(counter(), { checkpoint: { everyMs: 60_000 } }, own);
    await add(sandbox);
    const saved = store.saves;
    clock.advance(59_999);
    await add(sandbox);
    assert.equal(store.saves, saved);
    clock.advance(1);
    await until("it is written down", () => store.saves > saved);
    await add(sandbox);
    await sandbox.restart();
    assert.deepEqual(await get(sandbox), { count: 2 });
    await sandbox.destroy();
    const pending = clock.pending;
    clock.advance(200_000);
    assert.ok(clock.pending <= pending, "its timer outlived it");
  });

  test("regularly: a state that cannot be written down is told, and the sandbox goes on", async () => {
    const broken = counter()
      .replace("{ count: 0 }", "{ count: 0, f: () => 1 }")
      .replaceAll("{ count: state.count + 1 }", "{ ...state, count: state.count + 1 }");
    await using sandbox = await create(broken, { checkpoint: { everyMs: 10 } });
    const error = await until("it is told", async () => (await sandbox.info()).lastError ?? undefined);
    assert.match(error.message, /Cannot capture the state of "counter" as it must be data: it is a function/);
    assert.equal(await add(sandbox), 1);
  });

  test("after every message: a state that is no data ends its server, and its caller is told", async () => {
    const broken = counter().replace("{ count: state.count + 1 } }", "{ count: () => 1 } }");
    await using sandbox = await create(broken, { checkpoint: "message" });
    const outcome = await sandbox.ask("counter", "add");
    assertFailed(outcome, "crashed");
    assert.match(outcome.error.message, /Cannot capture the state of "counter" as it must be data/);
    assert.deepEqual(await get(sandbox), { count: 0 });
  });

  test("a committed reload is written down with it: a cell that is lost right after does not bring old states to new code", async () => {
    for (const checkpoint of ["message", null] as const) {
      await using sandbox = await create(schemed(1), { checkpoint });
      await sandbox.ask("counter", { count: 5 });
      if (checkpoint === null) await sandbox.checkpoint();
      await sandbox.hotReload({ main: schemed(2, { migrations: toTwo }) });
      await killCellOf(runtime, sandbox);
      assert.deepEqual(await get(sandbox), { total: 5 });
      await sandbox.rollback("main", 1);
      await killCellOf(runtime, sandbox);
      assert.deepEqual(await get(sandbox), { count: 5 });
    }
  });

  test("a checkpoint of an older schema is migrated when it is brought back", async () => {
    await using sandbox = await create(schemed(1));
    await sandbox.ask("counter", { count: 5 });
    const capture = await sandbox.captureState();
    await sandbox.hotReload({ main: schemed(3, { migrations: toTwo + toThree }) });
    await sandbox.restoreState(capture);
    assert.deepEqual(await get(sandbox), { total: 5, log: ["2→3"] });
  });

  test("captureState and restoreState are inverse; what is no capture is refused", async () => {
    await using sandbox = await create(counter());
    await add(sandbox);
    const capture = await sandbox.captureState();
    for (let n = 0; n < 3; n++) await add(sandbox);
    await sandbox.restoreState(capture);
    assert.deepEqual(await sandbox.captureState(), capture);
    const wrong: unknown[] = [
      null,
      {},
      { servers: [], children: [{}] },
      { servers: [{ path: 1 }], children: [] },
    ];
    for (const given of wrong)
      await refusalOf(sandbox.restoreState(given as StateCapture), "INVALID_OPTIONS");
    assert.deepEqual(await get(sandbox), { count: 1 });
  });
});

class CountingStore extends MemoryStore {
  saves = 0;
  override save(...given: Parameters<MemoryStore["save"]>): Promise<void> {
    this.saves++;
    return super.save(...given);
  }
}

suite("states travel", () => {
  test("export takes them along as they are, and import begins with them, under the same settings", async () => {
    await using sandbox = await create(counter(), { checkpoint: "message", restart: { max: 7 } });
    for (let n = 0; n < 4; n++) await add(sandbox);
    const individual = JSON.parse(JSON.stringify(await sandbox.export())) as Awaited<
      ReturnType<Sandbox["export"]>
    >;
    assert.deepEqual(individual.processes, { supervisor: "main", checkpoint: "message" });
    assert.equal(individual.restart?.max, 7);
    await using other = await runtime.import(individual, { id: "imported" });
    assert.equal(await add(other), 5);
    assert.deepEqual(await get(sandbox), { count: 4 });
    await killCellOf(runtime, other);
    assert.equal(await add(other), 6);
    const forged = { ...individual, state: { servers: [], children: [] } };
    await refusalOf(runtime.import(forged, { id: "forged" }), "INVALID_INDIVIDUAL");
  });

  test("fork begins anew, or with the parent's states where it is asked to; both live on by themselves", async () => {
    await using parent = await create(counter());
    for (let n = 0; n < 4; n++) await add(parent);
    await using fresh = await runtime.fork(parent.id);
    await using child = await runtime.fork(parent.id, { state: true, modules: { main: counter(2) } });
    assert.deepEqual([await get(fresh), await get(child)], [{ count: 0 }, { count: 4 }]);
    assert.equal(valueOf(await child.call("main.code")), 2);
    await add(child);
    assert.deepEqual([await get(parent), await get(child)], [{ count: 4 }, { count: 5 }]);
    await refusalOf(runtime.fork(parent.id, { state: "yes" as unknown as boolean }), "INVALID_OPTIONS");
  });

  test("a runtime on the same store begins with what was kept", async () => {
    const store = new MemoryStore();
    const options = { store, cells: { count: 1, spare: 0 } };
    const first = await createRuntime(options);
    const sandbox = await create(counter(), { checkpoint: "message" }, first);
    const id = sandbox.id;
    for (let n = 0; n < 4; n++) await add(sandbox);
    await first.close();
    await using second = await createRuntime(options);
    assert.equal(await add(await second.get(id)), 5);
  });

  test("suspended processes stand still, and can be captured and exported", async () => {
    const ticking = `
      import { sendAfter, server, supervisor } from "vivarium/guest";
      const Clock = server({ name: "clock", init(args, self) { sendAfter(1, self, "tick"); return { self: 0, ticks: 0 }; },
        handleCall: (message, state) => ({ reply: state, state }),
        handleInfo(message, state) { sendAfter(1, "counter", "tick"); return { state: { ticks: state.ticks + 1 } }; } });
      export default supervisor({ children: [{ id: "counter", start: Clock }] });`;
    await using sandbox = await create(ticking);
    const ticks = async (): Promise<number> => ((await get(sandbox)) as { ticks: number }).ticks;
    await until("it ticks", async () => (await ticks()) > 2);
    await sandbox.suspend();
    const first = await sandbox.captureState();
    assert.deepEqual(await sandbox.captureState(), first);
    assert.deepEqual((await sandbox.export()).state, first);
    await sandbox.resume();
    const now = await ticks();
    await until("it ticks again", async () => (await ticks()) > now);
  });
});

test("wrong settings of processes are refused with the rule", async () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ checkpoint: "always" }, /"message" or \{ everyMs \}/],
    [{ checkpoint: { everyMs: 1 } }, /everyMs/],
    [{ checkpoint: { every: 100 } }, /every/],
    [{ restart: { on: ["whim"] } }, /restart\.on .* must be a list of crashed/],
    [{ restart: { max: 0 } }, /restart\.max/],
    [{ restart: { windowMs: -1 } }, /restart\.windowMs/],
    [{ restart: 3 }, /restart/],
  ];
  for (const [spec, message] of wrong) {
    const error = await refusalOf(create(counter(), spec), "INVALID_OPTIONS");
    assert.match((error as LoadError).message, message);
  }
});
