// What the page knows, and that it stays right where events come twice, late, out of order, or by the million.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Changes } from "../../../dashboard/src/model/changes.ts";
import { Model } from "../../../dashboard/src/model/model.ts";
import { Samples } from "../../../dashboard/src/model/samples.ts";
import { Timeline } from "../../../dashboard/src/model/timeline.ts";
import { EventLog } from "../../../dashboard/src/model/event-log.ts";
import type { AnyEvent } from "../../../src/index.ts";
import { entry } from "./entries.ts";

const quiet = (): Model => new Model(new Changes(100, { now: () => 0, after: () => {} }));
const born = (sandboxId: string, at: number, parentIds: readonly string[] = []): AnyEvent => ({
  name: "lineage.born",
  at,
  event: { sandboxId, parentIds, generation: 1, mutation: null, depth: 1, checksum: null, createdAt: at },
});
const died = (sandboxId: string, at: number): AnyEvent => ({
  name: "sandbox.destroy.stop",
  at,
  event: { sandboxId, reason: "call", result: "ok", durationMs: 1 },
});
const computed = (sandboxId: string, at: number, score: number | null): AnyEvent => ({
  name: "fitness.computed",
  at,
  event: {
    ...{ sandboxId, score, result: score === null ? "timeout" : "ok", population: "default", components: {} },
    ...{ revision: 1, generation: 0, createdAt: 0, evaluatedAt: at, durationMs: 1, message: null },
  },
});

suite("Individuals", () => {
  test("an id that is used again is another individual, and the dead one stays what it was", () => {
    const model = quiet();
    for (const any of [born("a", 1), computed("a", 2, 5), died("a", 3), born("a", 4), computed("a", 5, 3)])
      model.apply(any);
    const { individuals } = model;
    assert.equal(individuals.size, 2);
    assert.deepEqual([individuals.state(0), individuals.score(0)], ["dead", 5]);
    assert.deepEqual([individuals.state(1), individuals.score(1)], ["living", 3]);
    assert.equal(individuals.find("a"), 1);
    assert.equal(individuals.best, 0);
  });

  test("an individual may have a dead one of its own id as its parent", () => {
    const { individuals } = quietly([born("a", 1), died("a", 2), born("a", 3, ["a"])]);
    const row = individuals.find("a");
    assert.notEqual(row, undefined);
    assert.deepEqual(
      individuals.path(row ?? -1).map((at) => individuals.id(at)),
      ["a", "a"],
    );
    assert.equal(individuals.state(row ?? -1), "living");
  });

  test("one that names its own id as a parent has none where nobody had the id before", () => {
    const model = quietly([born("a", 1, ["a"]), born("b", 2, ["a", "b"])]);
    const { individuals } = model;
    assert.equal(individuals.size, 2);
    assert.deepEqual([individuals.parents(0), individuals.parents(1)], [[], [0]]);
    model.addEntries([entry("c", { parentIds: ["c"] }), entry("c", { parentIds: ["c"] })]);
    assert.deepEqual([individuals.size, individuals.parents(2), individuals.parents(3)], [4, [], [2]]);
    assert.equal(individuals.find("c"), 3);
  });

  test("a parent that is told of late has its row already", () => {
    const { individuals } = quietly([born("child", 1, ["parent"])]);
    const parent = individuals.find("parent") ?? -1;
    assert.equal(individuals.state(parent), "awaited");
    individuals.born({ id: "parent", parentIds: ["seed"], generation: 0, at: 2 });
    assert.equal(individuals.size, 3);
    assert.equal(individuals.find("parent"), parent);
    const child = individuals.find("child") ?? -1;
    assert.deepEqual(
      individuals.path(child).map((row) => individuals.id(row)),
      ["seed", "parent", "child"],
    );
  });

  test("what is told twice is one, by events and by pages", () => {
    const model = quietly([born("a", 1), born("a", 1), computed("a", 2, 5), computed("a", 2, 5)]);
    model.addEntries([entry("a", { score: 5, result: "ok", evaluatedAt: 2 })]);
    assert.deepEqual([model.individuals.size, model.evaluations.total], [1, 1]);
    assert.deepEqual(model.individuals.counts, { scored: 1, evaluated: 1 });
  });

  test("the best is found again where its score becomes worse or goes", () => {
    const model = quietly([born("a", 1), computed("a", 2, 5), born("b", 3), computed("b", 4, 4)]);
    assert.equal(model.individuals.best, 0);
    model.apply({
      name: "fitness.adjusted",
      at: 5,
      event: { sandboxId: "a", delta: -3, score: 2, reason: "" },
    });
    assert.equal(model.individuals.best, 1);
    model.apply(computed("b", 6, null));
    assert.equal(model.individuals.best, 0);
    model.apply(computed("a", 7, null));
    assert.equal(model.individuals.best, -1);
  });

  test("a circle of parents ends", () => {
    const { individuals } = quietly([born("a", 1, ["b"]), born("b", 2, ["a"])]);
    const row = individuals.find("a") ?? -1;
    assert.equal(individuals.path(row).length, 2);
    assert.deepEqual([individuals.parents(row), individuals.children(row)], [[1 - row], [1 - row]]);
  });

  test("an individual that is its own parent does not end itself", () => {
    const { individuals } = quietly([born("a", 1, ["a"])]);
    assert.equal(individuals.state(individuals.find("a") ?? -1), "living");
  });

  test("more than 256 results are told apart", () => {
    const model = quiet();
    for (let index = 0; index < 300; index++)
      model.addEntries([entry(`i${index}`, { result: `made-${index}` as "ok", evaluatedAt: index })]);
    assert.equal(model.individuals.result(299), "made-299");
    assert.equal(model.individuals.result(0), "made-0");
  });
});

suite("bounds", () => {
  test("a million events take no more room than the log, the slices and the samples have", () => {
    const model = quiet();
    for (let at = 0; at < 1_000_000; at++)
      model.apply(
        at % 2 === 0
          ? { name: "sandbox.killed", at: at * 10, event: { sandboxId: "a", reason: "timeout" } }
          : { name: "resource.sampled", at: at * 10, event: { cells: 1, rssBytes: at, sandboxes: 1 } },
      );
    assert.deepEqual([model.events.size, model.events.total], [10_000, 1_000_000]);
    assert.equal(model.events.at(0)?.number, 990_001);
    assert.equal(model.events.latest(1)[0]?.number, 1_000_000);
    assert.ok(model.kills.slices().length <= 240);
    assert.equal(model.kills.totals().get("timeout"), 500_000);
    assert.ok(model.samples.list.length <= 600);
    assert.equal(model.samples.latest?.rssBytes, 999_999);
    assert.equal(model.individuals.size, 0);
  });

  test("slices of far apart times are few, and lose nothing", () => {
    const timeline = new Timeline();
    for (const at of [0, 1e12, Number.NaN, Infinity, -1e12]) timeline.add("ok", at);
    for (let at = 0; at < 1_000; at++) timeline.add("ok", at * 1e9);
    assert.equal(timeline.total, 1_003);
    assert.equal(timeline.totals().get("ok"), 1_003);
    assert.ok(timeline.slices().length <= 240);
    timeline.clear();
    assert.deepEqual([timeline.total, timeline.slices().length, timeline.sliceMs], [0, 0, 1_000]);
  });

  test("a log that is cleared counts anew, and an empty one has nothing", () => {
    const log = new EventLog(2);
    assert.equal(log.at(0), undefined);
    for (let at = 0; at < 5; at++) log.push(born("a", at));
    log.clear();
    log.push(born("b", 9));
    assert.deepEqual([log.size, log.total, log.at(0)?.number], [1, 1, 1]);
  });

  test("of samples every second is dropped, and the first and the latest are near the ends", () => {
    const samples = new Samples();
    for (let at = 1; at <= 5_000; at++) samples.push({ at, rssBytes: 1, cells: 1, sandboxes: 1 });
    assert.equal(samples.latest?.at, 5_000);
    assert.ok((samples.list[0]?.at ?? Infinity) < 32);
  });
});

test("listeners are told once in a pause, however often something changes", () => {
  let now = 0;
  const waiting: { readonly at: number; readonly act: () => void }[] = [];
  const changes = new Changes(100, {
    now: () => now,
    after: (ms, act) => void waiting.push({ at: now + ms, act }),
  });
  let told = 0;
  const end = changes.on(() => told++);
  for (let at = 0; at < 50; at++) changes.mark();
  assert.deepEqual(
    waiting.map(({ at }) => at),
    [0],
  );
  waiting.shift()?.act();
  changes.mark();
  changes.mark();
  assert.deepEqual(
    waiting.map(({ at }) => at),
    [100],
  );
  now = 100;
  end();
  waiting.shift()?.act();
  assert.equal(told, 1);
});

test("the best of many may change often: nobody looks at all of them for each change", () => {
  const model = quiet();
  const { individuals } = model;
  const count = 5_000;
  model.addEntries(Array.from({ length: count }, (_, at) => entry(`i${at}`, { score: at, result: "ok" })));
  const best = count - 1;
  let looks = 0;
  const score = individuals.score.bind(individuals);
  individuals.score = (row) => {
    looks++;
    return score(row);
  };
  for (let at = 0; at < count; at++) individuals.setScore(best, count * 2 - at);
  individuals.setScore(best, 3);
  individuals.setScore(best - 1, 4);
  individuals.setScore(10, count);
  assert.equal(individuals.id(individuals.best), "i10");
  individuals.setScore(10, 0);
  assert.equal(individuals.best, best - 2);
  individuals.setScore(20, count);
  assert.equal(individuals.best, 20);
  individuals.setScore(20, Number.NaN);
  assert.equal(individuals.best, best - 2);
  assert.ok(looks < count * 20, `It looked at ${looks} scores.`);
});

function quietly(events: readonly AnyEvent[]): Model {
  const model = quiet();
  for (const any of events) model.apply(any);
  return model;
}
