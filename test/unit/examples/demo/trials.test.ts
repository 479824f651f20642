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

function trialsOf(problem: ReturnType<typeof square>): Trials {
  const { signal } = new AbortController();
  // A source of randomness that makes no program hostile.
  const random = { ...seededRandom(1), next: () => 0.5 };
  return new Trials({ runtime, problem, tracker: new Tracker(), signal, random, onProgress: () => {} });
}
