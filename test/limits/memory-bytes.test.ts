// memoryBytes: what a sandbox has inside its heap, outside of it, and uncounted, is bounded; changes take effect at once.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LoadError, type Sandbox } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { busySource } from "../support/guests.ts";
import { assertFailed, failureOf, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const MiB = 2 ** 20;
const runtime = await startRuntime({ cells: { spare: 1 } });

const source = `
let kept = [];
let count = 0;
export const bump = () => ++count;
export const drop = () => { kept = []; };
export function hold(mib) {
  for (let i = 0; i < mib; i++) kept.push(new Array(131_072).fill(i));
  return kept.length;
}
export function holdBytes(mib) {
  for (let i = 0; i < mib; i++) kept.push(new Uint8Array(1_048_576).fill(1));
  return kept.length;
}
export function fillBytes(mib) {
  try { return holdBytes(mib); } catch (error) { return [error.name, kept.length < mib]; }
}
export const throwRange = () => { throw new RangeError("Array buffer allocation failed"); };
export const flat = (mib) => "x".repeat(mib * 1_048_576).normalize("NFD").length;
export const later = (mib) => new Promise((resolve) => setTimeout(() => resolve(hold(mib)), 20));
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms, ms));`;

const create = (memoryMiB: number): Promise<Sandbox> =>
  createMain(runtime, source, { memoryBytes: memoryMiB * MiB, timeoutMs: 60_000 });

function cellDeaths(): { readonly causes: string[]; readonly stop: () => void } {
  const causes: string[] = [];
  const stop = runtime.events.on("cell.exited", ({ cause }) => causes.push(cause));
  return { causes, stop };
}

suite("inside the heap", () => {
  test("a run that holds well within memoryBytes gives its value", async () => {
    await using sandbox = await create(64);
    assert.equal(valueOf(await sandbox.call("main.hold", { args: [40] })), 40);
    assert.ok((await sandbox.usage()).heapBytes > 40 * MiB);
  });

  for (const [how, mib] of [
    ["somewhat", 120],
    ["far", 100_000],
  ] as const) {
    test(`a run that holds ${how} more than memoryBytes ends with memory, and its cell stays`, async () => {
      await using sandbox = await create(64);
      const { causes, stop } = cellDeaths();
      valueOf(await sandbox.call("main.bump"));
      const outcome = await sandbox.call("main.hold", { args: [mib] });
      assertFailed(outcome, "memory", "memoryBytes");
      assert.ok(outcome.usage.cpuMs > 0, "the time that it used is known");
      assert.match(outcome.error.message, new RegExp(String(64 * MiB)));
      assert.equal(valueOf(await sandbox.call("main.bump")), 1);
      assert.equal((await sandbox.info()).rebuilds, 1);
      stop();
      assert.deepEqual(causes, []);
    });
  }

  test("the smallest memory is enough for a small guest", async () => {
    await using sandbox = await create(8);
    assert.equal(valueOf(await sandbox.call("main.hold", { args: [1] })), 1);
    assertFailed(await sandbox.call("main.hold", { args: [200] }), "memory", "memoryBytes");
  });

  test("modules that take too much while they load fail to load by memoryBytes", async () => {
    const greedy = `const all = []; for (;;) all.push(new Array(131_072).fill(all.length)); export {};`;
    const error = await errorOf(() => createMain(runtime, greedy, { memoryBytes: 32 * MiB }), "LOAD_FAILED");
    assert.ok(error instanceof LoadError);
    assert.deepEqual([error.failure?.kind, error.failure?.limit], ["memory", "memoryBytes"]);
  });

  test("runs that wait in an isolate that is lost end as the one that lost it, and it is rebuilt once", async () => {
    await using sandbox = await create(32);
    const rebuilt: number[] = [];
    const stop = runtime.events.on("sandbox.rebuilt", ({ sandboxId, rebuilds }) => {
      if (sandboxId === sandbox.id) rebuilt.push(rebuilds);
    });
    const outcomes = await Promise.all([
      sandbox.call("main.wait", { args: [30_000] }),
      sandbox.call("main.wait", { args: [30_000] }),
      sandbox.call("main.later", { args: [10_000] }),
    ]);
    for (const outcome of outcomes) assertFailed(outcome, "memory", "memoryBytes");
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    stop();
    assert.deepEqual(rebuilt, [1]);
  });
});

suite("outside the heap", () => {
  test("buffers within memoryBytes are counted as external", async () => {
    await using sandbox = await create(64);
    assert.equal(valueOf(await sandbox.call("main.holdBytes", { args: [30] })), 30);
    const { externalBytes, heapBytes } = await sandbox.usage();
    assert.ok(
      externalBytes > 30 * MiB && heapBytes < 30 * MiB,
      `${externalBytes} external, ${heapBytes} in the heap`,
    );
  });

  for (const [how, mib] of [
    ["somewhat", 120],
    ["far", 100_000],
  ] as const) {
    test(`buffers ${how} beyond memoryBytes are refused to the guest, and a run that does not catch it ends with memory`, async () => {
      await using sandbox = await create(64);
      assertFailed(await sandbox.call("main.holdBytes", { args: [mib] }), "memory", "memoryBytes");
      const { externalBytes, heapBytes } = await sandbox.usage();
      assert.ok(externalBytes + heapBytes < 100 * MiB, `it holds ${externalBytes + heapBytes}`);
      valueOf(await sandbox.call("main.drop"));
      assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    });
  }

  test("a run that catches the refusal goes on", async () => {
    await using sandbox = await create(64);
    assert.deepEqual(valueOf(await sandbox.call("main.fillBytes", { args: [120] })), ["RangeError", true]);
  });

  test("a guest that throws an error with the same text does not end with memory", async () => {
    await using sandbox = await create(64);
    const failure = failureOf(await sandbox.call("main.throwRange"));
    assert.deepEqual([failure.kind, failure.thrown?.name], ["crashed", "RangeError"]);
  });

  test("one buffer that is larger than all of memoryBytes is refused to the guest", async () => {
    await using sandbox = await createMain(
      runtime,
      "export const f = (n) => new ArrayBuffer(n).byteLength;",
      {
        memoryBytes: 32 * MiB,
      },
    );
    assert.equal(valueOf(await sandbox.call("main.f", { args: [MiB] })), MiB);
    for (const bytes of [1_024 * MiB, 2 ** 52])
      assert.equal(failureOf(await sandbox.call("main.f", { args: [bytes] })).thrown?.name, "RangeError");
  });
});

suite("where the engine does not count", () => {
  test("flat texts within memoryBytes are fine", async () => {
    await using sandbox = await create(64);
    assert.equal(valueOf(await sandbox.call("main.flat", { args: [8] })), 8 * MiB);
  });

  test("flat texts far beyond memoryBytes are seen from outside, and end with memory and their cell", async () => {
    await using sandbox = await create(32);
    valueOf(await sandbox.call("main.bump"));
    const { causes, stop } = cellDeaths();
    assertFailed(await sandbox.call("main.flat", { args: [500] }), "memory", "memoryBytes");
    stop();
    assert.deepEqual(causes, ["memory"]);
    assert.equal((await sandbox.info()).quarantined, true);
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
  });

  test("a neighbour in such a cell is there again when it is called", async () => {
    // Code that has brought down a cell runs alone from the start: these two are new, and share a cell.
    const neighbour = await createMain(runtime, busySource);
    const sandbox = await createMain(runtime, `${source}\nexport {};`, { memoryBytes: 32 * MiB });
    assert.equal((await neighbour.info()).cell, (await sandbox.info()).cell);
    await until("there is a cell to spare", async () => (await runtime.health()).cells.ready >= 2);
    valueOf(await neighbour.call("main.bump"));
    assertFailed(await sandbox.call("main.flat", { args: [500] }), "memory", "memoryBytes");
    assert.equal(valueOf(await neighbour.call("main.bump")), 1);
    const { quarantined: isQuarantined, rebuilds } = await neighbour.info();
    assert.deepEqual({ isQuarantined, rebuilds }, { isQuarantined: false, rebuilds: 1 });
    await Promise.all([neighbour.destroy(), sandbox.destroy()]);
  });
});

suite("changed while the sandbox is running", () => {
  test("a limit that is lowered below what is held ends the next run with memory", async () => {
    await using sandbox = await create(64);
    valueOf(await sandbox.call("main.hold", { args: [30] }));
    const { rebuilt, limits } = await sandbox.updateLimits({ memoryBytes: 16 * MiB });
    assert.deepEqual([rebuilt, limits.memoryBytes], [false, 16 * MiB]);
    assertFailed(await sandbox.call("main.bump"), "memory", "memoryBytes");
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    assertFailed(await sandbox.call("main.hold", { args: [60] }), "memory", "memoryBytes");
  });

  test("a limit that is lowered to no less than what is held changes nothing for now", async () => {
    await using sandbox = await create(64);
    valueOf(await sandbox.call("main.hold", { args: [5] }));
    assert.equal((await sandbox.updateLimits({ memoryBytes: 32 * MiB })).rebuilt, false);
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    assert.equal(valueOf(await sandbox.call("main.bump")), 2);
    assertFailed(await sandbox.call("main.hold", { args: [45] }), "memory", "memoryBytes");
  });

  test("buffers count for a limit that is lowered", async () => {
    await using sandbox = await create(64);
    valueOf(await sandbox.call("main.holdBytes", { args: [30] }));
    await sandbox.updateLimits({ memoryBytes: 16 * MiB });
    assertFailed(await sandbox.call("main.bump"), "memory", "memoryBytes");
  });

  test("a limit that is raised needs a new isolate, which is reported, and the module's variables are initialized again", async () => {
    await using sandbox = await create(32);
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    assert.equal((await sandbox.updateLimits({ memoryBytes: 128 * MiB })).rebuilt, true);
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    assert.equal(valueOf(await sandbox.call("main.hold", { args: [80] })), 80);
    const { rebuilds, restarts, status } = await sandbox.info();
    assert.deepEqual({ rebuilds, restarts, status }, { rebuilds: 1, restarts: 0, status: "running" });
  });

  test("a limit that is lowered and raised again to what the isolate was made for needs no new one", async () => {
    await using sandbox = await create(64);
    valueOf(await sandbox.call("main.bump"));
    await sandbox.updateLimits({ memoryBytes: 16 * MiB });
    assert.equal((await sandbox.updateLimits({ memoryBytes: 64 * MiB })).rebuilt, false);
    assert.equal(valueOf(await sandbox.call("main.bump")), 2);
    assert.equal(valueOf(await sandbox.call("main.hold", { args: [30] })), 30);
  });

  test("a run that is under way when the limit is raised comes to its end, and calls meanwhile wait", async () => {
    await using sandbox = await create(32);
    const running = sandbox.call("main.wait", { args: [200] });
    const raising = sandbox.updateLimits({ memoryBytes: 64 * MiB });
    const meanwhile = sandbox.call("main.bump");
    assert.equal(valueOf(await running), 200);
    assert.equal((await raising).rebuilt, true);
    assert.equal(valueOf(await meanwhile), 1);
  });
});
