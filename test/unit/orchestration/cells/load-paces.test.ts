// How long code takes to load is known by its tenant's own loads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadPaces } from "../../../../src/orchestration/cells/load-paces.ts";

const code = (codeKey: string, tenant: string | null = "a") => ({
  codeKey,
  placement: { tenant, exclusive: false, dense: false },
});

test("LoadPaces knows what was quick or slow the last time, of one tenant's code alone", () => {
  const paces = new LoadPaces();
  assert.equal(paces.paceOf(code("m=1")), "unknown");
  paces.note(code("m=1"), 10);
  paces.note(code("m=2"), 101);
  paces.noteSlow(code("m=3"));
  assert.deepEqual(
    ["m=1", "m=2", "m=3", "m=4"].map((key) => paces.paceOf(code(key))),
    ["quick", "slow", "slow", "unknown"],
  );
  assert.deepEqual([paces.paceOf(code("m=1", "b")), paces.paceOf(code("m=1", null))], ["unknown", "unknown"]);
  // What lies between changes nothing.
  for (const key of ["m=1", "m=2", "m=4"]) paces.note(code(key), 50);
  assert.deepEqual(
    ["m=1", "m=2", "m=4"].map((key) => paces.paceOf(code(key))),
    ["quick", "slow", "unknown"],
  );
  paces.note(code("m=2"), 1);
  assert.equal(paces.paceOf(code("m=2")), "quick");
});

test("LoadPaces forgets the oldest where keys are long", () => {
  const paces = new LoadPaces();
  const keys = Array.from({ length: 50 }, (_, n) => `${n}=${"x".repeat(100_000)}`);
  for (const key of keys) paces.note(code(key), 1);
  assert.equal(paces.paceOf(code(keys[0] as string)), "unknown");
  assert.equal(paces.paceOf(code(keys[49] as string)), "quick");
});
