// A tracker that is opened on a runtime: it misses nothing that happened before, and a store that fails harms nobody.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTracker, type Tracker } from "../../../src/evolution/index.ts";
import type { LatestFitness } from "../../../src/index.ts";
import { errorOf, mistakeOf } from "../../support/errors.ts";
import { storeFailed, TrackedRuntime } from "../../support/tracked.ts";
import { until } from "../../support/waiting.ts";

const fitnessOf = (score: number | null, evaluatedAt: number, revision = 1): LatestFitness => ({
  score,
  result: score === null ? "timeout" : "ok",
  revision,
  evaluatedAt,
  components: score === null ? {} : { size: score },
  tests: [],
  message: score === null ? "too late" : null,
  evaluationMs: 3,
});

const lineOf = { generation: 4, mutation: { kind: "swap" }, depth: 9 };
const ancestryOf = (...parentIds: readonly string[]) => ({ parentIds, ...lineOf });

/** Closes a tracker and opens another one on the same store, after a restart. */
async function restart(runtime: TrackedRuntime, tracker: Tracker): Promise<[TrackedRuntime, Tracker]> {
  await tracker.close();
  const next = runtime.restarted();
  return [next, await openTracker(next.runtime)];
}

test("openTracker() knows the sandboxes that were created before anybody could listen", async () => {
  const runtime = new TrackedRuntime();
  runtime.create("seed", { fitness: fitnessOf(2, 10) });
  runtime.create("child", { ancestry: ancestryOf("seed", "unknown"), fitness: fitnessOf(null, 11) });
  const tracker = await openTracker(runtime.runtime);
  const { id, parentIds, generation, mutation, living } = tracker.lineage.origin("child");
  assert.deepEqual(
    [id, parentIds, generation, mutation, living],
    ["child", ["seed", "unknown"], 4, { kind: "swap" }, true],
  );
  assert.deepEqual(tracker.fitness.get("seed")?.components, { size: 2 });
  assert.deepEqual(tracker.fitness.get("child")?.result, "timeout");
  tracker.populations.register("all", ["seed", "child"]);
  assert.equal(tracker.populations.get("all").diversity.codes, 2);
  assert.equal(tracker.size().living, 2);
});

test("openTracker() follows the runtime, each birth once, also of a sandbox that is just being created", async () => {
  const runtime = new TrackedRuntime();
  runtime.create("known");
  runtime.sandboxes.set("coming", {
    ...runtime.sandboxes.get("known")!,
    id: "coming",
    status: "creating",
    modules: {},
  });
  const opening = openTracker(runtime.runtime);
  runtime.create("coming");
  const tracker = await opening;
  runtime.create("known");
  runtime.create("later");
  assert.deepEqual([tracker.size().individuals, runtime.bus.subscriberFailures], [3, 0]);
  runtime.destroy("later");
  assert.equal(tracker.lineage.origin("later").living, false);
});

test("what happens while openTracker() compares is not lost", async () => {
  const runtime = new TrackedRuntime();
  runtime.create("a");
  runtime.create("b");
  const { list } = runtime.runtime;
  const changed = async (): ReturnType<typeof list> => {
    const infos = await list();
    runtime.destroy("a");
    runtime.create("a", { createdAt: 2 });
    runtime.create("c");
    return infos;
  };
  const tracker = await openTracker({ ...runtime.runtime, list: changed });
  assert.deepEqual([tracker.size().individuals, tracker.size().living], [4, 3]);
});

test("a sandbox that went while no tracker listened is dead, with the last fitness that its tombstone has", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  for (const id of ["left", "vanished", "same"]) runtime.create(id);
  tracker.fitness.record({ id: "vanished", score: 3, result: "ok", evaluatedAt: 5 });
  tracker.populations.register("all", ["left"]);
  await tracker.close();
  runtime.sandboxes.set("left", { ...runtime.sandboxes.get("left")!, fitness: fitnessOf(7, 20) });
  runtime.destroy("left");
  runtime.sandboxes.delete("vanished");
  const [, next] = await restart(runtime, tracker);
  assert.deepEqual(
    ["left", "vanished", "same"].map((id) => next.lineage.origin(id).living),
    [false, false, true],
  );
  assert.deepEqual(
    ["left", "vanished"].map((id) => next.fitness.get(id)?.score),
    [7, 3],
  );
});

test("a sandbox that took the id of another while no tracker listened is another individual, and no member", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime, { retainGenerations: 1 });
  runtime.create("a");
  tracker.populations.register("all", ["a"]);
  tracker.populations.advance("all", []);
  assert.deepEqual(tracker.retention(["a"]), ["a"]);
  await tracker.close();
  runtime.destroy("a");
  runtime.create("a", { createdAt: 2 });
  const [, next] = await restart(runtime, tracker);
  assert.deepEqual(next.retention(["a"]), []);
  assert.deepEqual([next.size().individuals, next.size().living], [2, 1]);
});

test("the newer one of a stored fitness and the sandbox's own wins", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  for (const id of ["newer", "older", "revised"]) {
    runtime.create(id);
    tracker.fitness.record({ id, score: 1, result: "ok", evaluatedAt: 10, revision: 1 });
    tracker.fitness.adjust(id, 0.5, "seen");
  }
  await tracker.close();
  const evaluated = { newer: fitnessOf(2, 11), older: fitnessOf(3, 9), revised: fitnessOf(4, 10, 2) };
  for (const [id, fitness] of Object.entries(evaluated))
    runtime.sandboxes.set(id, { ...runtime.sandboxes.get(id)!, fitness });
  const [, next] = await restart(runtime, tracker);
  assert.deepEqual(
    ["newer", "older", "revised"].map((id) => next.fitness.get(id)?.score),
    [2, 1.5, 4],
  );
  assert.deepEqual(next.fitness.get("older")?.adjustments, [{ delta: 0.5, reason: "seen" }]);
});

test("a sandbox whose parent has the id of a descendant is known without parents rather than not at all", async () => {
  const runtime = new TrackedRuntime();
  runtime.create("b", { ancestry: ancestryOf("a") });
  runtime.create("a", { ancestry: ancestryOf("b") });
  const tracker = await openTracker(runtime.runtime);
  assert.deepEqual(
    [tracker.lineage.origin("a").parentIds, tracker.lineage.origin("b").parentIds],
    [[], ["a"]],
  );
});

test("changes are written in groups, and only what changed", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  for (let number = 0; number < 1_000; number++) tracker.lineage.born({ id: `s${number}` });
  await tracker.saved();
  assert.deepEqual(runtime.writes, [
    ["tracker.individuals", 500],
    ["tracker.individuals", 500],
  ]);
  runtime.writes.length = 0;
  tracker.fitness.record({ id: "s7", score: 1, result: "ok" });
  tracker.fitness.adjust("s7", 1, "seen");
  tracker.populations.register("all", ["s7"]);
  await tracker.saved();
  assert.deepEqual(runtime.writes, [
    ["tracker.populations", 1],
    ["tracker.individuals", 1],
  ]);
  // What is not waited for is written too.
  tracker.lineage.died("s8");
  await until("the death is written", () => runtime.writes.length === 3);
});

test("a tracker that is opened again writes nothing where nothing changed", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  runtime.create("a", { fitness: fitnessOf(1, 5) });
  tracker.fitness.record({ id: "a", score: 1, result: "ok", evaluatedAt: 5, revision: 1 });
  tracker.populations.register("all", ["a"]);
  const [next, reopened] = await restart(runtime, tracker);
  await reopened.close();
  assert.deepEqual(next.writes, []);
});

test("while the store fails saved() rejects with STORE_FAILED, no method throws, and later everything is written", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  runtime.beforeWrite = storeFailed;
  runtime.create("a");
  tracker.populations.register("all", ["a"]);
  await errorOf(() => tracker.saved(), "STORE_FAILED");
  tracker.fitness.record({ id: "a", score: 1, result: "ok" });
  await errorOf(() => tracker.saved(), "STORE_FAILED");
  assert.deepEqual(runtime.writes, []);
  runtime.beforeWrite = () => {};
  // By itself, without another change.
  await until("all is written", () => runtime.writes.length === 3);
  const [, next] = await restart(runtime, tracker);
  assert.deepEqual([next.fitness.top(1), next.populations.members("all")], [[{ id: "a", score: 1 }], ["a"]]);
});

test("close() persists what is left, follows nothing any more, and rejects where that failed", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  runtime.create("a");
  await tracker.close();
  runtime.create("b");
  tracker.lineage.born({ id: "c" });
  await tracker.saved();
  assert.equal(tracker.size().individuals, 2);
  const names = runtime.writes.map(([name]) => name);
  assert.deepEqual(names, ["tracker.codes", "tracker.individuals"]);
  const other = await openTracker(runtime.runtime);
  runtime.beforeWrite = storeFailed;
  runtime.create("d");
  await errorOf(() => other.close(), "STORE_FAILED");
});

test("a runtime has one open tracker at a time", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  await mistakeOf(() => openTracker(runtime.runtime), "INVALID_OPTIONS");
  await tracker.close();
  await (await openTracker(runtime.runtime)).close();
});

test("openTracker() refuses what is no runtime, and bounds that are none", async () => {
  await mistakeOf(() => openTracker(undefined as never), "INVALID_OPTIONS");
  await mistakeOf(
    () => openTracker({ ...new TrackedRuntime().runtime, documents: {} as never }),
    "INVALID_OPTIONS",
  );
  await mistakeOf(() => openTracker(new TrackedRuntime().runtime, { individualsMax: 1 }), "INVALID_OPTIONS");
});

test("a tracker that cannot be opened changes nothing in the store", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  for (let number = 0; number < 40; number++) runtime.create(`s${number}`);
  for (let number = 0; number < 10; number++) runtime.destroy(`s${number}`);
  await tracker.close();
  runtime.writes.length = 0;
  await errorOf(() => openTracker(runtime.runtime, { individualsMax: 20 }), "INVALID_OPTIONS");
  assert.deepEqual(runtime.writes, []);
  const next = await openTracker(runtime.runtime);
  assert.equal(next.size().individuals, 40);
});

test("with a lower bound the oldest dead are forgotten, in the store too", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  for (let number = 0; number < 40; number++) runtime.create(`s${number}`);
  for (let number = 0; number < 30; number++) runtime.destroy(`s${number}`);
  await tracker.close();
  const smaller = await openTracker(runtime.runtime, { individualsMax: 20 });
  const { individuals, living, forgotten } = smaller.size();
  assert.deepEqual([living, individuals + forgotten], [10, 40]);
  assert.ok(individuals <= 20);
  await smaller.close();
  assert.equal((await runtime.documents.read("tracker.individuals")).length, individuals);
});

test("with fewer retained generations the members of the others are outdated", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime, { retainGenerations: 3 });
  for (const id of ["a", "b", "c"]) runtime.create(id);
  tracker.populations.register("all", ["a"]);
  tracker.populations.advance("all", ["b"]);
  tracker.populations.advance("all", ["c"]);
  await tracker.close();
  const strict = await openTracker(runtime.runtime, { retainGenerations: 1 });
  assert.deepEqual(strict.retention(["a", "b", "c"]), ["a", "b"]);
});

test("rows that are damaged are left out", async () => {
  const runtime = new TrackedRuntime();
  for (const name of ["individuals", "populations", "outdated", "counters"])
    await runtime.documents.write(
      `tracker.${name}`,
      new Map<string, unknown>([
        ["1", 7],
        ["2", { id: "a" }],
        ["x", null],
      ]),
    );
  const tracker = await openTracker(runtime.runtime);
  assert.deepEqual([tracker.size().individuals, tracker.populations.ids()], [0, []]);
  tracker.lineage.born({ id: "a" });
  await tracker.close();
});

test("a damaged row that names itself or a descendant as its parent is known without that parent", async () => {
  const runtime = new TrackedRuntime();
  const a = { id: "a", state: "dead", lateBirth: 9, parents: [2] };
  const b = { id: "b", state: "dead", parents: [1, 2] };
  const rows = Object.entries({ 1: a, 2: b });
  await runtime.documents.write("tracker.individuals", new Map<string, unknown>(rows));
  const { lineage } = await openTracker(runtime.runtime);
  const parents = ["a", "b"].map((id) => lineage.origin(id).parentIds);
  assert.deepEqual(parents, [[], ["a"]]);
});
