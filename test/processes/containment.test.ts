// A process that never ends, floods, spawns or leaks is stopped by its limit and restarted by its supervisor, while those
// beside it continue to answer; a tree that gives up ends its sandbox, with the first cause.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { EventMap, Runtime, Sandbox, SandboxSpec } from "../../src/index.ts";
import { assertFailed, failureOf, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime({ cells: { spare: 1 } });

const main = `
import { cast, processInfo, send, server, spawn, supervisor, whereis } from "vivarium/guest";
export const Echo = server({ name: "echo", init: () => ({ said: 0 }), handleCall: (message, state) =>
  ({ reply: [message, state.said + 1], state: { said: state.said + 1 } }) });
const acts = {
  spin() { while (true); },
  async spinLater() { await null; while (true); },
  async never() { await new Promise(() => {}); },
  timer() { setTimeout(() => { while (true); }, 1); },
  timerLater() { setTimeout(async () => { await null; while (true); }, 1); },
  crash() { throw new RangeError("as it was told"); },
  flood() { for (;;) send("sink", "more"); },
  floodSelf() { for (;;) cast("culprit", "more"); },
  spawnAll() { for (;;) spawn((self) => self.receive(), { link: true }); },
  spawnLoose() { for (;;) spawn((self) => self.receive()); },
  leak() { const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length)); },
};
export const Culprit = server({
  name: "culprit",
  init: () => ({ life: Math.random(), count: 0 }),
  async handleCall(message, state) {
    await acts[message]?.();
    return { reply: state.count + 1, state: { ...state, count: state.count + 1 } };
  },
  handleCast: (message, state) => ({ state }),
});
// It never takes a message, so that they pile up.
const sink = (self) => new Promise(() => {});
export const restarts = (name) => processInfo(whereis(name)).restarts;
export default supervisor({ restartsMax: 10, children: [
  { id: "echo", start: Echo }, { id: "culprit", start: Culprit }, { id: "sink", start: sink },
] });`;

// A step that does no harm must have the time for it on a busy machine too.
const limits = { stepMs: 500, processes: 20, messageQueue: 500, memoryBytes: 32 * 2 ** 20 };

const create = (spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main }, supervisor: "main", limits, ...spec });

/** All events of one name about one sandbox, until the test is over. */
function heard<N extends "process.exited" | "process.restarted" | "sandbox.killed" | "sandbox.failed">(
  name: N,
  sandbox: Sandbox,
  from: Runtime = runtime,
): EventMap[N][] {
  const events: EventMap[N][] = [];
  from.events.on(name, (event) => {
    if (event.sandboxId === sandbox.id) events.push(event);
  });
  return events;
}

/** Asks the sibling again and again; every answer must come, and each be one more than the last. */
function keepAsking(sandbox: Sandbox): { stop(): Promise<number> } {
  const over = new AbortController();
  const asking = (async () => {
    let asked = 0;
    while (!over.signal.aborted) {
      asked++;
      assert.deepEqual(valueOf(await sandbox.ask("echo", asked)), [asked, asked]);
    }
    return asked;
  })();
  return {
    stop: () => {
      over.abort();
      return asking;
    },
  };
}

suite("a failing process beside a sibling that continues to answer", () => {
  for (const [act, kind, limit] of [
    ["spin", "timeout", "stepMs"],
    ["spinLater", "timeout", "stepMs"],
    ["spawnAll", "process-limit", "processes"],
    ["floodSelf", "queue-overflow", "messageQueue"],
    ["crash", "crashed", undefined],
  ] as const) {
    test(`${act} ends with ${kind}, and the process is restarted`, async () => {
      await using sandbox = await create();
      const exits = heard("process.exited", sandbox);
      const restarts = heard("process.restarted", sandbox);
      assert.equal(valueOf(await sandbox.ask("culprit", "")), 1);
      const sibling = keepAsking(sandbox);
      const outcome = await sandbox.ask("culprit", act);
      assertFailed(outcome, kind, limit);
      await until("it was restarted", () => restarts.length > 0);
      assert.equal(valueOf(await sandbox.ask("culprit", "")), 1);
      assert.ok((await sibling.stop()) > 0);
      assert.equal(exits.find(({ name }) => name === "culprit")?.path, "culprit");
      const [restart] = restarts;
      assert.deepEqual([restart?.name, restart?.path, restart?.restarts], ["culprit", "culprit", 1]);
      assert.equal(valueOf(await sandbox.call("main.restarts", { args: ["culprit"] })), 1);
      const { status, rebuilds } = await sandbox.info();
      assert.deepEqual({ status, rebuilds }, { status: "running", rebuilds: 0 });
    });
  }

  test("a crash is reported with its stack in the guest's own lines", async () => {
    await using sandbox = await create();
    const { thrown } = failureOf(await sandbox.ask("culprit", "crash"));
    assert.deepEqual([thrown?.name, thrown?.message], ["RangeError", "as it was told"]);
    assert.match(thrown?.stack ?? "", /at Object\.crash \(main:11:\d+\)/);
  });

  test("a process whose mailbox is flooded ends; the sender continues when the process has exited", async () => {
    await using sandbox = await create();
    const killed = heard("sandbox.killed", sandbox);
    const exits = heard("process.exited", sandbox);
    const sibling = keepAsking(sandbox);
    // The name is free for a moment after the first overflow: sending to it is a mistake.
    assertFailed(await sandbox.ask("culprit", "flood"), "crashed");
    await until("the sink has ended", () => exits.some(({ name }) => name === "sink"));
    assert.equal(exits.find(({ name }) => name === "sink")?.reason, "overflow");
    assert.deepEqual(
      killed.map(({ reason }) => reason),
      ["queue"],
    );
    assert.ok((await sibling.stop()) > 0);
  });

  test("what spawns without end and without links leaves its processes behind, and no more can be started", async () => {
    await using sandbox = await create();
    const killed = heard("sandbox.killed", sandbox);
    const sibling = keepAsking(sandbox);
    assertFailed(await sandbox.ask("culprit", "spawnLoose"), "process-limit", "processes");
    assert.ok((await sibling.stop()) > 0);
    assert.deepEqual([...new Set(killed.map(({ reason }) => reason))], ["processes"]);
    const usage = await sandbox.usage();
    assert.ok(usage.processesMax === limits.processes, `${usage.processesMax} processes`);
  });

  test("a handler that never answers costs its callers their time, and affects no others", async () => {
    await using sandbox = await create();
    const sibling = keepAsking(sandbox);
    assertFailed(await sandbox.ask("culprit", "never", { timeoutMs: 400 }), "timeout", "timeoutMs");
    assert.ok((await sibling.stop()) > 0);
  });

  test("an ask whose time is over, or that is cancelled, ends no process", async () => {
    await using sandbox = await create();
    await sandbox.ask("echo", 1);
    assertFailed(await sandbox.ask("culprit", "never", { timeoutMs: 400 }), "timeout", "timeoutMs");
    const stop = new AbortController();
    const asked = sandbox.ask("culprit", "", { signal: stop.signal });
    stop.abort();
    assertFailed(await asked, "cancelled");
    assert.deepEqual(valueOf(await sandbox.ask("echo", 2)), [2, 2]);
    assert.equal((await sandbox.info()).rebuilds, 0);
  });

  for (const act of ["timer", "timerLater"]) {
    test(`a process whose timer never ends (${act}) is cut and restarted`, async () => {
      await using sandbox = await create();
      const restarts = heard("process.restarted", sandbox);
      const sibling = keepAsking(sandbox);
      assert.equal(valueOf(await sandbox.ask("culprit", act)), 1);
      await until("it was restarted", () => restarts.length > 0);
      assert.equal(valueOf(await sandbox.ask("culprit", "")), 1);
      assert.ok((await sibling.stop()) > 0);
      assert.equal((await sandbox.info()).rebuilds, 0);
    });
  }
});

test("a process that leaks costs its sandbox the isolate: it is rebuilt from its checkpoint, others unharmed", async () => {
  await using sandbox = await create({ limits: { ...limits, stepMs: 120_000 } });
  await using other = await create();
  for (let n = 1; n <= 3; n++) assert.equal(valueOf(await sandbox.ask("culprit", "")), n);
  await sandbox.ask("echo", "x");
  await sandbox.checkpoint();
  await sandbox.ask("culprit", "");
  const sibling = keepAsking(other);
  assertFailed(await sandbox.ask("culprit", "leak", { timeoutMs: 110_000 }), "memory", "memoryBytes");
  assert.equal(valueOf(await sandbox.ask("culprit", "")), 4);
  assert.deepEqual(valueOf(await sandbox.ask("echo", "y")), ["y", 2]);
  assert.equal((await sandbox.info()).rebuilds, 1);
  assert.ok((await sibling.stop()) > 0);
  assert.equal((await other.info()).rebuilds, 0);
});

const tree = (extra = ""): string => `
import { server, supervisor } from "vivarium/guest";
const Leaf = server({ name: "leaf", init: () => 0, handleCall(message, state) {
  if (message === "crash") throw new RangeError("rotten");
  return { reply: state + 1, state: state + 1 };
} });
const branch = (name, start, restartsMax) => supervisor({ name, restartsMax, windowMs: 60_000, children: [{ id: name + "-child", start, name: name === "twig" ? "leaf" : null }] });
export default branch("root", branch("bough", branch("twig", Leaf, 1), 1), 0);
${extra}`;

async function crashUntilFailed(sandbox: Sandbox): Promise<void> {
  await until("the sandbox has failed", async () => {
    await sandbox.ask("leaf", "crash");
    return (await sandbox.info()).status === "failed";
  });
}

suite("a tree that gives up", () => {
  test("marks the sandbox failed, with the whole chain of reasons", async () => {
    await using sandbox = await runtime.create({ modules: { main: tree() }, supervisor: "main" });
    const failures = heard("sandbox.failed", sandbox);
    await crashUntilFailed(sandbox);
    const { reason, lastError } = await sandbox.info();
    const chain =
      'main#root gave up after more than 0 restarts within 60000 ms, as "root-child" ended: ' +
      'main#bough gave up after more than 1 restarts within 60000 ms, as "bough-child" ended: ' +
      'main#twig gave up after more than 1 restarts within 60000 ms, as "twig-child" ended: RangeError: rotten';
    assert.ok(reason?.endsWith(chain), reason ?? "");
    assert.equal(lastError?.failure?.kind, "crashed");
    assert.equal(failures.length, 1);
    assertFailed(await sandbox.ask("leaf", ""), "not-running");
    await sandbox.restart();
    assert.equal(valueOf(await sandbox.ask("leaf", "")), 1);
  });

  test("is restarted automatically where its sandbox has a restart rule, from its checkpoint, and no more often than it may", async () => {
    const spec = { modules: { main: tree() }, supervisor: "main", restart: { max: 2, windowMs: 600_000 } };
    await using sandbox = await runtime.create(spec);
    for (let n = 0; n < 5; n++) await sandbox.ask("leaf", "");
    await sandbox.checkpoint();
    const failures = heard("sandbox.failed", sandbox);
    for (let life = 1; life <= 2; life++) {
      await until("it has failed and runs again", async () => {
        if (failures.length < life) await sandbox.ask("leaf", "crash");
        return failures.length === life && (await sandbox.info()).status === "running";
      });
      assert.equal(valueOf(await sandbox.ask("leaf", "")), 6);
      assert.equal((await sandbox.info()).restarts, life);
    }
    await crashUntilFailed(sandbox);
    assert.deepEqual([failures.length, (await sandbox.info()).restarts], [3, 2]);
  });

  test("is not restarted for a reason that its sandbox did not name", async () => {
    const spec = { modules: { main: tree() }, supervisor: "main", restart: { on: ["memory" as const] } };
    await using sandbox = await runtime.create(spec);
    await crashUntilFailed(sandbox);
    assert.equal((await sandbox.info()).restarts, 0);
  });
});
