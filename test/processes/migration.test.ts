// The states of servers: checked against their schema, migrated forwards and back, and tried out beforehand.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { EventMap, Sandbox, SandboxSpec } from "../../src/index.ts";
import { valueOf } from "../support/outcomes.ts";
import { migrationStep, schemed } from "../support/process-guests.ts";
import { refusalOf } from "../support/reloading.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime({ cells: { spare: 1 } });

const create = (main: string, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main }, supervisor: "main", ...spec });

const get = async (sandbox: Sandbox, name = "counter"): Promise<unknown> =>
  valueOf(await sandbox.ask(name, "get"));

suite("schemas", () => {
  test("fill in defaults, and report all problems at once", async () => {
    const fields = `count: { type: "number", check: (n) => n >= 0 || "must not be negative" },
      label: { type: "string", default: "none" }, list: { type: "array" }, note: { type: "string", optional: true }`;
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
    test(`the type ${type} admits its own values and nothing else`, async () => {
      const fields = `x: { type: "${type}" }`;
      await using sandbox = await create(schemed(1, { fields, init: `{ x: ${good} }` }));
      assert.ok((await sandbox.info()).status === "running");
      const wrong = schemed(1, { fields, init: bad === undefined ? "{}" : `{ x: ${bad} }` });
      await refusalOf(create(wrong), "LOAD_FAILED");
    });
  }
});

const toTwo = migrationStep("from: 1, to: 2", "{ total: state.count }", "{ count: state.total }");
const toThree = migrationStep(
  "from: 2, to: 3",
  "{ total: state.total, log: ['2→3'] }",
  "{ total: state.total }",
);
const direct = migrationStep("from: 1, to: 3", "{ total: state.count, log: ['1→3'] }");

suite("migrations", () => {
  for (const [what, more, rule] of [
    ["a schema without fields", "schema: { version: 1 },", /schema must be/],
    ["a schema without a version", "schema: { fields: {} },", /schema must be/],
    ["migrations that are no list", "migrations: {},", /must be a list/],
    ["a migration without up", "migrations: [{ from: 1, to: 2 }],", /number 1 is not/],
    ["a migration that is nothing", "migrations: [null],", /number 1 is not/],
    [
      "a way back that is no function",
      "migrations: [{ from: 1, to: 2, up: (s) => s, down: 1 }],",
      /number 1/,
    ],
  ] as const) {
    test(`${what} is refused when the server is defined`, async () => {
      const error = await refusalOf(create(schemed(1, { more })), "LOAD_FAILED");
      assert.match(error.message, rule);
    });
  }

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

  test("may be asynchronous, and are emitted as an event", async () => {
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
    // The same schema, other code: nothing is migrated, no event is emitted.
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

  test("that cannot go back down make a rollback fail", async () => {
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

  test("emit nothing", async () => {
    await using sandbox = await create(schemed(1));
    await sandbox.ask("counter", { count: 5 });
    const heard: string[] = [];
    const unlisten = runtime.events.onAny(({ name, event }) => {
      if ("sandboxId" in event) heard.push(`${name} ${event.sandboxId}`);
    });
    await sandbox.hotReload({ main: change }, { dryRun: true });
    unlisten();
    assert.deepEqual(heard, []);
  });

  test("report which states would not fit, and why; the reload itself is then refused with the same message", async () => {
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
