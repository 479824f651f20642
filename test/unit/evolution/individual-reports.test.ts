// Individuals as plain data: a page of all that are remembered, one of them with all of it, and the population that each was last in.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  individualReport,
  individualsPage,
  openTracker,
  Tracker,
  type IndividualEntry,
} from "../../../src/evolution/index.ts";
import { individualsCollection } from "../../../src/evolution/persistence/stored-individuals.ts";
import { errorOf, mistakeOf } from "../../support/errors.ts";
import { TrackedRuntime } from "../../support/tracked.ts";

const populationsOf = (tracker: Tracker): (readonly [string, string | null])[] =>
  individualsPage(tracker).individuals.map(({ id, population }) => [id, population] as const);

const computed = {
  score: 1,
  result: "ok" as const,
  components: {},
  revision: 1,
  generation: 0,
  createdAt: 1,
  evaluatedAt: 5,
  durationMs: 2,
  message: null,
};

test("a page has the living, the dead and the awaited in the order of their births, with null for what is unknown", async () => {
  const tracker = new Tracker({ direction: "minimise" });
  const { lineage, fitness } = tracker;
  lineage.born({ id: "child", parentIds: ["absent"], generation: 4 });
  lineage.born({ id: "gone", parentIds: ["child", "absent"] });
  fitness.record({
    id: "gone",
    score: -0.5,
    result: "ok",
    components: { size: 3 },
    evaluatedAt: 7,
    evaluationMs: 2,
  });
  lineage.died("gone");
  lineage.born({ id: "gone" });
  fitness.record({ id: "gone", score: null, result: "timeout", message: "too late" });
  const unknown = { score: null, evaluatedAt: null, evaluationMs: null, components: {}, population: null };
  const entry = (id: string, more: Partial<IndividualEntry>): IndividualEntry => ({
    ...unknown,
    id,
    parentIds: [],
    generation: 0,
    depth: 0,
    state: "living",
    result: "none",
    ...more,
  });
  const scored = { score: -0.5, result: "ok", components: { size: 3 }, evaluatedAt: 7, evaluationMs: 2 };
  const individuals = [
    entry("absent", { state: "awaited" }),
    entry("child", { parentIds: ["absent"], generation: 4, depth: 1 }),
    entry("gone", { parentIds: ["child", "absent"], generation: 5, depth: 2, state: "dead", ...scored }),
    entry("gone", { result: "timeout" }),
  ];
  const whole = { direction: "minimise", total: 4, forgotten: 0 };
  assert.deepEqual(individualsPage(tracker), { ...whole, individuals, next: null });
  assert.deepEqual(individualsPage(tracker, { after: 1, limit: 2, details: false }), {
    ...whole,
    individuals: [individuals[1], { ...individuals[2], components: {} }],
    next: 3,
  });
  assert.deepEqual(individualsPage(tracker, { after: 9 }), { ...whole, individuals: [], next: null });
  await mistakeOf(() => individualsPage(tracker, { limit: 10_001 }), "INVALID_OPTIONS");
  assert.equal(individualReport(tracker, "gone").message, "too late");
});

test("what may not be told of has no place, is nobody's parent, and its code is not told", async () => {
  const tracker = new Tracker();
  const { lineage } = tracker;
  for (const id of ["a:1", "b:1"]) lineage.born({ id, checksum: id, sources: { main: `// ${id}` } });
  lineage.born({ id: "a:2", parentIds: ["b:1", "a:1"], checksum: "c", sources: { main: "// a:2" } });
  lineage.born({ id: "a:3", parentIds: ["a:1", "b:1"], checksum: "d" });
  const isShown = (id: string): boolean => id.startsWith("a:");
  const { individuals, total, next } = individualsPage(tracker, { after: 1, limit: 1, isShown });
  assert.deepEqual(
    [individuals.map(({ id, parentIds }) => [id, parentIds]), total, next],
    [[["a:2", ["a:1"]]], 3, 2],
  );
  const told = (id: string) => {
    const { sources, parentSources } = individualReport(tracker, id, { isShown });
    return [sources?.["main"], parentSources?.["main"]];
  };
  assert.deepEqual(
    [told("a:2"), told("a:3")],
    [
      ["// a:2", undefined],
      [undefined, "// a:1"],
    ],
  );
  for (const id of ["b:1", "nobody"])
    await errorOf(async () => individualReport(tracker, id, { isShown }), "SANDBOX_NOT_FOUND");
});

test("the population of an individual is the one that it joined last, or that its evaluation named", () => {
  const runtime = new TrackedRuntime();
  const tracker = new Tracker();
  tracker.follow(runtime.bus);
  for (const id of ["a", "b", "c", "d"]) runtime.create(id);
  const { populations } = tracker;
  populations.register("north", ["a", "b", "unknown"]);
  populations.register("south", ["c"]);
  populations.migrate([{ from: "north", to: "south", sandboxIds: ["b"] }], "move");
  runtime.bus.emit("fitness.computed", { ...computed, sandboxId: "a", population: "default" });
  runtime.bus.emit("fitness.computed", { ...computed, sandboxId: "d", population: "west" });
  assert.deepEqual(populationsOf(tracker), [
    ["a", "north"],
    ["b", "south"],
    ["c", "south"],
    ["d", "west"],
  ]);
  populations.advance("north", ["d"]);
  runtime.bus.emit("fitness.computed", { ...computed, sandboxId: "c", population: "west" });
  populations.remove("south", ["b"]);
  populations.drop("south");
  assert.deepEqual(populationsOf(tracker), [
    ["a", "north"],
    ["b", "south"],
    ["c", "west"],
    ["d", "north"],
  ]);
  assert.equal(individualReport(tracker, "c").population, "west");
});

test("populations move with their rows when others are forgotten, and names that nobody has are forgotten too", () => {
  const tracker = new Tracker({ individualsMax: 20 });
  const { lineage, populations } = tracker;
  const idOf = (number: number): string => `i${number}`;
  for (let number = 0; number < 50; number++) {
    lineage.born({ id: idOf(number) });
    populations.register(`p${number % 7}-${number}`, [idOf(number)]);
    populations.register(`again-${number}`, [idOf(number)]);
    if (number > 3) lineage.died(idOf(number - 3));
  }
  const page = individualsPage(tracker);
  assert.ok(page.forgotten >= 30 && page.individuals.length <= 20);
  for (const { id, population } of page.individuals) assert.equal(population, `again-${id.slice(1)}`);
});

test("an opened tracker knows populations again, and rows of earlier versions have none", async () => {
  const runtime = new TrackedRuntime();
  const tracker = await openTracker(runtime.runtime);
  for (const id of ["a", "b"]) runtime.create(id);
  tracker.populations.register("north", ["a"]);
  await tracker.saved();
  runtime.bus.emit("fitness.computed", { ...computed, sandboxId: "b", population: "south" });
  await tracker.close();
  const expected = [
    ["a", "north"],
    ["b", "south"],
  ];
  const next = runtime.restarted();
  const again = await openTracker(next.runtime);
  assert.deepEqual(populationsOf(again), expected);
  await again.close();
  const rows = await next.documents.read(individualsCollection);
  const old = rows.map(([key, value]) => [key, { ...(value as object), population: undefined }] as const);
  await next.documents.write(individualsCollection, new Map<string, unknown>(old));
  const older = await openTracker(next.restarted().runtime);
  assert.deepEqual(populationsOf(older), [
    ["a", null],
    ["b", null],
  ]);
  await older.close();
});
