// Candidates of a batch and a store: only those that are kept are written, and they come back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, unwrap, type Candidate, type Store } from "../../src/index.ts";
import { openTracker } from "../../src/evolution/index.ts";
import { MemoryStore } from "../../src/store/memory.ts";

const cells = { count: 1, spare: 0, warm: 0 };
const score = async (candidate: Candidate): Promise<number> =>
  unwrap(await candidate.call<number>("main.score"));
const specs = [3, 1, 2].map((value) => ({
  id: `c${value}`,
  modules: { main: `export const score = () => ${value};` },
}));

/** A store that notes what is written to it, and may refuse to save. */
function notingStore(notes: string[], memory = new MemoryStore()): Store & { isBroken: boolean } {
  const store = {
    isBroken: false,
    open: () => memory.open(),
    save: (sandbox: Parameters<Store["save"]>[0]) => {
      notes.push(`save ${sandbox.id}`);
      return store.isBroken ? Promise.reject(new Error("broken")) : memory.save(sandbox);
    },
    remove: (id: string) => {
      notes.push(`remove ${id}`);
      return memory.remove(id);
    },
    documents: memory.documents,
    close: () => Promise.resolve(),
  };
  return store;
}

test("only candidates that are kept are written to the store, once, and the next runtime has them", async () => {
  const notes: string[] = [];
  const store = notingStore(notes);
  {
    await using runtime = await createRuntime({ cells, store });
    await runtime.batch.evaluate(specs, score, { keep: 1 });
    assert.deepEqual(notes, ["save c3"]);
    await runtime.batch.evaluate(specs.slice(1), score, { keep: ({ sandboxId }) => sandboxId === "c2" });
    assert.deepEqual(notes, ["save c3", "save c2"]);
  }
  await using runtime = await createRuntime({ cells, store });
  assert.deepEqual((await runtime.list()).map(({ id }) => id).sort(), ["c2", "c3"]);
  assert.equal((await runtime.info("c3")).fitness?.score, 3);
  assert.equal(unwrap(await (await runtime.get("c3")).call("main.score")), 3);
  await runtime.destroy("c3");
  assert.equal(notes.at(-1), "remove c3");
});

test("a candidate that cannot be stored is not kept", async () => {
  const store = notingStore([]);
  await using runtime = await createRuntime({ cells, store });
  store.isBroken = true;
  const results = await runtime.batch.evaluate(specs, score, { keep: 2 });
  assert.deepEqual(
    results.map((result) => [result.ok && result.score, result.kept]),
    [
      [3, false],
      [1, false],
      [2, false],
    ],
  );
  assert.deepEqual(await runtime.list(), []);
});

test("the events of a candidate are those of a sandbox that is created, evaluated and destroyed", async () => {
  await using runtime = await createRuntime({ cells });
  await using tracker = await openTracker(runtime);
  const names: string[] = [];
  runtime.events.onAny(({ name, event }) => {
    if ("sandboxId" in event) names.push(`${name} ${event.sandboxId}`);
  });
  const broken = { id: "broken", modules: { main: "throw new Error('top');" } };
  await runtime.batch.evaluate([specs[0] ?? "", broken], score, { concurrency: 1 });
  const of = (id: string): string[] =>
    names.filter((name) => name.endsWith(` ${id}`)).map((name) => name.split(" ")[0] ?? "");
  assert.deepEqual(
    of("c3").filter((name) => !name.startsWith("security.")),
    [
      "sandbox.create.start",
      "lineage.born",
      "sandbox.create.stop",
      "sandbox.evaluate.start",
      "sandbox.run.start",
      "sandbox.run.stop",
      "sandbox.evaluate.stop",
      "fitness.computed",
      "sandbox.destroy.start",
      "sandbox.destroy.stop",
    ],
  );
  assert.deepEqual(
    of("broken").filter((name) => !name.startsWith("security.")),
    [
      "sandbox.create.start",
      "sandbox.failed",
      "lineage.born",
      "sandbox.create.stop",
      "fitness.computed",
      "sandbox.destroy.start",
      "sandbox.destroy.stop",
    ],
  );
  assert.equal(tracker.fitness.get("c3")?.score, 3);
  assert.equal(tracker.fitness.get("broken")?.result, "not-created");
});
