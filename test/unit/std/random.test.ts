// Random names are valid ids, and a seed gives its sequence.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSandboxId } from "../../../src/model/ids.ts";
import { randomName, seededRandom } from "../../../src/std/random.ts";

test("randomName() makes names that are admitted as sandbox ids and differ", () => {
  const names = Array.from({ length: 2_000 }, () => randomName("sandbox"));
  for (const name of names) assert.equal(parseSandboxId(name), name);
  assert.equal(new Set(names).size, names.length);
});

test("seededRandom() gives the same numbers for the same seed, other ones for another, all within [0, 1)", () => {
  const take = (seed: number): number[] => {
    const next = seededRandom(seed);
    return Array.from({ length: 100 }, next);
  };
  assert.deepEqual(take(1), take(1));
  assert.notDeepEqual(take(1), take(2));
  for (const n of take(3)) assert.ok(n >= 0 && n < 1);
  assert.equal(new Set(take(4)).size, 100);
});
