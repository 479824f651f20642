// The demo's problems, evolved in sandboxes: exact where they can be, and the same again for the same seed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { breed } from "../../../../examples/demo/breeding.ts";
import { seededRandom } from "../../../../examples/demo/random.ts";
import { nguyen, quickSum, square } from "../../../../examples/demo/functions.ts";
import type { Problem } from "../../../../examples/demo/problem.ts";
import { Run } from "../../../../examples/demo/run.ts";
import { Trials } from "../../../../examples/demo/trials.ts";
import { Tracker } from "vivarium/evolution";
import { startBuiltRuntime } from "./runtime.ts";

const runtime = await startBuiltRuntime(2);

async function evolve(problem: Problem, seed: number, evaluationsMax: number): Promise<Run> {
  const tracker = new Tracker({ direction: "minimise" });
  const unfollow = tracker.follow(runtime.events);
  const { signal } = new AbortController();
  const terms = { problem, seed, population: 100, islands: 4, evaluationsMax, durationMsMax: Infinity };
  const random = seededRandom(seed + 1);
  const trials = new Trials({ runtime, problem, tracker, signal, random, onProgress: () => {} });
  const run = new Run(terms, { trials, tracker });
  const tryAll = trials.tryAll.bind(trials);
  for await (const generation of breed({
    ...terms,
    grammar: problem.grammar,
    random: seededRandom(seed),
    tryAll,
  })) {
    await run.add(generation);
    if (run.isOver) break;
  }
  unfollow();
  return run;
}

test("the square is found exactly for ten of ten seeds, within 20 generations", async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const run = await evolve(square(), seed, 2_000);
    assert.equal(run.champion?.chosen, 0, `seed ${seed}: ${run.champion?.individual.code}`);
    assert.ok(run.generation <= 20);
    const { report } = await run.result(runtime);
    assert.deepEqual(report[1], ["mean error", "0"]);
  }
});

test("fuel as a part of fitness leads from a loop to a formula", async () => {
  const run = await evolve(quickSum(), 4, 1_000);
  const code = run.champion?.individual.code ?? "";
  const { report } = await run.result(runtime);
  assert.deepEqual(report[1], ["mean error", "0"], code);
  assert.ok(!code.includes("sum("), code);
});

test("a Nguyen problem is found, and the same seed breeds the same program in as many evaluations", async () => {
  const terms = { seed: 2, datasets: [] };
  const [one, other] = [await evolve(nguyen(1, terms), 2, 3_000), await evolve(nguyen(1, terms), 2, 3_000)];
  assert.ok((one.champion?.chosen ?? Infinity) < 0.05, `got ${one.champion?.individual.code}`);
  assert.equal(other.champion?.individual.code, one.champion?.individual.code);
  assert.deepEqual(other.history, one.history);
  assert.deepEqual(other.trials.outcomes, one.trials.outcomes);
});
