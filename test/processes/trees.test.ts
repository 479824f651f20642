// Trees of processes: how they are described, children that are added and removed, starts and stops in order.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ProcessView, Sandbox, SandboxSpec } from "../../src/index.ts";
import { assertFailed, failureOf, valueOf } from "../support/outcomes.ts";
import { processImports } from "../support/process-guests.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();

const create = (source: string, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main: processImports + source }, ...spec });

suite("descriptions", () => {
  const tree = `
    const Worker = server({ init: () => 0, handleCall: (message, state) => ({ reply: state + 1, state: state + 1 }) });
    const Inner = supervisor({ name: "inner", strategy: "one-for-all", children: [{ id: "w1", start: Worker }, { id: "w2", start: Worker, name: "second" }] });
    export const info = (name) => processInfo(whereis(name));
    export const loose = () => { spawn((self) => self.receive(), { name: "loose" }); };
    export default supervisor({ children: [{ id: "inner", start: Inner }, { id: "last", start: Worker, name: null }] });`;

  test("processes() gives the tree, with paths, queues and restarts, and those outside of it", async () => {
    await using sandbox = await create(tree, { supervisor: "main" });
    await sandbox.call("main.loose");
    await sandbox.ask("second", "");
    const shortly = ({ name, kind, path, messages, children }: ProcessView): unknown =>
      children.length > 0 ? [kind, name, path, children.map(shortly)] : [kind, name, path, messages];
    assert.deepEqual((await sandbox.processes()).map(shortly), [
      [
        "supervisor",
        null,
        "",
        [
          [
            "supervisor",
            "inner",
            "inner",
            [
              ["server", "w1", "inner/w1", 0],
              ["server", "second", "inner/w2", 1],
            ],
          ],
          ["server", null, "last", 0],
        ],
      ],
      ["process", "loose", null, 0],
    ]);
  });

  test("processInfo describes one process: its links by number, its queue, its messages", async () => {
    await using sandbox = await create(tree, { supervisor: "main" });
    await sandbox.ask("second", "");
    const { pid, links, ...rest } = valueOf(
      await sandbox.call<ProcessView>("main.info", { args: ["second"] }),
    );
    const inner = valueOf(await sandbox.call<ProcessView>("main.info", { args: ["inner"] }));
    assert.ok(links.includes(inner.pid) && inner.links.includes(pid));
    assert.equal(inner.trappingExits, true);
    assert.deepEqual(rest, {
      name: "second",
      kind: "server",
      status: "idle",
      queueLength: 0,
      queueMax: 1,
      messages: 1,
      restarts: 0,
      trappingExits: false,
    });
  });

  test("usage has the present and greatest number of processes, and the longest queue", async () => {
    await using sandbox = await create(tree, { supervisor: "main" });
    await sandbox.call("main.loose");
    const { processes, processesMax, queueMax } = await sandbox.usage();
    assert.deepEqual({ processes, processesMax, queueMax }, { processes: 6, processesMax: 6, queueMax: 0 });
    const { usage } = await sandbox.ask("second", "");
    assert.equal(usage.processes, 6);
  });

  test("an unregistered name is not found, and a sandbox without processes has its own error", async () => {
    await using sandbox = await create(tree, { supervisor: "main" });
    assertFailed(await sandbox.ask("nobody", ""), "not-found");
    assertFailed(await sandbox.send("nobody", ""), "not-found");
    assert.match(failureOf(await sandbox.ask("nobody", "")).message, /"nobody"/);
    await using bare = await runtime.create({ modules: { main: "export const f = 1;" } });
    await assert.rejects(bare.ask("x", ""), { code: "INVALID_OPTIONS" });
    assert.deepEqual(await bare.processes(), []);
  });
});

suite("children that come and go", () => {
  const dynamic = `
    const Worker = server({ init: (args) => args, handleCall: (message, state) => ({ reply: state, state }) });
    export const add = async (id) => { await startChild("pool", { id, start: Worker, args: id + "!" }); };
    export const stop = (id) => stopChild("pool", id);
    export const again = async (id) => { await restartChild("pool", id); };
    export const remove = (id) => deleteChild("pool", id);
    export const list = async () => (await children("pool")).map(({ id, pid, dynamic }) => [id, pid !== null, dynamic]);
    export default supervisor({ children: [{ id: "pool", start: supervisor({ name: "pool", children: [] }) }] });`;

  test("are started, stopped, restarted and deleted by hand", async () => {
    await using sandbox = await create(dynamic, {
      supervisor: "main",
    });
    const call = async (name: string, ...args: unknown[]): Promise<unknown> =>
      valueOf(await sandbox.call(`main.${name}`, { args }));
    await call("add", "a");
    await call("add", "b");
    assert.equal(valueOf(await sandbox.ask("a", "")), "a!");
    assertFailed(await sandbox.call("main.add", { args: ["a"] }), "crashed");
    assertFailed(await sandbox.call("main.remove", { args: ["a"] }), "crashed");
    assert.equal(await call("stop", "a"), true);
    assert.deepEqual(await call("list"), [
      ["a", false, true],
      ["b", true, true],
    ]);
    await call("again", "a");
    assert.equal(valueOf(await sandbox.ask("a", "")), "a!");
    await call("stop", "a");
    await call("remove", "a");
    assert.deepEqual(await call("list"), [["b", true, true]]);
  });

  test("are restored with their states and arguments from a checkpoint", async () => {
    const source = dynamic;
    await using sandbox = await create(source, { supervisor: "main" });
    await sandbox.call("main.add", { args: ["a"] });
    await sandbox.checkpoint();
    await sandbox.restart();
    assert.equal(valueOf(await sandbox.ask("a", "")), "a!");
    assert.deepEqual(valueOf(await sandbox.call("main.list")), [["a", true, true]]);
  });
});

suite("beginnings and ends", () => {
  const logged = `
    const log = [];
    export const events = () => log.splice(0);
    const Worker = server({
      init: (id) => { log.push("+" + id); return id; },
      handleCall: (message, state) => ({ reply: state, state, stop: message }),
      terminate: (reason, id) => { log.push("-" + id); if (id === "c") return pause(60_000); },
    });
    const child = (id, more) => ({ id, start: Worker, args: id, ...more });
    export const stop = (id) => stopChild("inner", id);
    export default supervisor({ children: [{ id: "inner", start: supervisor({ name: "inner", strategy: "one-for-all", children: [
      child("a"), child("b"), child("c", { shutdownMs: 20 }), child("d", { shutdownMs: 0 }),
    ] }) }] });`;

  test("children start in order and end in reverse; one that takes too long is killed, one with no time at once", async () => {
    await using sandbox = await create(logged, { supervisor: "main" });
    assert.deepEqual(valueOf(await sandbox.call("main.events")), ["+a", "+b", "+c", "+d"]);
    await sandbox.ask("a", "shutdown");
    const events: unknown[] = [];
    while (events.length < 7) events.push(...(valueOf(await sandbox.call("main.events")) as unknown[]));
    assert.deepEqual(events, ["-a", "-c", "-b", "+a", "+b", "+c", "+d"]);
  });

  test("an init that never comes to its end is given up after loadMs, and its supervisor goes on", async () => {
    await using sandbox = await create(
      `let life = 0;
       const Slow = server({ init: () => life++ === 1 ? new Promise(() => {}) : life, handleCall: (message, state) => ({ reply: state, state, stop: message }) });
       export default supervisor({ children: [{ id: "slow", start: Slow }] });`,
      { supervisor: "main", limits: { loadMs: 1_000 } },
    );
    assert.equal(valueOf(await sandbox.ask("slow", "crash")), 1);
    let outcome = await sandbox.ask("slow", undefined);
    while (!outcome.ok) outcome = await sandbox.ask("slow", undefined);
    assert.equal(outcome.value, 3);
  });

  test("an init that throws prevents the creation of the sandbox, with its reason", async () => {
    await assert.rejects(
      create(
        `export default supervisor({ children: [{ id: "x", start: server({ init() { throw new RangeError("no beginning"); } }) }] });`,
        { supervisor: "main" },
      ),
      { code: "LOAD_FAILED", message: /no beginning/ },
    );
  });

  test("two children of one name: the second is not started, and leaves nothing behind", async () => {
    await using sandbox = await create(
      `const Worker = server({ init: () => 0, handleCall: (message, state) => ({ reply: 1, state }) });
       export const add = (name) => startChild("pool", { id: "other", start: Worker, name }).then(() => "up", (error) => error.message);
       export default supervisor({ children: [{ id: "pool", start: supervisor({ name: "pool", children: [{ id: "it", start: Worker }] }) }] });`,
      { supervisor: "main" },
    );
    assert.match(
      valueOf(await sandbox.call<string>("main.add", { args: ["it"] })),
      /another process has this name/,
    );
    assert.equal((await sandbox.usage()).processes, 3);
    assert.equal(valueOf(await sandbox.call("main.add", { args: ["free"] })), "up");
  });
});

suite("definitions", () => {
  const cases = {
    "supervisor({ maxRestarts: 0, children: [] })":
      /Cannot define a supervisor as its options must be among name, strategy, restartsMax, windowMs, children: got "maxRestarts"/,
    'supervisor({ children: [{ id: "a", start: () => {}, restarts: "temporary" }] })':
      /Cannot use child "a" as its options must be among id, start, args, name, restart, restartFrom, shutdownMs: got "restarts"/,
    'supervisor({ restartsMax: "3", children: [] })':
      /Cannot define a supervisor as restartsMax and windowMs must be whole numbers from 0/,
    'server({ init: () => ({}), schema: { version: 1, fields: { z: { type: "number", isOptional: true } } } })':
      /Cannot define a server: field "z" cannot be used as its options must be among type, default, optional, check: got "isOptional"/,
    'server({ init: () => ({}), schema: { version: 1, fields: { z: { type: "int" } } } })':
      /Cannot define a server: field "z" cannot be used as its type must be one of string, number, boolean, .*: got "int"/,
  };
  for (const [definition, message] of Object.entries(cases))
    test(`${definition} is refused, as it has an option or a type that does not exist`, async () => {
      await assert.rejects(create(`export default ${definition};`, { supervisor: "main" }), message);
    });
});
