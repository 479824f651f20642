// Pareto fronts against their definition.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { crowdingOf, dominates, paretoFronts, type Direction } from "../../../src/evolution/index.ts";
import { mistakeOf } from "../../support/errors.ts";

const entry = (id: string, ...values: number[]): { id: string; values: number[] } => ({ id, values });

test("paretoFronts() puts first whoever nobody beats in everything", () => {
  const entries = [
    entry("fast", 1, 9),
    entry("good", 9, 1),
    entry("both", 8, 8),
    entry("worst", 0, 0),
    entry("mid", 7, 7),
  ];
  const ids = paretoFronts(entries, ["maximise", "maximise"]).map((front) => front.map(({ id }) => id));
  assert.deepEqual(ids, [["fast", "good", "both"], ["mid"], ["worst"]]);
});

test("paretoFronts() keeps equals together, and takes each objective in its own direction", () => {
  const entries = [entry("a", 1, 1), entry("b", 1, 1), entry("c", 1, 2)];
  const ids = paretoFronts(entries, ["maximise", "minimise"]).map((front) => front.map(({ id }) => id));
  assert.deepEqual(ids, [["a", "b"], ["c"]]);
});

test("paretoFronts() agrees with the definition for any values and directions", () => {
  const directions = fc.array(fc.constantFrom<Direction>("maximise", "minimise"), {
    minLength: 1,
    maxLength: 4,
  });
  const cases = directions.chain((ways) =>
    fc.tuple(
      fc.constant(ways),
      fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: ways.length, maxLength: ways.length }), {
        maxLength: 40,
      }),
    ),
  );
  fc.assert(
    fc.property(cases, ([ways, lists]) => {
      const entries = lists.map((values, index) => entry(`${index}`, ...values));
      let left = entries;
      for (const front of paretoFronts(entries, ways)) {
        const best = left.filter((one) => !left.some((other) => dominates(other.values, one.values, ways)));
        assert.deepEqual(front, best);
        left = left.filter((one) => !best.includes(one));
      }
      assert.deepEqual(left, []);
    }),
  );
});

test("paretoFronts() ends after as many fronts as asked for, and they are the same", () => {
  const entries = Array.from({ length: 100 }, (_, index) =>
    entry(`${index}`, (index * 37) % 101, (index * 53) % 97),
  );
  const all = paretoFronts(entries, ["maximise", "minimise"]);
  assert.ok(all.length > 3);
  assert.deepEqual(paretoFronts(entries, ["maximise", "minimise"], 2), all.slice(0, 2));
});

test("paretoFronts() refuses values that cannot be compared", async () => {
  await mistakeOf(() => paretoFronts([entry("a", Number.NaN)], ["maximise"]), "INVALID_OPTIONS");
  await mistakeOf(() => paretoFronts([entry("a", 1)], ["maximise", "minimise"]), "INVALID_OPTIONS");
});

test("crowdingOf() gives the ends of a front all room, and the others the gap between their neighbours", () => {
  const crowding = crowdingOf([entry("a", 0, 4), entry("b", 1, 3), entry("c", 4, 0)]);
  assert.deepEqual(
    [...crowding],
    [
      ["a", Infinity],
      ["b", 2],
      ["c", Infinity],
    ],
  );
});
