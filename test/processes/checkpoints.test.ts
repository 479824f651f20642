// The states of servers, captured on demand, at an interval and after every message, and restored in other sandboxes.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FakeClock } from "../../src/testing/index.ts";
import {
  MemoryStore,
  createRuntime,
  type LoadError,
  type Runtime,
  type Sandbox,
  type SandboxSpec,
  type StateCapture,
} from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { migrationStep, schemed } from "../support/process-guests.ts";
import { killCellOf, refusalOf } from "../support/reloading.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

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

const toTwo = migrationStep("from: 1, to: 2", "{ total: state.count }", "{ count: state.total }");
const toThree = migrationStep(
  "from: 2, to: 3",
  "{ total: state.total, log: ['2→3'] }",
  "{ total: state.total }",
);

suite("checkpoints", () => {
  test("on demand: after a restart and a lost cell servers start with the captured states", async () => {
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

  test("at an interval: a state that cannot be captured is reported, and the sandbox continues", async () => {
    const broken = counter()
      .replace("{ count: 0 }", "{ count: 0, f: () => 1 }")
      .replaceAll("{ count: state.count + 1 }", "{ ...state, count: state.count + 1 }");
    await using sandbox = await create(broken, { checkpoint: { everyMs: 10 } });
    const error = await until("it is told", async () => (await sandbox.info()).lastError ?? undefined);
    assert.match(
      error.message,
      /Cannot capture the state of "counter" as it must be data: state\.f is a function/,
    );
    assert.equal(await add(sandbox), 1);
  });

  test("after every message: a state that is no data ends its server, and its caller gets an error", async () => {
    const broken = counter().replace("{ count: state.count + 1 } }", "{ count: () => 1 } }");
    await using sandbox = await create(broken, { checkpoint: "message" });
    const outcome = await sandbox.ask("counter", "add");
    assertFailed(outcome, "crashed");
    assert.match(outcome.error.message, /Cannot capture the state of "counter" as it must be data/);
    assert.deepEqual(await get(sandbox), { count: 0 });
  });

  test("a committed reload captures the states with it: a cell that is lost right after does not bring old states to new code", async () => {
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

  test("what is captured before a reload is committed is in the form of the old code", async () => {
    const growing = (version: number, migrations = ""): string =>
      `${schemed(version, { migrations })}
      import { startChild } from "vivarium/guest";
      const CommandHandler = supervisor({ name: "handler", children: [] });
      const Other = server({ name: "other", init: () => 1 });
      export const grow = async () => void (await startChild("handler", { id: "other", start: Other }));`
        .replace(`start: Counter }`, `start: Counter }, { id: "handler", start: CommandHandler }`)
        .replace("export default", "const makeRoot = () =>")
        .concat("\nexport default makeRoot();");
    await using sandbox = await create(growing(1), { checkpoint: "message" });
    await sandbox.ask("counter", { count: 5 });
    const verify = async (inside: Sandbox): Promise<boolean> => {
      // The tree has changed, and is captured as a whole.
      valueOf(await inside.call("main.grow"));
      await killCellOf(runtime, sandbox);
      return false;
    };
    await refusalOf(sandbox.hotReload({ main: growing(2, toTwo) }, { verify }), "VERIFY_FAILED");
    assert.deepEqual(await get(sandbox), { count: 5 });
  });

  test("a checkpoint of an older schema is migrated when it is restored", async () => {
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
  override saveState(...given: Parameters<MemoryStore["saveState"]>): Promise<void> {
    this.saves++;
    return super.saveState(...given);
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

  test("fork starts from init, or with the parent's states on request; both sandboxes are independent afterwards", async () => {
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

  test("a runtime on the same store starts with the stored states", async () => {
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

  test("suspended processes do nothing, and can be captured and exported", async () => {
    const ticking = `
      import { sendAfter, server, supervisor } from "vivarium/guest";
      const Clock = server({ name: "clock", init(args, self) { sendAfter(1, self, "tick"); return { self: 0, ticks: 0 }; },
        handleCall: (message, state) => ({ reply: state, state }),
        handleInfo(message, state) { sendAfter(1, "counter", "tick"); return { state: { ticks: state.ticks + 1 } }; } });
      export default supervisor({ children: [{ id: "counter", start: Clock }] });`;
    await using sandbox = await create(ticking);
    const ticks = async (): Promise<number> => ((await get(sandbox)) as { ticks: number }).ticks;
    await until("it ticks", async () => (await ticks()) > 2);
    // Again and again, as it may happen in the middle of a turn, with others waiting behind it.
    for (let round = 0; round < 20; round++) {
      await sandbox.suspend();
      const first = await sandbox.captureState();
      assert.deepEqual(await sandbox.captureState(), first);
      assert.deepEqual((await sandbox.export()).state, first);
      await sandbox.resume();
      const now = await ticks();
      await until("it ticks again", async () => (await ticks()) > now);
    }
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
