// The state of a restarted server: what init gives, or the state that its last finished message
// left.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Sandbox, SandboxSpec, StateCapture } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { processImports, schemed } from "../support/process-guests.ts";
import { killCellOf, refusalOf } from "../support/reloading.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime({ cells: { spare: 1 } });

const create = (main: string, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main }, supervisor: "main", ...spec });

// It changes its state in place, and again in terminate: neither is visible where the message was not finished.
const counter = (n = 1): string => `${processImports}
const make = (name) => server({
  name,
  init: () => ({ n: 0 }),
  handleCall(message, state) {
    if (message === "get") return { reply: state.n, state };
    state.n++;
    if (message === "throw") throw new Error("broken");
    if (message === "spin") for (;;);
    if (message === "flood") for (let i = 0; i < 100; i++) send(name, i);
    if (message === "kill") exit(name, "kill");
    if (message === "no data") return { reply: 0, state: { n: () => 1 } };
    return { reply: state.n * ${n}, state: { n: state.n }, ...(message === "stop" ? { stop: "normal" } : {}) };
  },
  terminate(reason, state) { state.n = -1; },
});
const C = make("c");
const D = make("d");
const E = make("e");
`;

const kept = `${counter()}
export default supervisor({ children: [{ id: "c", start: C, restartFrom: "last" }, { id: "d", start: D }] });`;

const add = async (sandbox: Sandbox, name = "c"): Promise<unknown> => valueOf(await sandbox.ask(name, "add"));

// Its supervisor may still be restarting it.
const get = (sandbox: Sandbox, name = "c"): Promise<unknown> =>
  until(`${name} is there`, async () => {
    const outcome = await sandbox.ask(name, "get");
    return outcome.ok ? { value: outcome.value } : undefined;
  }).then(({ value }) => value);

suite("a server that is restarted", () => {
  for (const checkpoint of [null, "message", { everyMs: 60_000 }] as const) {
    test(`continues from its last state where it is configured so, and from init otherwise; checkpoint ${JSON.stringify(checkpoint)}`, async () => {
      await using sandbox = await create(kept, { checkpoint });
      for (const name of ["c", "d"]) {
        assert.deepEqual(
          [await add(sandbox, name), await add(sandbox, name), await add(sandbox, name)],
          [1, 2, 3],
        );
        const outcome = await sandbox.ask(name, "throw");
        assertFailed(outcome, "crashed");
      }
      assert.deepEqual([await get(sandbox, "c"), await get(sandbox, "d")], [3, 0]);
      assert.deepEqual([await add(sandbox, "c"), await add(sandbox, "d")], [4, 1]);
    });
  }

  for (const [message, kind, limit] of [
    ["spin", "timeout", "stepMs"],
    ["flood", "queue-overflow", "messageQueue"],
    ["kill", "crashed", undefined],
    ["no data", "crashed", undefined],
  ] as const) {
    test(`continues from its last state however it exited: ${message}`, async () => {
      await using sandbox = await create(kept, { limits: { messageQueue: 50 } });
      await add(sandbox);
      await add(sandbox);
      assertFailed(await sandbox.ask("c", message), kind, limit);
      assert.equal(await get(sandbox), 2);
    });
  }

  test("continues from the state with which it stopped by itself", async () => {
    await using sandbox = await create(kept);
    await add(sandbox);
    assert.equal(valueOf(await sandbox.ask("c", "stop")), 2);
    assert.equal(await get(sandbox), 2);
  });

  test("and whose isolate is lost after that starts from the checkpoint, which has the same state", async () => {
    await using sandbox = await create(kept, { checkpoint: "message" });
    await add(sandbox);
    await add(sandbox);
    await sandbox.ask("c", "throw");
    await killCellOf(runtime, sandbox);
    assert.equal(await get(sandbox), 2);
    assert.equal(await add(sandbox), 3);
  });

  test("repeatedly ends its supervisor as any crash does", async () => {
    await using sandbox = await create(
      kept.replace("supervisor({ children", "supervisor({ windowMs: 3_600_000, children"),
    );
    await add(sandbox);
    for (let n = 0; n < 4; n++) {
      await get(sandbox);
      await sandbox.ask("c", "throw");
    }
    await until("it has failed", async () => (await sandbox.info()).status === "failed");
    assert.match((await sandbox.info()).reason ?? "", /gave up after more than 3 restarts .* broken/);
  });

  test("with a last state that its own schema does not admit cannot start, and its supervisor gives up", async () => {
    const main = schemed(1, { fields: `count: { type: "number", check: (n) => n < 2 || "too large" }` })
      .replace(`start: Counter`, `start: Counter, restartFrom: "last"`)
      .replace("(message, state) =>", `(message, state) => message === "throw" ? null.x :`);
    await using sandbox = await create(main);
    await sandbox.ask("counter", { count: 5 });
    await sandbox.ask("counter", "throw");
    await until("it has failed", async () => (await sandbox.info()).status === "failed");
    assert.match((await sandbox.info()).reason ?? "", /count: too large/);
  });
});

suite("among others", () => {
  test("all children of one-for-all start as each of them is configured", async () => {
    const main = `${counter()}
      export default supervisor({ strategy: "one-for-all", children: [{ id: "c", start: C, restartFrom: "last" },
        { id: "d", start: D, restartFrom: "init" }, { id: "e", start: E, restartFrom: "last", shutdownMs: 0 }] });`;
    await using sandbox = await create(main);
    for (const name of ["c", "d", "e"]) for (let n = 0; n < 3; n++) await add(sandbox, name);
    await sandbox.ask("d", "throw");
    assert.deepEqual([await get(sandbox, "e"), await get(sandbox, "d"), await get(sandbox, "c")], [3, 0, 3]);
  });

  test("below a supervisor that is stopped and started by its own, states continue; below one that gave up, they start from init", async () => {
    const main = `${counter()}
      const Inner = supervisor({ name: "inner", restartsMax: 1, windowMs: 3_600_000, children: [{ id: "c", start: C, restartFrom: "last" }] });
      export default supervisor({ name: "outer", strategy: "one-for-all",
        children: [{ id: "inner", start: Inner }, { id: "d", start: D }] });`;
    await using sandbox = await create(main);
    await add(sandbox);
    await add(sandbox);
    await sandbox.ask("d", "throw");
    assert.deepEqual([await get(sandbox, "d"), await get(sandbox, "c")], [0, 2]);
    await sandbox.ask("c", "throw");
    assert.equal(await get(sandbox), 2);
    await sandbox.ask("c", "throw");
    assert.equal(await get(sandbox), 0);
  });

  test("a child that is stopped and restarted by hand continues; one that is deleted and added again starts from init", async () => {
    await using sandbox = await create(hand);
    const call = async (name: string): Promise<unknown> =>
      valueOf(await sandbox.call(`main.${name}` as "main.x"));
    await call("add");
    await add(sandbox);
    await add(sandbox);
    await call("stop");
    const { servers } = await sandbox.captureState();
    assert.ok(
      servers.some(({ path }) => path === "handler/c"),
      "what is stopped is captured too",
    );
    await call("again");
    assert.equal(await get(sandbox), 2);
    // The option is captured with the child.
    await sandbox.checkpoint();
    await sandbox.restart();
    await sandbox.ask("c", "throw");
    assert.equal(await get(sandbox), 2);
    await call("remove");
    await call("add");
    assert.equal(await get(sandbox), 0);
  });
});

test("a child that is deleted when it has exited is not restored by a checkpoint", async () => {
  await using sandbox = await create(hand, { checkpoint: "message" });
  await sandbox.call("main.add");
  await add(sandbox);
  await sandbox.call("main.stop");
  await sandbox.call("main.forget");
  await killCellOf(runtime, sandbox);
  assertFailed(await sandbox.ask("c", "get"), "not-found");
});

test("children of a capture without the option are restored and restarted from init", async () => {
  await using sandbox = await create(hand);
  await sandbox.call("main.add");
  await add(sandbox);
  const capture = await sandbox.captureState();
  const [child] = capture.children;
  assert.equal(child?.restartFrom, "last");
  const older = JSON.parse(JSON.stringify({ ...capture, children: [{ ...child, restartFrom: undefined }] }));
  await sandbox.restoreState(older as StateCapture);
  assert.equal(await get(sandbox), 1);
  await sandbox.ask("c", "throw");
  assert.equal(await get(sandbox), 0);
  const wrong = { ...capture, children: [{ ...child, restartFrom: "lats" }] };
  await refusalOf(sandbox.restoreState(wrong as StateCapture), "INVALID_OPTIONS");
});

const hand = `${counter()}
const CommandHandler = supervisor({ name: "handler", children: [] });
export default supervisor({ name: "root", children: [{ id: "handler", start: CommandHandler }] });
const spec = { id: "c", start: C, restartFrom: "last" };
export const add = async () => void (await startChild("handler", spec));
export const stop = async () => void (await stopChild("handler", "c"));
export const again = async () => void (await restartChild("handler", "c"));
export const forget = async () => void (await deleteChild("handler", "c"));
export const remove = async () => { await stopChild("handler", "c"); await deleteChild("handler", "c"); };`;

suite("in a reload", () => {
  const reloaded = (n: number): string => `${counter(n)}
    const CommandHandler = supervisor({ name: "handler", children: [{ id: "c", start: C, restartFrom: "last" }] });
    export default supervisor({ name: "root", children: [{ id: "handler", start: CommandHandler }] });
    export const stop = async () => void (await stopChild("handler", "c"));
    export const again = async () => void (await restartChild("handler", "c"));`;

  test("the last state is the migrated one", async () => {
    await using sandbox = await create(reloaded(1));
    await add(sandbox);
    await sandbox.hotReload({ main: reloaded(10) }, { migrate: () => ({ n: 7 }) });
    await sandbox.ask("c", "throw");
    assert.equal(await get(sandbox), 7);
    assert.equal(await add(sandbox), 80);
  });

  test("one that is undone leaves the last state of a stopped server; one that is committed makes it start from init", async () => {
    await using sandbox = await create(reloaded(1));
    await add(sandbox);
    await sandbox.call("main.stop");
    await refusalOf(sandbox.hotReload({ main: reloaded(10) }, { verify: () => false }), "VERIFY_FAILED");
    await sandbox.call("main.again");
    assert.equal(await get(sandbox), 1);
    await sandbox.call("main.stop");
    await sandbox.hotReload({ main: reloaded(10) });
    await sandbox.call("main.again");
    assert.equal(await get(sandbox), 0);
  });

  test("one that is committed leaves no old state in the checkpoint, of a stopped server either", async () => {
    await using sandbox = await create(reloaded(1), { checkpoint: "message" });
    await add(sandbox);
    await sandbox.call("main.stop");
    await sandbox.hotReload({ main: reloaded(10) });
    await killCellOf(runtime, sandbox);
    assert.equal(await get(sandbox), 0);
  });
});

test("an unknown option, or one that is not for servers, is refused with the rule", async () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    [`start: C, restartFrom: "lats"`, /child "x" as restartFrom must be init or last: got "lats"/],
    [`start: C, restartFrom: null`, /child "x" as restartFrom must be init or last: got object/],
    [
      `start: supervisor({ name: "s", children: [] }), restartFrom: "last"`,
      /must be init where it is no server/,
    ],
    [`start: async () => {}, restartFrom: "last"`, /must be init where it is no server/],
  ];
  for (const [child, rule] of wrong) {
    const main = `${counter()}\nexport default supervisor({ children: [{ id: "x", ${child} }] });`;
    assert.match((await refusalOf(create(main), "LOAD_FAILED")).message, rule);
  }
});
