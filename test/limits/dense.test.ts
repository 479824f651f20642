// Limits of sandboxes that share an isolate: each is held to its own, and what one does costs no other more than its isolate.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createRuntime, MemoryStore, type Runtime, type Sandbox } from "../../src/index.ts";
import { mistakeOf } from "../support/errors.ts";

const MiB = 2 ** 20;
const placement = { dense: true };
const main = `let calls = 0, kept: unknown[] = [], turns = 0;
export function count() { return ++calls; }
export function spin() { for (;;) turns++; }
export function queue() { const again = () => { Promise.resolve().then(again); }; again(); return 1; }
export function fill() { for (;;) kept.push(new Array(1_000).fill(turns++)); }
export function buffers() { for (;;) kept.push(new Uint8Array(2 ** 20).fill(1)); }
export function reject() { Promise.reject(new Error("left behind")); return 1; }
export function work(ms: number) { const end = Date.now() + ms; while (Date.now() < end); return 1; }
export async function wait() { await new Promise(() => {}); }
export function finalize() { new FinalizationRegistry(() => console.log("finalized")).register({}, 1); return 1; }
`;

let runtime: Runtime;

before(async () => {
  runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 0, sliceMs: 1_000 } });
});

after(() => runtime.close());

async function three(limits = {}): Promise<readonly [Sandbox, Sandbox, Sandbox]> {
  const make = (): Promise<Sandbox> => runtime.create({ modules: { main }, placement, limits });
  const all = [await make(), await make(), await make()] as const;
  for (const each of all) assert.equal(await valueOf(each, "main.count"), 1);
  return all;
}

async function valueOf(sandbox: Sandbox, target: `main.${string}`, ...args: unknown[]): Promise<unknown> {
  const outcome = await sandbox.call(target, { args });
  return outcome.ok ? outcome.value : outcome.error.kind;
}

async function isolateOf(sandbox: Sandbox): Promise<number> {
  return (await sandbox.info()).usage.isolate;
}

async function destroyAll(sandboxes: readonly Sandbox[]): Promise<void> {
  for (const each of sandboxes) await each.destroy();
}

suite("what one does", () => {
  for (const target of ["spin", "queue"]) {
    test(`${target}: it is cut in time, and the others keep what they have`, async () => {
      const all = await three({ timeoutMs: 100 });
      const [first, second, third] = all;
      assert.equal(await valueOf(first, `main.${target}`), "timeout");
      assert.deepEqual([await valueOf(second, "main.count"), await valueOf(third, "main.count")], [2, 2]);
      assert.equal(await valueOf(first, "main.count"), 2);
      await destroyAll(all);
    });
  }

  for (const target of ["fill", "buffers"]) {
    test(`${target}: it runs out of memory, and is apart from then on; the others begin anew`, async () => {
      const all = await three({ memoryBytes: 32 * MiB, timeoutMs: 20_000 });
      const [first, second, third] = all;
      assert.equal(await valueOf(first, `main.${target}`), "memory");
      assert.deepEqual([await valueOf(second, "main.count"), await valueOf(third, "main.count")], [1, 1]);
      assert.equal(await valueOf(first, "main.count"), 1);
      const [apart, other] = [await first.info(), await third.info()];
      assert.deepEqual([apart.status, other.status, other.quarantined], ["running", "running", false]);
      // However many come, none is beside it.
      const more = await three();
      for (const each of more) assert.notEqual(await isolateOf(each), apart.usage.isolate);
      await destroyAll(more);
      await destroyAll(all);
    });
  }

  test("a rejection that nobody handles is no other's", async () => {
    const all = await three();
    const [first, second] = all;
    assert.equal(await valueOf(first, "main.reject"), 1);
    assert.equal(await valueOf(second, "main.count"), 2);
    await destroyAll(all);
  });

  test("its processor time is its own", async () => {
    const all = await three();
    const [first, second] = all;
    const before = (await second.info()).usage.cpuMs;
    await first.call("main.work", { args: [300] });
    assert.equal(await valueOf(second, "main.count"), 2);
    const used = (await second.info()).usage.cpuMs - before;
    const spent = (await first.info()).usage.cpuMs;
    assert.ok(used < spent / 2, `${used} of ${spent} ms`);
    await destroyAll(all);
  });

  test("a run that waits for ever ends at its deadline, and the others are where they were", async () => {
    const all = await three({ timeoutMs: 200 });
    const [first, second] = all;
    const waiting = valueOf(first, "main.wait");
    assert.equal(await valueOf(second, "main.count"), 2);
    assert.equal(await waiting, "timeout");
    assert.equal(await valueOf(second, "main.count"), 3);
    await destroyAll(all);
  });

  test("long runs of several go one after the other, and all end", async () => {
    const all = await three({ timeoutMs: 10_000 });
    const values = await Promise.all(all.map((each) => valueOf(each, "main.work", 120)));
    assert.deepEqual(values, [1, 1, 1]);
    await destroyAll(all);
  });

  test("each is destroyed by itself", async () => {
    const [first, second, third] = await three();
    await first.destroy();
    assert.equal(await valueOf(second, "main.count"), 2);
    await second.destroy();
    assert.equal(await valueOf(third, "main.count"), 2);
    assert.equal((await third.info()).usage.isolateSandboxes > 0, true);
    await third.destroy();
  });
});

suite("placement.dense", () => {
  test("it is said of a sandbox, of its fork, and of what is restored", async () => {
    const store = new MemoryStore();
    {
      await using kept = await createRuntime({ store, cells: { count: 1, spare: 0 } });
      await kept.create("kept", { modules: { main }, placement });
      const child = await kept.fork("kept", { id: "child" });
      assert.equal((await child.info()).placement.dense, true);
    }
    await using again = await createRuntime({ store, cells: { count: 1, spare: 0 } });
    for (const id of ["kept", "child"]) assert.equal((await again.info(id)).placement.dense, true);
  });

  test("a sandbox with a cell to itself cannot be dense", async () => {
    const error = await mistakeOf(
      () => runtime.create({ modules: { main }, placement: { dense: true, exclusive: true } }),
      "INVALID_OPTIONS",
    );
    assert.match(error.message, /placement\.dense/);
  });

  test("nor can one whose profile enables what may run on without it", async () => {
    await using loose = await createRuntime({
      cells: { count: 1, spare: 0 },
      profiles: { wasm: { features: { webAssembly: true, sharedMemory: true, resizableBuffers: true } } },
    });
    const error = await mistakeOf(
      () => loose.create({ modules: { main }, profile: "wasm", placement }),
      "INVALID_PROFILE",
    );
    assert.match(error.message, /webAssembly/);
  });
});

test("a guest with finalizers leaves its isolate to nobody", async () => {
  const make = (): Promise<Sandbox> =>
    runtime.create({ modules: { main }, limits: { memoryBytes: 24 * MiB } });
  const numbers: number[] = [];
  for (const target of ["count", "finalize", "count"]) {
    const sandbox = await make();
    assert.equal(await valueOf(sandbox, `main.${target}`), 1);
    numbers.push(await isolateOf(sandbox));
    await sandbox.destroy();
  }
  const [first, second, third] = numbers;
  assert.equal(first, second);
  assert.notEqual(second, third);
});
