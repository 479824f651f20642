// Trials: an evaluation that failed without fault of the program is repeated, and not counted twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../../../examples/demo/random.ts";
import { square } from "../../../../examples/demo/functions.ts";
import { Trials } from "../../../../examples/demo/trials.ts";
import { Tracker } from "vivarium/evolution";
import { GuestFailedError } from "vivarium";
import { startBuiltRuntime } from "./runtime.ts";

const runtime = await startBuiltRuntime(1);
const individuals = ["x", "(x + x)", "(x * x)"].map((code, index) => ({
  id: `i${index}`,
  code,
  tree: { op: "x", args: [] },
  parentIds: [],
  generation: 0,
  mutation: "seed",
  steps: 0,
}));

test("Trials evaluates again what a busy machine failed, without counting it twice", async () => {
  const seen = new Set<string>();
  const problem = {
    ...square(),
    train: async ({ id }: { readonly id: string }) => {
      if (seen.has(id)) return 5;
      seen.add(id);
      throw new GuestFailedError({ kind: "cell-lost", message: "not its fault" });
    },
  };
  const trials = trialsOf(problem);
  assert.deepEqual(await trials.tryAll(individuals), [5, 5, 5]);
  assert.deepEqual(
    [trials.evaluations, trials.repeated, trials.outcomes],
    [3, { "cell-lost": 3 }, { ok: 3 }],
  );
});

test("Trials takes a program's own failure for what it is, and never runs what it knows again", async () => {
  const trials = trialsOf({
    ...square(),
    toProgram: () => "export function f(): number {\n  while (true);\n}",
  });
  assert.deepEqual(await trials.tryAll(individuals), [null, null, null]);
  assert.deepEqual(await trials.tryAll(individuals.map((one) => ({ ...one, id: `${one.id}-again` }))), [
    null,
    null,
    null,
  ]);
  assert.deepEqual([trials.evaluations, trials.repeated, trials.outcomes], [3, {}, { fuel: 3 }]);
});

test("Trials counts what is evaluated as it comes: the parts add up at every moment", async () => {
  const { signal } = new AbortController();
  let moments = 0;
  const trials: Trials = new Trials({
    runtime,
    problem: { ...square(), choose: square().train },
    tracker: new Tracker(),
    signal,
    // Makes the first one hostile, and no other.
    random: { ...seededRandom(1), next: () => (moments++ === 0 ? 0 : 0.5), pick: (list) => list[0] as never },
    onProgress: () => assertSum(trials),
  });
  assert.deepEqual(await trials.tryAll(individuals), [null, 18.5, 0]);
  assert.equal(trials.leading?.code, "(x * x)");
  const scored = individuals.slice(1).map((individual) => ({ ...individual, score: 0 }));
  assert.deepEqual(await trials.chooseAll(scored), [18.5, 0]);
  assertSum(trials);
  assert.deepEqual(trials.counts, {
    evaluations: 5,
    outcomes: { ok: 2 },
    fates: { forever: { fuel: 1 } },
    choices: 2,
    repeated: {},
  });
});

function assertSum({ counts }: Trials): void {
  const { evaluations, outcomes, fates, choices } = counts;
  const all = [outcomes, ...Object.values(fates)].flatMap((kinds) => Object.values(kinds));
  assert.equal(
    all.reduce((sum, count) => sum + count, choices),
    evaluations,
  );
}

function trialsOf(problem: ReturnType<typeof square>): Trials {
  const { signal } = new AbortController();
  // A source of randomness that makes no program hostile.
  const random = { ...seededRandom(1), next: () => 0.5 };
  return new Trials({ runtime, problem, tracker: new Tracker(), signal, random, onProgress: () => {} });
}
