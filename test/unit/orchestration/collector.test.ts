// Who has to go at a sweep: by age, by idleness, and failed ones after a while; and nobody else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { planSweep } from "../../../src/orchestration/sandboxes/collector.ts";
import { stopwatch } from "../../support/machine.ts";
import { residentWith, type Facts } from "../../support/residents.ts";

const failedMs = 60_000;
const nobody: ReadonlySet<string> = new Set();

const reasonAt = (resident: Facts, nowMs: number, unwanted = nobody): string | undefined =>
  planSweep([resident], { nowMs, failedMs, unwanted })[0]?.reason;

test("planSweep() takes nobody without a limit on age or idleness, however old", () => {
  assert.equal(reasonAt(residentWith({}, "loaded"), 1e15), undefined);
});

test("planSweep() takes a sandbox at exactly its lifetime and not before", () => {
  const resident = residentWith({ lifetimeMs: 500 }, "loaded");
  assert.deepEqual(
    [1_499, 1_500, 9_999].map((nowMs) => reasonAt(resident, nowMs)),
    [undefined, "lifetime", "lifetime"],
  );
});

test("planSweep() takes a sandbox past its lifetime while it runs something and while it is suspended", () => {
  const busy = residentWith({ lifetimeMs: 500 }, "loaded");
  busy.runsUnderway = 1;
  assert.equal(reasonAt(busy, 1_500), "lifetime");
  assert.equal(reasonAt(residentWith({ lifetimeMs: 500 }, "loaded", "suspend"), 1_500), "lifetime");
});

test("planSweep() takes a sandbox that was not used for its idle time, and not one that runs something", () => {
  const resident = residentWith({ idleMs: 500 }, "loaded");
  resident.lastUsedMs = 2_000;
  assert.deepEqual(
    [2_499, 2_500].map((nowMs) => reasonAt(resident, nowMs)),
    [undefined, "idle"],
  );
  resident.runsUnderway = 1;
  assert.equal(reasonAt(resident, 9_999), undefined);
});

test("planSweep() names the lifetime where both limits are passed", () => {
  assert.equal(reasonAt(residentWith({ lifetimeMs: 500, idleMs: 500 }, "loaded"), 1_500), "lifetime");
});

test("planSweep() leaves a failed sandbox for one interval, so that it can be looked at", () => {
  const resident = residentWith({ lifetimeMs: 1, idleMs: 1 }, "failed");
  resident.failed = { atMs: 5_000, isBlameless: false };
  assert.deepEqual(
    [64_999, 65_000].map((nowMs) => reasonAt(resident, nowMs)),
    [undefined, "failed"],
  );
});

test("planSweep() takes whom nobody needs, and not while it runs something or is looked at as failed", () => {
  const unwanted = new Set(["a"]);
  const resident = residentWith({}, "loaded");
  assert.equal(reasonAt(resident, 1_000, new Set(["b"])), undefined);
  assert.equal(reasonAt(resident, 1_000, unwanted), "retention");
  resident.runsUnderway = 1;
  assert.equal(reasonAt(resident, 1_000, unwanted), undefined);
  assert.equal(reasonAt(residentWith({}, "loaded", "suspend"), 1_000, unwanted), "retention");
  assert.equal(reasonAt(residentWith({}, "failed"), 1_000, unwanted), undefined);
});

test("planSweep() leaves sandboxes that are on their way somewhere", () => {
  const limits = { lifetimeMs: 1, idleMs: 1 };
  for (const signals of [[], ["loaded", "reload"], ["stop"], ["stop", "stopped"]] as const)
    assert.equal(reasonAt(residentWith(limits, ...signals), 1e12, new Set(["a"])), undefined);
});

test("planSweep() leaves a sandbox that failed by something around it", () => {
  const resident = residentWith({}, "failed");
  resident.failed = { atMs: 5_000, isBlameless: true };
  assert.equal(reasonAt(resident, 1e12), undefined);
});

test("planSweep() looks at ten thousand sandboxes in a moment", () => {
  const residents = Array.from({ length: 10_000 }, (_, n) =>
    residentWith(n % 2 === 0 ? { idleMs: 1 } : {}, "loaded"),
  );
  const took = stopwatch();
  assert.equal(planSweep(residents, { nowMs: 1e9, failedMs, unwanted: nobody }).length, 5_000);
  took.assertWithin(1_000, "it took too long");
});
