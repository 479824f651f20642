// Which reloads may use the main lane: only those whose code the sandbox evaluated before, quickly.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReloadPaces } from "../../../../src/orchestration/reload/reload-paces.ts";
import { chooseReloadLane } from "../../../../src/orchestration/runs/lane.ts";

test("ReloadPaces believes code to be quick that was, and no other", () => {
  const paces = new ReloadPaces();
  paces.note("a=1", 3);
  paces.note("b=1", 11);
  assert.deepEqual(
    ["a=1", "b=1", "c=1"].map((key) => paces.isQuick(key)),
    [true, false, false],
  );
});

test("ReloadPaces believes code no longer that took long", () => {
  const paces = new ReloadPaces();
  paces.note("a=1", 3);
  paces.note("b=1", 3);
  paces.note("a=1", 11);
  assert.deepEqual(
    ["a=1", "b=1"].map((key) => paces.isQuick(key)),
    [false, true],
  );
});

test("ReloadPaces believes none any more after code that had been quick held the main lane for long", () => {
  const paces = new ReloadPaces();
  paces.note("a=1", 3);
  paces.note("b=1", 3);
  paces.note("a=1", 101);
  paces.note("b=1", 3);
  assert.equal(paces.isQuick("b=1"), false);
});

test("ReloadPaces keeps keys of 16,384 characters in all, the latest", () => {
  const paces = new ReloadPaces();
  const keys = ["a", "b", "c"].map((letter) => letter.repeat(6_000));
  for (const key of keys) paces.note(key, 1);
  assert.deepEqual(
    keys.map((key) => paces.isQuick(key)),
    [false, true, true],
  );
});

test("chooseReloadLane gives the main lane only to known code of a light sandbox without processes or a bound on its processor time", () => {
  const best = { isKnown: true, hasProcesses: false, isCpuBound: false, isHeavy: false };
  assert.equal(chooseReloadLane(best), "sync");
  for (const worse of [{ isKnown: false }, { hasProcesses: true }, { isCpuBound: true }, { isHeavy: true }])
    assert.equal(chooseReloadLane({ ...best, ...worse }), "async");
});
