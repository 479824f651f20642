// Populations: generations, islands, diversity, and what may go.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Tracker } from "../../../src/evolution/index.ts";
import { mistakeOf } from "../../support/errors.ts";

function tracked(members: Readonly<Record<string, number>>): Tracker {
  const tracker = new Tracker({ retainGenerations: 2, now: () => 77 });
  for (const [id, score] of Object.entries(members)) {
    tracker.lineage.born({ id, checksum: `code-${score}` });
    tracker.fitness.record({ id, score, result: "ok" });
  }
  return tracker;
}

test("register() and advance() keep members by generation, with statistics and diversity", async () => {
  const { populations } = tracked({ a: 1, b: 1, c: 3 });
  populations.register("island", ["a", "b"]);
  const { createdAt, generation, parentPopulationId, diversity } = populations.get("island");
  assert.deepEqual([createdAt, generation, parentPopulationId], [77, 0, null]);
  assert.deepEqual(diversity, { members: 2, codes: 1, share: 0 });
  const next = populations.advance("island", ["b", "c"]);
  assert.deepEqual([next.generation, next.sandboxIds, next.fitnessStats.max], [1, ["b", "c"], 3]);
  assert.equal(next.diversity.share, 1);
  assert.deepEqual(populations.retained("island"), [
    { generation: 1, sandboxIds: ["b", "c"] },
    { generation: 0, sandboxIds: ["a", "b"] },
  ]);
  await mistakeOf(() => populations.register("island", []), "INVALID_OPTIONS");
  await mistakeOf(() => populations.members("nowhere"), "INVALID_OPTIONS");
  await mistakeOf(() => populations.register("x", [], { parentPopulationId: "nowhere" }), "INVALID_OPTIONS");
});

test("unretained() names those whom no population's retained generations have", () => {
  const { populations } = tracked({ a: 1, b: 1, c: 3, d: 4 });
  populations.register("one", ["a"]);
  populations.register("other", ["d"]);
  populations.advance("one", ["b"]);
  assert.deepEqual(populations.unretained(["a", "b", "c", "d"]), ["c"]);
  populations.advance("one", ["c"]);
  assert.deepEqual(populations.unretained(["a", "b", "c", "d"]), ["a"]);
  populations.drop("other");
  assert.deepEqual(populations.unretained(["a", "b", "c", "d"]), ["a", "d"]);
});

test("planRing() sends the best of each island to the next, and migrate() moves or copies them", async () => {
  const { populations } = tracked({ a: 1, b: 2, c: 3, d: 4, e: 5 });
  populations.register("north", ["a", "b"]);
  populations.register("east", ["c", "d"]);
  populations.register("south", ["e"]);
  const plan = populations.planRing(["north", "east", "south"], 1);
  assert.deepEqual(plan, [
    { from: "north", to: "east", sandboxIds: ["b"] },
    { from: "east", to: "south", sandboxIds: ["d"] },
    { from: "south", to: "north", sandboxIds: ["e"] },
  ]);
  populations.migrate(plan, "move");
  assert.deepEqual(
    ["north", "east", "south"].map((id) => populations.members(id)),
    [["a", "e"], ["c", "b"], ["d"]],
  );
  populations.migrate([{ from: "south", to: "north", sandboxIds: ["d"] }], "copy");
  assert.deepEqual(populations.members("south"), ["d"]);
  assert.deepEqual(populations.members("north"), ["a", "e", "d"]);
  await mistakeOf(
    () => populations.migrate([{ from: "south", to: "north", sandboxIds: ["a"] }], "move"),
    "INVALID_OPTIONS",
  );
  assert.deepEqual(populations.planRing(["north"], 1), []);
});
