// What a sandbox is told to do survives whatever else becomes known of it at the same moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTracker } from "../../src/evolution/index.ts";
import { MemoryStore, type Store } from "../../src/index.ts";
import { nextTurn } from "../../src/std/clock.ts";
import { full } from "../support/breakable-documents.ts";
import { errorOf } from "../support/errors.ts";
import { FlakyStore } from "../support/flaky-store.ts";
import { startRuntime } from "../support/runtimes.ts";

const modules = { main: "export const f = (x: number) => x + 1;" };

test("a sandbox that is suspended or resumed while its score changes is so after a restart", async () => {
  const store = new MemoryStore();
  const first = await startRuntime({ store });
  const tracker = await openTracker(first);
  const still = await first.create("still", { modules });
  const awake = await first.create("awake", { modules });
  await first.batch.evaluate(["still", "awake"], () => 1);
  await awake.suspend();
  const moves = [still.suspend(), awake.resume()];
  for (const { id } of [still, awake]) tracker.fitness.adjust(id, 2, "seen");
  await Promise.all(moves);
  await tracker.close();
  await first.close();
  const second = await startRuntime({ store });
  assert.deepEqual(
    (await second.list()).map(({ id, status, fitness }) => [id, status, fitness?.score]),
    [
      ["still", "suspended", 3],
      ["awake", "running", 3],
    ],
  );
});

test("a sandbox that cannot be brought back for a while, and is evaluated meanwhile, comes back as it was", async () => {
  const store = new MemoryStore();
  const capabilities = { hello: () => 1 };
  const first = await startRuntime({ store, capabilities });
  const sandbox = await first.create("a", { modules, capabilities: ["hello"] });
  await first.batch.evaluate(["a"], () => 1);
  await first.restart("a");
  await sandbox.suspend();
  await first.close();
  const without = await startRuntime({ store });
  const { status, restarts, fitness } = await without.info("a");
  assert.deepEqual([status, restarts, fitness?.score], ["failed", 1, 1]);
  await without.batch.evaluate(["a"], () => 2);
  await without.close();
  const again = await startRuntime({ store, capabilities });
  const info = await again.info("a");
  assert.deepEqual([info.status, info.restarts, info.fitness?.score], ["suspended", 1, 2]);
});

test("a restart is done when it is stored that there was one", async () => {
  const store = new MemoryStore();
  let stored = 0;
  const slow: Store = Object.assign(store, {
    saveRecord: async (...given: Parameters<MemoryStore["saveRecord"]>) => {
      await nextTurn();
      await MemoryStore.prototype.saveRecord.apply(store, given);
      stored = given[1].restarts;
    },
  });
  const runtime = await startRuntime({ store: slow });
  await runtime.create("a", { modules });
  await runtime.restart("a");
  assert.equal(stored, 1);
});

test("a sandbox that could not be removed from its store is removed when the runtime is closed", async () => {
  const store = new FlakyStore();
  const first = await startRuntime({ store });
  await first.create("a", { modules });
  store.beforeNextRemove = full;
  await errorOf(() => first.destroy("a"), "STORE_FAILED");
  await first.close();
  const second = await startRuntime({ store });
  assert.deepEqual([await second.has("a"), (await second.info("a")).status], [false, "stopped"]);
});
