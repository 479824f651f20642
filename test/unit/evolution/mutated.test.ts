// Individuals whose code is changed while they live: a tracker knows the code that runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTracker, Tracker } from "../../../src/evolution/index.ts";
import { startRuntime } from "../../support/runtimes.ts";
import { TrackedRuntime } from "../../support/tracked.ts";

test("Tracker knows the code of a sandbox that is reloaded and rolled back, and what was changed in it", async () => {
  const runtime = await startRuntime();
  const tracker = new Tracker();
  tracker.follow(runtime.events);
  const sources = [1, 2, 3].map((n) => `export const f = () => ${n};`);
  const [first = "", second = "", third = ""] = sources;
  await runtime.create("a", { modules: { main: first } });
  const b = await runtime.create("b", {
    modules: { main: first, other: first },
    ancestry: { mutation: "born" },
  });
  await runtime.create("c", { modules: { main: first, other: first } });
  tracker.populations.register("all", ["b", "c"]);
  const seen = () => [tracker.populations.get("all").diversity.codes, tracker.lineage.origin("b").mutation];
  assert.deepEqual(seen(), [1, "born"]);
  await b.hotReload({ main: second }, { mutation: { op: "point" } });
  assert.deepEqual(seen(), [2, { op: "point" }]);
  await runtime.batch.hotReload(["b"], { other: third }, { mutation: { op: "swap" } });
  assert.deepEqual(seen(), [2, { op: "swap" }]);
  await b.rollback("other", 1);
  assert.deepEqual(seen(), [2, { op: "point" }]);
  await b.rollbackTo(1);
  assert.deepEqual(seen(), [1, "born"]);
  assert.equal((await b.info()).mutation, "born");
  // What fails, is undone, changes nothing or is only tried changes nothing here.
  await assert.rejects(b.hotReload({ main: "export const (" }, { mutation: "broken" }));
  await assert.rejects(b.hotReload({ main: second }, { mutation: "undone", verify: () => false }));
  await b.hotReload({ main: first }, { mutation: "none" });
  await b.hotReload({ main: third }, { mutation: "tried", dryRun: true });
  assert.deepEqual(seen(), [1, "born"]);
  assert.equal((await runtime.metrics()).subscriberFailures, 0);
});

test("openTracker() knows the code of a sandbox that was reloaded while no tracker listened", async () => {
  const runtime = new TrackedRuntime();
  runtime.create("a");
  runtime.create("b");
  const tracker = await openTracker(runtime.runtime);
  tracker.populations.register("all", ["a", "b"]);
  await tracker.close();
  const info = runtime.sandboxes.get("a")!;
  const modules = { main: { version: 2, checksum: "b", exports: [], warnings: [] } };
  runtime.sandboxes.set("a", { ...info, modules, mutation: { op: "copy" } });
  const reopened = await openTracker(runtime.restarted().runtime);
  assert.equal(reopened.populations.get("all").diversity.codes, 1);
  assert.deepEqual(reopened.lineage.origin("a").mutation, { op: "copy" });
});
