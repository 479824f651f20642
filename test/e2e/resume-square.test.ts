// A run of the example that squares, interrupted: it continues from its latest finished generation, and ends as if nothing
// had been.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { MemoryStore } from "vivarium";
import type { Given } from "../../examples/evolve-square/options.ts";
import { run, type Ended } from "../../examples/evolve-square/run.ts";
import { interruptedAt, withStore, type Cut } from "./interrupted.ts";

const given: Given = { population: 40, generations: 5, seed: 3, data: "run-1", isFresh: false };
const nothing: Given = {
  population: undefined,
  generations: undefined,
  seed: undefined,
  data: "run-1",
  isFresh: false,
};
const { signal } = new AbortController();
const finish = (store: MemoryStore, options: Given): Promise<Ended> =>
  withStore(store, (runtime) => run(runtime, options, signal));
const interrupt = (store: MemoryStore, cut: Cut): Promise<void> =>
  interruptedAt(store, cut, (runtime, signal) => run(runtime, given, signal));

/** All that must not depend on interruptions. */
function essence({ totals: { best, generations, evaluations, outcomes }, settings }: Ended): object {
  return { best: JSON.stringify(best), generations, evaluations, scored: outcomes["ok"], settings };
}

let whole: Ended;
before(async () => {
  whole = await finish(new MemoryStore(), { ...given, data: undefined });
});

test("evolve-square, interrupted in and after generations, has the same result and needs no option but its folder", async () => {
  const store = new MemoryStore();
  for (const cut of [
    { of: "sandboxes", after: 33 },
    { of: "documents", after: 2 },
    { of: "sandboxes", after: 77 },
  ] as const)
    await interrupt(store, cut);
  assert.deepEqual(essence(await finish(store, nothing)), essence(whole));
});

test("evolve-square continues a run that is done for more generations, and refuses another seed", async () => {
  const store = new MemoryStore();
  const short = await finish(store, { ...given, generations: 2 });
  assert.equal(short.totals.generations, 2);
  assert.deepEqual(essence(await finish(store, nothing)), essence(short));
  await assert.rejects(finish(store, { ...given, seed: 4 }), /got --seed 4 instead of 3\. Leave them out/);
  assert.deepEqual(essence(await finish(store, given)), essence(whole));
});
