// A tracker beside a real runtime: it hears of births, deaths and scores, and asks for nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unwrap } from "../../../src/index.ts";
import { Tracker } from "../../../src/evolution/index.ts";
import { Journal } from "../../../src/telemetry/index.ts";
import { mistakeOf } from "../../support/errors.ts";
import { startRuntime } from "../../support/runtimes.ts";

test("Tracker follows a runtime: births, forks, the broken, scores, failures and deaths", async () => {
  const runtime = await startRuntime();
  const tracker = new Tracker();
  const unfollow = tracker.follow(runtime.events);
  const main = "export const f = (x: number) => x + 1;";
  await runtime.create("seed", { modules: { main } });
  await runtime.create("twin", { modules: { main } });
  await runtime.fork("seed", {
    id: "child",
    modules: { main: "export const f = () => { throw new Error(); };" },
    mutation: { kind: "thrower" },
  });
  await runtime.batch.create([
    {
      id: "broken",
      modules: { main: "export const (" },
      ancestry: { parentIds: ["child", "twin"], generation: 2 },
    },
  ]);
  assert.deepEqual(tracker.lineage.origin("child").mutation, { kind: "thrower" });
  assert.deepEqual([...tracker.lineage.ancestors("broken")].sort(), ["child", "seed", "twin"]);

  await runtime.batch.evaluate(["seed", "twin", "child"], async (candidate) => ({
    score: unwrap(await candidate.call<number>("main.f", { args: [1] })),
    components: { size: 1 },
  }));
  await runtime.batch.evaluate(["twin"], () => Number.NaN, { onFailure: { score: 99 } });
  assert.deepEqual(tracker.fitness.top(3), [{ id: "seed", score: 2 }]);
  assert.equal(tracker.fitness.get("child")?.result, "crashed");
  // A score that the caller put in the place of a failure is no measurement.
  assert.deepEqual(
    [tracker.fitness.get("twin")?.score, tracker.fitness.get("twin")?.result],
    [null, "invalid-score"],
  );
  const { fitness } = await runtime.info("twin");
  assert.deepEqual([fitness?.score, fitness?.result], [null, "invalid-score"]);

  const population = tracker.populations.register("all", ["seed", "twin", "child"]);
  assert.deepEqual(population.diversity, { members: 3, codes: 2, share: 1 - 2 / 6 });
  assert.deepEqual([population.fitnessStats.scored, population.fitnessStats.failed], [1, 2]);

  await runtime.destroy("seed");
  assert.equal(tracker.lineage.origin("seed").living, false);
  assert.deepEqual(tracker.fitness.get("seed")?.score, 2);
  unfollow();
  await runtime.create("unheard", { modules: { main } });
  assert.equal(tracker.size().individuals, 4);
  assert.equal((await runtime.metrics()).subscriberFailures, 0);
});

test("Tracker gives an individual no score of the one that had its id before it", async () => {
  const runtime = await startRuntime();
  const tracker = new Tracker();
  tracker.follow(runtime.events);
  const modules = { main: "export const f = () => 5;" };
  const measured = Promise.withResolvers<void>();
  const replaced = Promise.withResolvers<void>();
  await runtime.create("a", { modules });
  const batch = runtime.batch.evaluate(["a"], async (candidate) => {
    const score = unwrap(await candidate.call<number>("main.f"));
    measured.resolve();
    await replaced.promise;
    return score;
  });
  await measured.promise;
  await runtime.destroy("a");
  const { createdAt } = await (await runtime.create("a", { modules })).info();
  replaced.resolve();
  await batch;
  assert.equal(tracker.fitness.get("a"), undefined);
  assert.deepEqual(tracker.fitness.top(1), []);
  const heard: number[] = [];
  runtime.events.on("fitness.computed", (event) => heard.push(event.createdAt));
  await runtime.batch.evaluate(["a"], () => 3);
  assert.deepEqual([tracker.fitness.get("a")?.score, heard], [3, [createdAt]]);
});

test("adjust() is heard by all who listen to the runtime, stands in info, and is told to nobody after that", async () => {
  const runtime = await startRuntime();
  const tracker = new Tracker();
  const unfollow = tracker.follow(runtime.events);
  const journal = new Journal(runtime.events);
  await runtime.create("a", { modules: { main: "export const f = 1;" } });
  await runtime.batch.evaluate(["a"], () => 2);
  const adjusted = { sandboxId: "a", delta: -0.5, score: 1.5, reason: "three anomalies" };
  assert.equal(tracker.fitness.adjust("a", adjusted.delta, adjusted.reason), adjusted.score);
  unfollow();
  tracker.fitness.adjust("a", 1, "nobody is followed");
  assert.deepEqual(
    journal.entries().flatMap(({ name, event }) => (name === "fitness.adjusted" ? [event] : [])),
    [adjusted],
  );
  assert.equal((await runtime.info("a")).fitness?.score, adjusted.score);
  assert.equal((await runtime.metrics()).subscriberFailures, 0);
});

test("Tracker refuses bounds that are none", async () => {
  for (const options of [{ individualsMax: 1 }, { retainGenerations: 0 }, { mutationBytesMax: -1 }])
    await mistakeOf(() => new Tracker(options), "INVALID_OPTIONS");
  await mistakeOf(() => new Tracker({ direction: "up" as never }), "INVALID_OPTIONS");
});
