// A run of the demo that was interrupted continues from its latest finished generation, and ends as if nothing had been.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { MemoryStore, type Runtime } from "vivarium";
import { evolve, type EvolutionOptions } from "../../examples/demo/evolution.ts";
import type { RunResult } from "../../examples/demo/run.ts";
import { interruptedAt, withStore, type Cut } from "./interrupted.ts";

const usual = { problem: "nguyen-2", population: 60, islands: 4, seed: 3 } as const;
const options: EvolutionOptions = {
  problem: undefined,
  population: undefined,
  seed: undefined,
  usual,
  evaluations: 200,
  minutes: undefined,
  datasets: [],
  data: "run-1",
  isFresh: false,
};
const { signal } = new AbortController();
const finish = (store: MemoryStore, more: Partial<EvolutionOptions> = {}): Promise<RunResult> =>
  withStore(store, (runtime) => evolve(runtime, { ...options, ...more }, signal));
const interrupt = (store: MemoryStore, cut: Cut): Promise<void> =>
  interruptedAt(store, cut, (runtime, signal) => evolve(runtime, options, signal));

/** All that must not depend on interruptions. */
function essence({
  program,
  champion,
  report,
  generations,
  evaluations,
  outcomes,
  steps,
}: RunResult): object {
  return { program, champion, report, generations, evaluations, outcomes, steps };
}

let whole: RunResult;
before(async () => {
  whole = await finish(new MemoryStore(), { data: undefined });
});

// Two writes of documents end a generation; the sandboxes of one are some hundred writes.
for (const [when, cuts] of [
  ["in its first generation", [{ of: "sandboxes", after: 30 }]],
  ["right after a generation", [{ of: "documents", after: 4 }]],
  ["between the two writes that end a generation", [{ of: "documents", after: 5 }]],
  ["in the middle of a generation", [{ of: "sandboxes", after: 201 }]],
  [
    "five times",
    [
      { of: "sandboxes", after: 140 },
      { of: "documents", after: 3 },
      { of: "sandboxes", after: 1 },
      { of: "documents", after: 2 },
      { of: "sandboxes", after: 99 },
    ],
  ],
] as const satisfies readonly (readonly [string, readonly Cut[]])[]) {
  test(`a run that is interrupted ${when} has the same result as one that is not`, async () => {
    const store = new MemoryStore();
    for (const cut of cuts) await interrupt(store, cut);
    assert.deepEqual(essence(await finish(store)), essence(whole));
  });
}

for (const [what, packing, after] of [
  ["packs bins", { problem: "bin-packing", population: 40, evaluations: 150, seed: 2 }, 130],
  [
    "tries on more instances what is promising",
    { problem: "bin-packing-long", population: 20, evaluations: 50, seed: 2 },
    70,
  ],
] as const) {
  test(`a run that is interrupted while it ${what}, and chooses by other bins, has the same result`, async () => {
    const store = new MemoryStore();
    await interruptedAt(store, { of: "sandboxes", after }, (runtime, signal) =>
      evolve(runtime, { ...options, ...packing }, signal),
    );
    const continued = await finish(store, packing);
    assert.deepEqual(essence(continued), essence(await finish(new MemoryStore(), packing)));
  });
}

test("a run that is continued removes the sandboxes of the interrupted generation and no others", async () => {
  const store = new MemoryStore();
  const own = { modules: { main: "export const f = 1;" } };
  await withStore(store, (runtime) => runtime.create("mine", own));
  await interrupt(store, { of: "sandboxes", after: 50 });
  const idsOf = async (runtime: Runtime): Promise<readonly string[]> =>
    (await runtime.list()).map(({ id }) => id);
  assert.ok((await withStore(store, idsOf)).length > 1, "some were left behind");
  await finish(store);
  assert.deepEqual(await withStore(store, idsOf), ["mine"]);
});

test("a run that is done gives its result again without an evaluation, and a larger budget continues it", async () => {
  const store = new MemoryStore();
  const short = await finish(store, { evaluations: 100 });
  assert.ok(short.evaluations < whole.evaluations);
  assert.deepEqual(essence(await finish(store, { evaluations: undefined })), essence(short));
  assert.deepEqual(essence(await finish(store)), essence(whole));
});

test("a run with other options than the one in the folder is refused with those that differ, and --fresh replaces it", async () => {
  const store = new MemoryStore();
  await interrupt(store, { of: "documents", after: 2 });
  await assert.rejects(finish(store, { seed: 4, population: 60, problem: "square" }), {
    code: "INVALID_OPTIONS",
    message:
      "Cannot continue the run in run-1 as it must have the options that it was started with: got " +
      "--problem square instead of nguyen-2, --seed 4 instead of 3. " +
      "Leave them out to continue it, or use another folder, or --fresh to begin anew",
  });
  const other = { seed: 4, problem: "square", isFresh: true };
  const fresh = await finish(store, other);
  assert.deepEqual(essence(fresh), essence(await finish(new MemoryStore(), other)));
});

test("a row that another version wrote is refused with its format", async () => {
  const store = new MemoryStore();
  await store.documents.write("runs", new Map([["demo", { format: "vivarium.demo/1" }]]));
  await assert.rejects(finish(store), {
    code: "INVALID_OPTIONS",
    message:
      'Cannot continue the run in run-1 as it must be of format vivarium.demo/2: got "vivarium.demo/1". ' +
      "Use another folder, or --fresh to begin anew",
  });
});

test("the row of a run says what it is, how far it came and that it is done", async () => {
  const store = new MemoryStore();
  const { champion, generations, evaluations } = await finish(store);
  const rows = new Map(await store.documents.read("runs"));
  const row = rows.get("demo") as Record<string, unknown>;
  const { title, seed, state, generation, best, options: saved } = row;
  assert.deepEqual(
    { title, seed, state, generation, best, saved },
    {
      title: "nguyen-2, seed 3",
      seed: 3,
      state: "done",
      generation: generations - 1,
      best: champion?.chosen,
      saved: { ...usual, evaluations: 200, minutes: null },
    },
  );
  assert.equal(row["evaluations"], evaluations);
});

test("time is counted over all sittings", async () => {
  const store = new MemoryStore();
  await interrupt(store, { of: "documents", after: 4 });
  const rows = new Map(await store.documents.read("runs"));
  const row = rows.get("demo") as { latest: { durationMs: number } };
  // As if the finished generations had taken an hour.
  const latest = { ...row.latest, durationMs: 3_600_000 };
  await store.documents.write("runs", new Map([["demo", { ...row, latest }]]));
  const { durationMs, generations } = await finish(store, { minutes: 60, evaluations: undefined });
  assert.ok(durationMs >= 3_600_000);
  assert.equal(generations, 2);
});
