// What a runtime says of itself over HTTP, and what only administrators may do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Tracker } from "../../../src/evolution/index.ts";
import { createRuntime } from "../../../src/index.ts";
import { Folder } from "../../support/folders.ts";
import { serve } from "../../support/served.ts";

const { give, ask, refuse, runtime } = await serve();
const main = (n: number): string => `export const f = () => ${n};`;
await runtime.create("seed", { modules: { main: main(1) } });
await runtime.fork("seed", { id: "child", modules: { main: main(2) }, mutation: "better" });
await runtime.batch.evaluate(["seed", "child"], async (candidate) => {
  const outcome = await candidate.call<number>("main.f");
  return outcome.ok ? outcome.value : 0;
});

test("about says which server this is and what the token may do", async () => {
  const about = await give("GET /v1/about");
  assert.deepEqual(about, {
    name: "vivarium",
    version: "0.1.0",
    api: "v1",
    scope: "admin",
    tenant: null,
    stored: false,
    heartbeatMs: 15_000,
  });
});

test("lineage tells the way to the seed, with scores and differences", async () => {
  const report = await give<{ path: { id: string; score: number; diff: string | null }[] }>(
    "GET /v1/lineage/child",
  );
  assert.deepEqual(
    report.path.map(({ id, score }) => [id, score]),
    [
      ["child", 2],
      ["seed", 1],
    ],
  );
  assert.match(report.path[0]?.diff ?? "", /^\+.*2/m);
  const cut = await give("GET /v1/lineage/child?limit=1");
  assert.equal(cut["more"], true);
  await refuse("GET /v1/lineage/nobody", "SANDBOX_NOT_FOUND");
});

test("population sums up the living", async () => {
  const report = await give("GET /v1/population?best=1&direction=minimise");
  assert.deepEqual(report, {
    size: 2,
    byStatus: { running: 2 },
    byResult: { ok: 2 },
    generations: { min: 0, max: 1 },
    scores: { min: 1, max: 2, mean: 1.5, median: 1.5 },
    best: [{ id: "seed", score: 1, generation: 0 }],
  });
  await refuse("GET /v1/population?direction=up", "INVALID_OPTIONS");
  await refuse("GET /v1/population?best=x", "INVALID_OPTIONS");
});

test("individuals are told page by page, and each with its code and its parent's", async () => {
  const first = await give("GET /v1/individuals?limit=1");
  const shared = { depth: 0, state: "living", result: "ok", components: {}, population: null };
  const [seed] = first["individuals"] as Record<string, unknown>[];
  const { evaluatedAt, evaluationMs, ...known } = seed ?? {};
  assert.deepEqual(known, { ...shared, id: "seed", parentIds: [], generation: 0, score: 1 });
  assert.ok(Number(evaluatedAt) > 0 && Number(evaluationMs) > 0);
  assert.deepEqual(
    { ...first, individuals: [] },
    { direction: "maximise", individuals: [], next: 1, total: 2, forgotten: 0 },
  );
  const second = await give<{ individuals: { id: string; parentIds: string[] }[]; next: null }>(
    "GET /v1/individuals?after=1&details=false",
  );
  assert.deepEqual(
    [second.individuals.map(({ id, parentIds }) => [id, parentIds]), second.next],
    [[["child", ["seed"]]], null],
  );
  const { sources, parentSources, mutation, tests, adjustments, message } =
    await give("GET /v1/individuals/child");
  assert.deepEqual([sources, parentSources], [{ main: main(2) }, { main: main(1) }]);
  assert.deepEqual([mutation, tests, adjustments, message], ["better", [], [], null]);
  await refuse("GET /v1/individuals/nobody", "SANDBOX_NOT_FOUND");
  for (const query of ["limit=0", "limit=10001", "after=-1", "details=1", "more=1"])
    await refuse(`GET /v1/individuals?${query}`, "INVALID_OPTIONS");
});

test("runs are told as far as they have the form of one", async () => {
  const told = { title: "x".repeat(300), seed: 7, state: "done", best: "high", direction: "up", options: {} };
  const many = Array.from({ length: 1_001 }, (_, index) => [`z-${index}`, index] as const);
  await runtime.documents.write("runs", new Map<string, unknown>([["a", told], ["b", [1]], ...many]));
  const { runs } = await give<{ runs: Record<string, unknown>[] }>("GET /v1/runs");
  const nothing = Object.fromEntries(Object.keys(runs[0] ?? {}).map((name) => [name, null]));
  assert.deepEqual(runs[0], { ...nothing, name: "a", title: "x".repeat(200), seed: 7, state: "done" });
  assert.deepEqual(runs[1], { ...nothing, name: "b" });
  assert.equal(Object.keys(nothing).length, 14);
  assert.equal(runs.length, 1_000);
});

test("figures, health, the audit log and the journal are there", async () => {
  assert.equal(typeof (await give("GET /v1/metrics"))["tombstones"], "number");
  assert.equal((await give("GET /v1/health"))["status"], "ok");
  assert.deepEqual(await give("GET /v1/audit?kind=denied&limit=5"), { entries: [] });
  assert.deepEqual(await give("GET /v1/journal?limit=5"), { entries: [] });
});

test("a sweep is made, documents are written, read and removed, and nothing is compacted without a data folder", async () => {
  assert.equal(typeof (await give("POST /v1/collect"))["expired"], "number");
  const rows = [
    ["a", { n: 1 }],
    ["b", null],
  ];
  assert.equal((await ask("POST /v1/documents", { body: { collection: "mine", rows } })).status, 204);
  assert.deepEqual(await give("GET /v1/documents?collection=mine"), { rows });
  await ask("POST /v1/documents", { body: { collection: "mine", remove: ["a"] } });
  assert.deepEqual(await give("GET /v1/documents?collection=mine&after=a"), { rows: [["b", null]] });
  await refuse("POST /v1/data/compact", "INVALID_OPTIONS");
});

test("a runtime with a data folder is compacted, has a journal, and a lineage that outlives its server", async () => {
  using folder = new Folder();
  await using stored = await createRuntime({ data: folder.path, cells: { count: 1, spare: 0, warm: 1 } });
  const served = await serve({}, stored);
  await served.give("POST /v1/sandboxes", { body: { id: "kept", modules: { main: main(1) } } });
  assert.equal((await served.give<{ path: unknown[] }>("GET /v1/lineage/kept")).path.length, 1);
  assert.equal((await served.give("GET /v1/about"))["stored"], true);
  assert.ok(await served.give("POST /v1/data/compact"));
  const { entries } = await served.give<{ entries: { name: string }[] }>("GET /v1/journal");
  assert.ok(entries.some(({ name }) => name === "lineage.born"));
  await served.server.close();
  const second = await serve({}, stored);
  assert.equal((await second.give<{ path: unknown[] }>("GET /v1/lineage/kept")).path.length, 1);
  await second.server.close();
});

test("a tracker that is given answers, and is not closed with the server", async () => {
  const tracker = new Tracker();
  tracker.follow(runtime.events);
  const served = await serve({ tracker }, runtime);
  await served.refuse("GET /v1/lineage/seed", "SANDBOX_NOT_FOUND");
  await served.give("POST /v1/sandboxes", { body: { id: "late", modules: { main: main(3) } } });
  assert.equal((await served.give<{ path: unknown[] }>("GET /v1/lineage/late")).path.length, 1);
  await served.server.close();
  await runtime.destroy("late");
  assert.equal(tracker.size().living, 0);
});
