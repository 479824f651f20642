// A page that follows a server comes to the truth, whatever happened on the way: hundreds of seeds, each a world of its own. A seed
// that fails is printed; SEED=n does it alone.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Changes } from "../../../dashboard/src/model/changes.ts";
import { Model } from "../../../dashboard/src/model/model.ts";
import { LiveSource } from "../../../dashboard/src/source/live.ts";
import { RecordedSource } from "../../../dashboard/src/source/recorded.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { sampleDump } from "../../browser/support/sample-dump.ts";
import { Dice } from "../../simulation/dice.ts";
import { LiveWorld } from "./live-world.ts";

const given = process.env["SEED"];
const seeds = given === undefined ? Array.from({ length: 300 }, (_, seed) => seed) : [Number(given)];
const turn = (): Promise<void> => new Promise((go) => setImmediate(go));
const modelAt = (clock: FakeClock): Model =>
  new Model(new Changes(100, { now: () => clock.monotonic(), after: () => {} }));

async function eachSeed(act: (seed: number) => Promise<void>): Promise<void> {
  for (const seed of seeds)
    try {
      await act(seed);
    } catch (error) {
      throw new Error(`Seed ${seed} fails: SEED=${seed} does it alone.`, { cause: error });
    }
}

function begin(seed: number) {
  const clock = new FakeClock({ now: 1_000_000 });
  const dice = new Dice(seed, "steps");
  const world = new LiveWorld(new Dice(seed, "world"), clock);
  const model = modelAt(clock);
  for (let count = dice.between(0, 20); count > 0; count--) world.birth();
  const source = new LiveSource({ runtime: world.runtime, model, origin: "a simulation", clock });
  world.listener = source;
  source.begin();
  const step = async (): Promise<void> => {
    world.step();
    clock.advance(dice.pick([1, 1, 10, 100, 1_000]));
    if (dice.chance(0.5)) await turn();
  };
  return { clock, dice, world, model, source, step };
}

// Each by what it is: rows may have another order than the births, as events overtake pages.
const inOrder = (list: readonly object[]): readonly string[] =>
  list.map((one) => JSON.stringify(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();

// What a view shows; rows of parents by their places.
function shown({ individuals }: Model): readonly object[] {
  return Array.from({ length: individuals.size }, (_, row) => ({
    id: individuals.id(row),
    parents: individuals.parents(row),
    generation: individuals.generation(row),
    state: individuals.state(row),
    score: individuals.score(row),
    result: individuals.result(row),
    population: individuals.population(row),
  }));
}

suite("a page that follows a server", () => {
  test("shows the truth once nothing happens any more", () =>
    eachSeed(async (seed) => {
      const { clock, dice, world, model, source, step } = begin(seed);
      for (let left = dice.between(20, 300); left > 0; left--) await step();
      world.isCalm = true;
      for (let steps = 0; !world.isTold; steps++) {
        assert.ok(steps < 5_000, "It comes to no end.");
        await step();
      }
      // A reading that rests is over, those that follow it too.
      for (let looks = 0; looks < 3; looks++) {
        clock.advance(600_000);
        for (let left = 8; left > 0; left--) {
          await turn();
          while (world.asked > 0) {
            world.answer();
            await turn();
          }
          clock.advance(3_000);
        }
      }
      const nameOf = (at: number): string =>
        `${model.individuals.id(at)}/${model.individuals.evaluatedAt(at)}`;
      const truth = world.rows.map(({ id, parents, generation, state, score, result, population }) => ({
        ...{ id, generation, state, score, result, population },
        parents: parents.map((one) => `${one.id}/${one.evaluatedAt ?? Number.NaN}`).sort(),
      }));
      const seen = shown(model).map((one) => ({ ...one, parents: parentsOf(one).map(nameOf).sort() }));
      assert.deepEqual(inOrder(seen), inOrder(truth));
      const scores = world.rows.flatMap(({ score }) => score ?? []);
      const best = scores.length === 0 ? Number.NaN : Math.max(...scores);
      assert.equal(model.individuals.score(model.individuals.best), best);
      const evaluated = world.rows.filter(({ evaluations }) => evaluations > 0);
      const most = evaluated.reduce((sum, { evaluations }) => sum + evaluations, 0);
      assert.equal(model.individuals.counts.evaluated, evaluated.length);
      const { total } = model.evaluations;
      assert.ok(total >= evaluated.length && total <= most, `${total} of ${evaluated.length}–${most}`);
      source.close();
      await turn();
      assert.deepEqual([clock.pending, world.asked, world.isListenedTo], [0, 0, false]);
    }));

  test("has nothing under way once it is closed, at any moment", () =>
    eachSeed(async (seed) => {
      const { clock, dice, world, model, source, step } = begin(seed);
      for (let left = dice.between(0, 60); left > 0; left--) await step();
      source.close();
      const before = [model.individuals.changed, model.events.total, model.connection];
      await turn();
      assert.deepEqual([clock.pending, world.asked, world.isListenedTo], [0, 0, false]);
      for (let left = 20; left > 0; left--) await step();
      assert.deepEqual([clock.pending, world.asked], [0, 0]);
      assert.deepEqual([model.individuals.changed, model.events.total, model.connection], before);
    }));
});

suite("a document", () => {
  test("shows at any time what one that was just opened shows", async () => {
    const dump = sampleDump({ individuals: 120 });
    const clock = new FakeClock();
    const model = modelAt(clock);
    const { slider } = new RecordedSource(dump, model);
    const dice = new Dice(Number(given ?? 1), "times");
    for (let count = 0; count < 200; count++) {
      const at = slider.from + ((slider.to - slider.from) * dice.between(-5, 105)) / 100;
      slider.seek(at);
      const fresh = modelAt(clock);
      const other = new RecordedSource(dump, fresh).slider;
      other.seek(other.from - 1);
      other.seek(at);
      assert.deepEqual(shown(model), shown(fresh));
      assert.deepEqual(
        [model.individuals.best, model.individuals.counts, model.events.total, model.evaluations.total],
        [fresh.individuals.best, fresh.individuals.counts, fresh.events.total, fresh.evaluations.total],
      );
      assert.deepEqual([...model.kills.totals()], [...fresh.kills.totals()]);
    }
  });
});

const parentsOf = (one: object): readonly number[] =>
  (one as { readonly parents: readonly number[] }).parents;
