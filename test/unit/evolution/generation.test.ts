// The living and the dead of a population, and batches over a generation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Tracker } from "../../../src/evolution/index.ts";
import { mistakeOf } from "../../support/errors.ts";
import { startRuntime } from "../../support/runtimes.ts";

const main = (n: number): string => `export const f = () => ${n};`;

test("members() tells the living from the dead, in every generation that is retained", async () => {
  const runtime = await startRuntime();
  const { populations } = followedBy(runtime);
  for (const id of ["a", "b", "c"]) await runtime.create(id, { modules: { main: main(1) } });
  populations.register("island", ["a", "b", "unheard"]);
  await runtime.batch.evaluate(["a", "b"], ({ id }) => (id === "a" ? 1 : Number.NaN));
  await runtime.destroy("b");
  assert.deepEqual(populations.members("island"), ["a", "b", "unheard"]);
  assert.deepEqual(populations.members("island", { living: true }), ["a"]);
  assert.deepEqual(populations.members("island", { living: false }), ["b", "unheard"]);
  // Another one of that id is no member.
  await runtime.create("b", { modules: { main: main(2) } });
  assert.deepEqual(populations.members("island", { living: true }), ["a"]);
  populations.advance("island", ["c"]);
  assert.deepEqual(populations.members("island", { living: true, generation: 0 }), ["a"]);
  assert.deepEqual(populations.individuals("island", { generation: 0 }), [
    { id: "a", living: true, score: 1, result: "ok" },
    { id: "b", living: false, score: null, result: "none" },
    { id: "unheard", living: false, score: null, result: "none" },
  ]);
  await mistakeOf(() => populations.members("island", { generation: 2 }), "INVALID_OPTIONS");
  await mistakeOf(() => populations.members("island", { alive: true } as never), "INVALID_OPTIONS");
});

test("generation() does what it is told to the living members of one generation", async () => {
  const runtime = await startRuntime();
  const { populations, lineage, fitness } = followedBy(runtime);
  await runtime.batch.create(["a", "b", "c", "d"].map((id) => ({ id, modules: { main: main(1) } })));
  populations.register("island", ["a", "b", "c"]);
  await runtime.destroy("c");
  const first = populations.generation("island", runtime);
  await first.hotReload((_id, index) => ({ main: main(index + 1) }));
  const outcomes = await first.call<number>("main.f");
  assert.deepEqual(
    outcomes.map((one) => [one.sandboxId, one.ok && one.value]),
    [
      ["a", 1],
      ["b", 2],
    ],
  );
  assert.equal(
    (await first.run((modules) => Object.keys(modules).length)).every(({ ok }) => ok),
    true,
  );
  await first.evaluate(async (candidate) => {
    const outcome = await candidate.call<number>("main.f");
    return outcome.ok ? outcome.value : Number.NaN;
  });
  assert.deepEqual(fitness.top(1), [{ id: "b", score: 2 }]);
  await first.fork((id) => ({ id: `${id}2`, parentIds: id === "a" ? ["b"] : [] }), { concurrency: 1 });
  assert.deepEqual(lineage.origin("a2").parentIds, ["a", "b"]);
  populations.advance("island", ["a2", "b2"]);
  // It is whichever generation is the present one, unless it was named.
  assert.deepEqual(first.sandboxIds, ["a2", "b2"]);
  await populations.generation("island", runtime, 0).destroy();
  assert.deepEqual((await runtime.list()).map(({ id }) => id).sort(), ["a2", "b2", "d"]);
  await mistakeOf(() => populations.generation("island", runtime, 7), "INVALID_OPTIONS");
  await mistakeOf(() => populations.generation("island", {} as never), "INVALID_OPTIONS");
});

function followedBy(runtime: Awaited<ReturnType<typeof startRuntime>>): Tracker {
  const tracker = new Tracker();
  tracker.follow(runtime.events);
  return tracker;
}
