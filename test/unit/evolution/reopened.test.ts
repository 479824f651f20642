// A tracker that is opened again answers every question as the one before it did, whatever was recorded.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  individualReport,
  individualsPage,
  openTracker,
  type Sources,
  type Tracker,
  type TrackerOptions,
  type TrackerSize,
} from "../../../src/evolution/index.ts";
import type { TestResult } from "../../../src/index.ts";
import { TrackedRuntime } from "../../support/tracked.ts";

const ids = Array.from({ length: 16 }, (_, index) => `s${index}`);
const islands = ["north", "south", "x".repeat(300)];
const id = fc.constantFrom(...ids);
const members = fc.uniqueArray(id, { maxLength: 5 });
const score = fc.oneof(fc.constantFrom(1, 2, -0), fc.double({ noNaN: true, noDefaultInfinity: true }));
/** As it is after it was JSON, which has no -0. */
const json = fc
  .jsonValue({ depthSize: "small" })
  .map((value): unknown => JSON.parse(JSON.stringify(value)) as unknown);
const mutation = fc.oneof(fc.constant(null), json, fc.constant("long".repeat(99)));
const island = fc.constantFrom(...islands);
const sources = fc.dictionary(
  fc.constantFrom("main", "__proto__"),
  fc.constantFrom("", "1", "x".repeat(30)),
  {
    noNullPrototype: true,
  },
);
const code = fc.constantFrom("c1", "c2", "c3", "c4");
const testOf = (name: string): TestResult => ({ name, passed: true, points: 1, pointsMax: 1, hidden: false });

type Act = (tracker: Tracker, runtime: TrackedRuntime) => unknown;

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ id, parentIds: members, mutation, sources }).map(bornBy) },
  fc.record({ id, mutation, checksum: code, sources }).map(
    (change): Act =>
      ({ lineage }) =>
        lineage.mutated(change),
  ),
  {
    weight: 3,
    arbitrary: id.map(
      (gone): Act =>
        (tracker, runtime) =>
          dieIn(runtime, tracker, gone),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        id,
        score,
        components: fc.dictionary(fc.constantFrom("size", "time", "__proto__"), score, {
          noNullPrototype: true,
        }),
        tests: fc.array(fc.constantFrom("one", "two").map(testOf), { maxLength: 3 }),
        message: fc.option(fc.string()),
        evaluationMs: fc.nat(9),
        revision: fc.nat(9),
      })
      .map(
        (entry): Act =>
          ({ fitness }) =>
            fitness.record({ ...entry, result: "ok", evaluatedAt: entry.revision }),
      ),
  },
  id.map(
    (failed): Act =>
      ({ fitness }) =>
        fitness.record({ id: failed, score: null, result: "timeout", message: "too late" }),
  ),
  fc.tuple(id, score).map(
    ([of, delta]): Act =>
      ({ fitness }) =>
        fitness.adjust(of, delta, "a reason"),
  ),
  fc.tuple(island, members, island).map(
    ([name, first, parentPopulationId]): Act =>
      ({ populations }) =>
        populations.register(
          name,
          first,
          populations.ids().includes(parentPopulationId) ? { parentPopulationId } : {},
        ),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(island, members).map(
      ([name, next]): Act =>
        ({ populations }) =>
          populations.advance(name, next),
    ),
  },
  fc.tuple(island, members).map(
    ([name, some]): Act =>
      ({ populations }) =>
        populations.add(name, some),
  ),
  fc.tuple(island, members).map(
    ([name, some]): Act =>
      ({ populations }) =>
        populations.remove(name, some),
  ),
  island.map(
    (name): Act =>
      ({ populations }) =>
        populations.drop(name),
  ),
  // Writes may fall between any two changes.
  fc.constant<Act>((tracker) => tracker.saved()),
);

function bornBy(birth: { id: string; parentIds: string[]; mutation: unknown; sources: Sources }): Act {
  return ({ lineage }, runtime) => {
    lineage.born({ ...birth, checksum: birth.id.slice(0, 2) });
    const ancestry = { ...birth, generation: 0, depth: 0 };
    runtime.sandboxes.set(birth.id, {
      id: birth.id,
      createdAt: 1,
      ancestry,
      mutation: birth.mutation,
      fitness: null,
      modules: {},
      status: "running",
    });
  };
}

function dieIn(runtime: TrackedRuntime, tracker: Tracker, gone: string): void {
  if (!runtime.sandboxes.delete(gone)) return;
  tracker.populations.died(gone);
  tracker.lineage.died(gone);
}

/** Every public answer. */
function answersOf(tracker: Tracker, counts: TrackerSize): unknown {
  const { lineage, fitness, populations, retention } = tracker;
  const known = ids.filter((one) => {
    try {
      return lineage.origin(one);
    } catch {
      return false;
    }
  });
  return {
    counts: { ...counts, tableBytes: 0 },
    origins: known.map((one) => [
      lineage.origin(one),
      lineage.ancestors(one),
      lineage.descendants(one),
      lineage.pathToSeed(one),
      lineage.sources(one),
    ]),
    page: individualsPage(tracker, { limit: 10_000 }),
    reports: known.map((one) => individualReport(tracker, one)),
    common: known.map((one) => lineage.commonAncestors(one, known[0] ?? one)),
    records: ids.map((one) => fitness.get(one)),
    rank: fitness.rank(ids),
    top: fitness.top(100),
    statistics: [fitness.statistics(), ...[0, 1, 2].map((generation) => fitness.statistics({ generation }))],
    composite: fitness.composite(ids, { size: 1, time: -2 }),
    fronts: fitness.fronts(ids, { size: "minimise", time: "maximise" }),
    populations: populations
      .ids()
      .map((name) => [
        populations.get(name),
        populations.retained(name),
        populations.planRing(populations.ids(), 2),
      ]),
    unretained: [populations.unretained(ids), retention(ids)],
  };
}

async function play(options: TrackerOptions, script: readonly Act[]): Promise<void> {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime, options);
  for (const act of script) {
    try {
      await act(tracker, runtime);
    } catch {
      // Many are mistakes, which change nothing or little.
    }
  }
  await tracker.close();
  const next = runtime.restarted();
  const reopened = await openTracker(next.runtime, options);
  assert.deepEqual(answersOf(reopened, reopened.size()), answersOf(tracker, tracker.size()));
  await reopened.saved();
  // What is written again is the same: the second one is opened from the first one's changes and its own.
  const third = await openTracker(next.restarted().runtime, options);
  assert.deepEqual(answersOf(third, third.size()), answersOf(tracker, tracker.size()));
}

test("openTracker() gives every answer that the tracker before it gave, after any history", async () => {
  const script = fc.array(acts, { maxLength: 80 });
  const now = () => 7;
  await fc.assert(
    fc.asyncProperty(script, (some) => play({ now }, some)),
    { numRuns: 150 },
  );
});

test("openTracker() gives every answer also where individuals were forgotten", async () => {
  const script = fc.array(acts, { minLength: 40, maxLength: 150 });
  const options = {
    individualsMax: 12,
    retainGenerations: 2,
    mutationBytesMax: 10,
    detailBytesMax: 400,
    sourceBytesMax: 60,
    direction: "minimise",
    now: () => 7,
  } as const;
  await fc.assert(
    fc.asyncProperty(script, (some) => play(options, some)),
    { numRuns: 150 },
  );
});
