// memoryBytes, exceeded where the engine does not look: one large array is in the heap at once, and the engine looks only when
// it collects garbage. What the meters of the cell see decides, after a collection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadError, type Sandbox } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const MiB = 2 ** 20;
const runtime = await startRuntime({ cells: { spare: 1 } });

const source = `
let kept = [];
let count = 0;
export const bump = () => ++count;
const filled = (mib) => { const all = [1.5]; all.length = mib * 131_072; return all.fill(1.5); };
export const holdFilled = (mib) => (kept = filled(mib)).length;
export const dropFilled = (mib) => filled(mib).length;
export const holdFilledLater = (mib) => void setTimeout(() => { kept = filled(mib); }, 1);
export const resolveFilled = (mib) => new Promise((resolve) => setTimeout(() => resolve(holdFilled(mib)), 1));`;

const create = (memoryMiB: number): Promise<Sandbox> =>
  createMain(runtime, source, { memoryBytes: memoryMiB * MiB, timeoutMs: 60_000 });

const held = 64;

test("a run that ends with more than memoryBytes ends with memory, its sandbox is rebuilt, and its cell stays", async () => {
  await using sandbox = await create(8);
  const causes: string[] = [];
  const stop = runtime.events.on("cell.exited", ({ cause }) => causes.push(cause));
  valueOf(await sandbox.call("main.bump"));
  const outcome = await sandbox.call("main.holdFilled", { args: [held] });
  assertFailed(outcome, "memory", "memoryBytes");
  assert.ok(outcome.usage.cpuMs > 0, "the time that it used is known");
  assert.ok(outcome.usage.heapBytes > held * MiB, `it held ${outcome.usage.heapBytes}`);
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  assert.equal((await sandbox.info()).rebuilds, 1);
  assert.ok((await sandbox.usage()).heapBytes < 8 * MiB);
  stop();
  assert.deepEqual(causes, []);
});

test("a run on a lane of its own ends likewise", async () => {
  await using sandbox = await create(8);
  assertFailed(await sandbox.call("main.resolveFilled", { args: [held] }), "memory", "memoryBytes");
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
});

test("garbage is no verdict: a run that drops what it filled gives its value, and the sandbox goes on", async () => {
  await using sandbox = await create(8);
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  for (let runs = 0; runs < 3; runs++)
    assert.equal(valueOf(await sandbox.call("main.dropFilled", { args: [held] })), held * 131_072);
  assert.equal(valueOf(await sandbox.call("main.bump")), 2);
  assert.equal((await sandbox.info()).rebuilds, 0);
  assert.ok((await sandbox.usage()).heapBytes < 8 * MiB);
});

test("garbage is no verdict under a limit that was lowered", async () => {
  await using sandbox = await create(256);
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  await sandbox.updateLimits({ memoryBytes: 16 * MiB });
  assert.equal(valueOf(await sandbox.call("main.dropFilled", { args: [held] })), held * 131_072);
  assert.equal(valueOf(await sandbox.call("main.bump")), 2);
});

test("a timer between runs that leaves more than memoryBytes is reported, and the sandbox is rebuilt", async () => {
  await using sandbox = await create(8);
  valueOf(await sandbox.call("main.bump"));
  const reasons: string[] = [];
  const stop = runtime.events.on("sandbox.killed", ({ sandboxId, reason }) => {
    if (sandboxId === sandbox.id) reasons.push(reason);
  });
  valueOf(await sandbox.call("main.holdFilledLater", { args: [held] }));
  await until("it is rebuilt", async () => (await sandbox.info()).rebuilds === 1);
  stop();
  assert.deepEqual(reasons, ["memory"]);
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
});

test("modules that hold more than memoryBytes when they are loaded fail to load, and a reload to them is refused", async () => {
  const large = `${source}\nholdFilled(${held});`;
  const error = await errorOf(() => createMain(runtime, large, { memoryBytes: 8 * MiB }), "LOAD_FAILED");
  assert.ok(error instanceof LoadError);
  assert.deepEqual([error.failure?.kind, error.failure?.limit], ["memory", "memoryBytes"]);
  await using sandbox = await create(8);
  const refused = await errorOf(() => sandbox.hotReload({ main: large }), "LOAD_FAILED");
  assert.ok(refused instanceof LoadError);
  assert.equal(refused.failure?.kind, "memory");
  assert.equal(valueOf(await sandbox.call("main.bump")), 1);
});
