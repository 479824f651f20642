// What a runtime knows of itself survives its end: audit log, journal, and the tracker of an evolution.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTracker } from "../../src/evolution/index.ts";
import { createRuntime, MemoryStore } from "../../src/index.ts";
import { breakableDocuments, full } from "../support/breakable-documents.ts";
import { errorOf, mistakeOf } from "../support/errors.ts";
import { startRuntime } from "../support/runtimes.ts";

const modules = { main: "export const f = (x: number) => x + 1;" };
const bad = { main: 'import "node:fs";' };

test("the audit log of a runtime is there after a restart, and goes on", async () => {
  const store = new MemoryStore();
  const first = await startRuntime({ store });
  await errorOf(() => first.create("culprit", { modules: bad }), "SECURITY_REJECTED");
  const entries = await first.audit.query();
  await first.close();
  const second = await startRuntime({ store });
  assert.deepEqual((await second.audit.query()).slice(0, entries.length), entries);
  await errorOf(() => second.create("other", { modules: bad }), "SECURITY_REJECTED");
  assert.deepEqual((await second.audit.query({ kind: "rejected" })).at(-1)?.sandboxId, "other");
});

test("the journal of a runtime has what became of sandboxes, scores and cells, without a gap after a restart", async () => {
  const store = new MemoryStore();
  const first = await startRuntime({ store });
  const sandbox = await first.create("a", { modules });
  await sandbox.call("main.f", { args: [1] });
  await first.batch.evaluate(["a"], () => 3);
  await first.destroy("a");
  const begun = await first.journal.entries();
  await first.close();
  await errorOf(() => first.journal.entries(), "RUNTIME_CLOSED");
  const second = await startRuntime({ store });
  await second.create("b", { modules });
  const all = await second.journal.entries();
  assert.deepEqual(all.slice(0, begun.length), begun);
  assert.deepEqual(
    all.map(({ number }) => number),
    all.map((_, index) => index + 1),
  );
  const names = all.map(({ name }) => name);
  const countOf = (name: (typeof names)[number]): number => names.filter((one) => one === name).length;
  assert.deepEqual(
    (
      [
        "sandbox.create.stop",
        "lineage.born",
        "fitness.computed",
        "sandbox.destroy.stop",
        "sandbox.run.stop",
      ] as const
    ).map(countOf),
    [2, 2, 1, 1, 0],
  );
  assert.deepEqual(names.filter((name) => name === "cell.started" || name === "cell.exited").slice(0, 3), [
    "cell.started",
    "cell.exited",
    "cell.started",
  ]);
  assert.deepEqual(
    (await second.journal.entries({ after: 2, limit: 2 })).map(({ number }) => number),
    [3, 4],
  );
  await mistakeOf(() => second.journal.entries({ limit: 0 }), "INVALID_OPTIONS");
});

test("a tracker that is opened again knows individuals, scores and populations, and the sandboxes that live on", async () => {
  const store = new MemoryStore();
  const first = await startRuntime({ store });
  await first.create("seed", { modules });
  const tracker = await openTracker(first);
  await first.fork("seed", { id: "child", mutation: { kind: "swap" } });
  await first.batch.evaluate(["seed", "child"], async ({ id }) => ({
    score: id === "seed" ? 1 : 2,
    components: { size: 3 },
  }));
  tracker.populations.register("all", ["seed", "child"]);
  tracker.fitness.adjust("seed", 4, "seen");
  const answers = (one: typeof tracker): unknown => [
    one.fitness.top(9),
    one.fitness.get("seed"),
    one.lineage.pathToSeed("child"),
    one.populations.get("all"),
    one.size().living,
  ];
  const expected = answers(tracker);
  await tracker.close();
  await first.close();

  const second = await startRuntime({ store });
  const next = await openTracker(second);
  assert.deepEqual(answers(next), expected);
  await second.destroy("seed");
  assert.equal(next.lineage.origin("seed").living, false);
  assert.equal((await second.metrics()).subscriberFailures, 0);
  await next.close();
});

test("a runtime without a store has no journal, nor one that turned it off", async () => {
  const store = new MemoryStore();
  for (const options of [{}, { store, journal: { bytesMax: 0 } }]) {
    const runtime = await startRuntime(options);
    await runtime.create({ modules });
    assert.deepEqual(await runtime.journal.entries(), []);
  }
  assert.deepEqual(await store.documents.read("vivarium.journal"), []);
});

test("a store whose documents fail for a while harms no sandbox, and has everything in the end", async () => {
  const breakable = breakableDocuments();
  const { store } = breakable;
  const runtime = await startRuntime({ store });
  breakable.before = full;
  await runtime.create("a", { modules });
  await errorOf(() => runtime.create("culprit", { modules: bad }), "SECURITY_REJECTED");
  breakable.before = () => {};
  await runtime.close();
  const next = await startRuntime({ store });
  assert.equal((await next.audit.query({ sandboxId: "culprit" })).length, 1);
  const names = (await next.journal.entries()).map(({ name }) => name);
  assert.ok(names.includes("lineage.born") && names.includes("security.rejected"));
});

test("a runtime whose records cannot be read does not start, and one whose records cannot be saved says so at its end", async () => {
  const breakable = breakableDocuments();
  const { store } = breakable;
  breakable.before = full;
  await errorOf(() => startRuntime({ store }), "STORE_FAILED");
  breakable.before = (what) => (what === "write" ? full() : undefined);
  const runtime = await createRuntime({ store, cells: { count: 1, spare: 0, warm: 0 } });
  await runtime.create("a", { modules });
  await errorOf(() => runtime.close(), "STORE_FAILED");
});
