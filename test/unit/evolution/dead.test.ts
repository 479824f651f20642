// What a tracker keeps of the dead: how they were evaluated, and the code that their descendants come from.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, type Runtime } from "../../../src/index.ts";
import { openTracker, Tracker } from "../../../src/evolution/index.ts";
import { startRuntime } from "../../support/runtimes.ts";

const suite = {
  tests: [
    { name: "one", call: "main.f", args: [1], expected: 1 },
    { name: "two", call: "main.f", args: [2], expected: 4 },
  ],
} as const;
const main = (body: string): string => `export const f = (x) => ${body};\n`;

/** A seed, a child and a grandchild; all are evaluated and destroyed. */
async function liveAndDie(runtime: Runtime): Promise<void> {
  const other = "export const shared = 1;\n";
  await runtime.create("seed", { modules: { main: main("x"), other } });
  await runtime.fork("seed", { id: "child", modules: { main: main("x * x") }, mutation: "square" });
  // The child comes from the seed as it was then.
  await (await runtime.get("seed")).hotReload({ main: main("x + 0") }, { mutation: "noise" });
  await runtime.fork("child", { id: "grandchild", modules: { main: "export const f = (" } }).catch(() => {});
  await runtime.batch.evaluate(["seed", "child"], suite);
  await runtime.batch.evaluate(["grandchild"], async (candidate) => {
    const outcome = await candidate.call("main.f");
    return outcome.ok
      ? { score: 1, components: { size: 3 } }
      : Promise.reject(new Error(outcome.error.message));
  });
  await runtime.batch.evaluate(["child"], () => ({ score: 2, components: { size: 7 } }), {
    onFailure: "record",
  });
  await runtime.batch.destroy(["seed", "child", "grandchild"]);
}

function checkRecords({ fitness }: Tracker): void {
  const seed = fitness.get("seed");
  assert.deepEqual(
    seed?.tests.map(({ name, passed }) => [name, passed]),
    [
      ["one", true],
      ["two", false],
    ],
  );
  assert.match(seed?.tests[1]?.message ?? "", /not as expected: got 2/);
  assert.ok(seed !== undefined && seed.evaluationMs > 0);
  assert.deepEqual([seed.score, seed.message], [0.5, null]);
  assert.deepEqual(fitness.get("child")?.components, { size: 7 });
  const broken = fitness.get("grandchild");
  assert.equal(broken?.score, null);
  assert.match(broken?.message ?? "", /fitness function threw/);
}

async function checkPath({ lineage }: Tracker): Promise<void> {
  const path = await lineage.path("grandchild");
  assert.deepEqual(
    path.map(({ id, living, mutation }) => [id, living, mutation]),
    [
      ["grandchild", false, null],
      ["child", false, "square"],
      ["seed", false, "noise"],
    ],
  );
  const [grandchild, child, seed] = path;
  assert.equal(child?.sources?.["main"], main("x * x"));
  assert.equal(seed?.sources?.["main"], main("x + 0"));
  assert.equal(seed?.diff, null);
  const lines = child?.diff?.split("\n") ?? [];
  assert.ok(lines.includes("-export const f = (x) => x;"), child?.diff ?? "");
  assert.ok(lines.includes("+export const f = (x) => x * x;"));
  assert.equal(child?.diff?.includes("shared"), false);
  assert.equal(grandchild?.id, "grandchild");
}

test("Tracker keeps tests, components, time, failures and code of the dead", async () => {
  const runtime = await startRuntime();
  const tracker = new Tracker();
  tracker.follow(runtime.events);
  await liveAndDie(runtime);
  checkRecords(tracker);
  await checkPath(tracker);
  assert.deepEqual(tracker.fitness.fronts(["child"], { size: "minimise" }).flat(), [
    { id: "child", values: [7] },
  ]);
  assert.equal((await runtime.metrics()).subscriberFailures, 0);
});

test("openTracker() has tests, components, time, failures and code of the dead after a restart", async () => {
  const store = new MemoryStore();
  {
    const runtime = await startRuntime({ store });
    await using tracker = await openTracker(runtime);
    await liveAndDie(runtime);
    checkRecords(tracker);
    await tracker.close();
    await runtime.close();
  }
  const runtime = await startRuntime({ store });
  await using tracker = await openTracker(runtime);
  checkRecords(tracker);
  await checkPath(tracker);
});

test("openTracker() knows the code of sandboxes that were created before it", async () => {
  const runtime = await startRuntime();
  await runtime.create("early", { modules: { main: main("x"), other: "" } });
  await using tracker = await openTracker(runtime);
  await runtime.destroy("early");
  assert.deepEqual(tracker.lineage.sources("early"), { main: main("x"), other: "" });
});

test("Tracker drops the code of the dead that nobody descends from before that of ancestors and of the living", () => {
  const tracker = new Tracker({ sourceBytesMax: 1_000 });
  const { lineage } = tracker;
  const born = (id: string, ...parentIds: string[]): void =>
    lineage.born({ id, parentIds, checksum: id, sources: { main: id.padEnd(100, "-") } });
  born("seed");
  born("child", "seed");
  lineage.died("seed");
  for (let n = 0; n < 100; n++) {
    born(`dead-end-${n}`, "child");
    lineage.died(`dead-end-${n}`);
    assert.ok(tracker.size().sourceBytes <= 1_000);
  }
  assert.ok(lineage.sources("seed") !== null && lineage.sources("child") !== null);
  assert.equal(lineage.sources("dead-end-0"), null);
  assert.ok(lineage.sources("dead-end-99") !== null);
  for (let n = 0; n < 20; n++) born(`living-${n}`, "child");
  assert.equal(lineage.sources("seed"), null);
  assert.ok(tracker.size().sourceBytes <= 1_000);
  assert.equal(tracker.populations.register("p", ["living-0", "living-1"]).diversity.codes, 2);
});

test("Tracker drops the details of those that died first at its bound, and keeps their scores", () => {
  const tracker = new Tracker({ detailBytesMax: 2_000 });
  for (let n = 0; n < 100; n++) {
    tracker.lineage.born({ id: `${n}` });
    tracker.fitness.record({ id: `${n}`, score: n, result: "ok", components: { size: n }, evaluationMs: 5 });
    tracker.lineage.died(`${n}`);
    assert.ok(tracker.size().detailBytes <= 2_000);
  }
  const [first, last] = [tracker.fitness.get("0"), tracker.fitness.get("99")];
  assert.deepEqual([first?.score, first?.evaluationMs, first?.components], [0, 5, {}]);
  assert.deepEqual([last?.score, last?.components], [99, { size: 99 }]);
});
