// processes: how many may run at a time. One more is refused, however it is started.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { KilledReason, LoadError, Sandbox, SandboxSpec } from "../../src/index.ts";
import { errorOf, mistakeOf } from "../support/errors.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();

const source = `
import { exit, server, spawn, start, supervisor, startChild } from "vivarium/guest";
const idle = (self) => self.receive();
const Idle = server({ name: "idle", init: () => 0 });
const kept = [];
export function spawnMany(count) { for (let i = 0; i < count; i++) kept.push(spawn(idle)); return kept.length; }
export const endOne = () => exit(kept.pop(), "kill");
export const startOne = async () => { await start(Idle); };
export const addOne = async (id) => { await startChild("pool", { id, start: Idle }); };
export function caught(count) {
  const names = new Set();
  for (let i = 0; i < count; i++) { try { spawn(idle); } catch (error) { names.add(error.name + ": " + error.message); } }
  return [...names];
}
const Spawner = server({ name: "spawner", init: () => 0, handleCall: (count, state) => ({ reply: spawnMany(count), state }) });
const Pool = supervisor({ name: "pool", children: [] });
export default supervisor({ children: [{ id: "pool", start: Pool }, { id: "spawner", start: Spawner }] });`;
/** The root, the pool and the spawner. */
const own = 3;

const create = (processes: number, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main: source }, supervisor: "main", limits: { processes }, ...spec });

const spawnMany = (sandbox: Sandbox, count: number): ReturnType<Sandbox["call"]> =>
  sandbox.call("main.spawnMany", { args: [count] });

function kills(sandbox: Sandbox): { readonly reasons: KilledReason[]; readonly stop: () => void } {
  const reasons: KilledReason[] = [];
  const stop = runtime.events.on("sandbox.killed", ({ sandboxId, reason }) => {
    if (sandboxId === sandbox.id) reasons.push(reason);
  });
  return { reasons, stop };
}

test("as many processes as the limit can run, and no limit is reported", async () => {
  await using sandbox = await create(20);
  const { reasons, stop } = kills(sandbox);
  assert.equal(valueOf(await spawnMany(sandbox, 20 - own)), 20 - own);
  const { processes, processesMax } = await sandbox.usage();
  stop();
  assert.deepEqual({ processes, processesMax, reasons }, { processes: 20, processesMax: 20, reasons: [] });
});

suite("one process too many", () => {
  for (const [how, count] of [
    ["just over", 20 - own + 1],
    ["far over", 1e9],
  ] as const) {
    test(`${how}: a run that spawns it ends with process-limit, and the other processes go on`, async () => {
      await using sandbox = await create(20);
      const { reasons, stop } = kills(sandbox);
      assertFailed(await spawnMany(sandbox, count), "process-limit", "processes");
      assertFailed(await spawnMany(sandbox, count), "process-limit", "processes");
      assert.equal((await sandbox.usage()).processes, 20);
      stop();
      // Reported once, until one of them has ended.
      assert.deepEqual(reasons, ["processes"]);
      await sandbox.call("main.endOne");
      assert.equal(valueOf(await spawnMany(sandbox, 1)), 20 - own);
    });
  }

  test("a server that spawns it crashes, and its caller gets process-limit", async () => {
    await using sandbox = await create(20);
    assertFailed(await sandbox.ask("spawner", 100), "process-limit", "processes");
    await sandbox.call("main.endOne");
    assert.equal((await sandbox.info()).status, "running");
  });

  test("start and startChild are refused as spawn is", async () => {
    await using sandbox = await create(own + 1);
    valueOf(await sandbox.call("main.addOne", { args: ["a"] }));
    assertFailed(await sandbox.call("main.startOne"), "process-limit", "processes");
    assertFailed(await sandbox.call("main.addOne", { args: ["b"] }), "process-limit", "processes");
    assert.equal((await sandbox.usage()).processes, own + 1);
  });

  test("a guest that catches the refusal reads what was refused, and gets no process by trying again", async () => {
    await using sandbox = await create(10);
    assert.deepEqual(valueOf(await sandbox.call("main.caught", { args: [10_000] })), [
      "ProcessLimitReached: Cannot start a process as the sandbox may have at most 10: it has as many",
    ]);
    assert.equal((await sandbox.usage()).processesMax, 10);
  });

  test("a sandbox whose tree is larger than the limit cannot be created", async () => {
    const error = (await errorOf(() => create(own - 1), "LOAD_FAILED")) as LoadError;
    assert.deepEqual([error.failure?.kind, error.failure?.limit], ["process-limit", "processes"]);
  });
});

test("the limit can be changed while the sandbox is running", async () => {
  await using sandbox = await create(10);
  assertFailed(await spawnMany(sandbox, 10), "process-limit", "processes");
  await sandbox.updateLimits({ processes: 15 });
  assert.equal(valueOf(await spawnMany(sandbox, 5)), 15 - own);
  await sandbox.updateLimits({ processes: 5 });
  assertFailed(await spawnMany(sandbox, 1), "process-limit", "processes");
  assert.equal((await sandbox.usage()).processes, 15);
});

test("ten thousand processes fit into a sandbox that may have them", async () => {
  await using sandbox = await create(10_000);
  assert.equal(valueOf(await spawnMany(sandbox, 10_000 - own)), 10_000 - own);
  assertFailed(await spawnMany(sandbox, 1), "process-limit", "processes");
});

for (const value of [0, 10_001, 1.5, null, "9"]) {
  test(`processes: ${JSON.stringify(value)} is refused`, async () => {
    await mistakeOf(() => create(value as number), "INVALID_LIMITS");
  });
}
