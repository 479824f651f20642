// Who has to go at a sweep: by age, by idleness, and failed ones after a while; and nobody else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { planSweep } from "../../../../../src/orchestration/sandboxes/collection/collector.ts";
import { stopwatch } from "../../../../support/machine.ts";
import { sandboxWith, type Facts } from "../../../../support/managed-sandboxes.ts";

const failedMs = 60_000;
const nobody: ReadonlySet<string> = new Set();

const reasonAt = (sandbox: Facts, nowMs: number, unwanted = nobody): string | undefined =>
  planSweep([sandbox], { nowMs, failedMs, unwanted })[0]?.reason;

test("planSweep() takes nobody without a limit on age or idleness, however old", () => {
  assert.equal(reasonAt(sandboxWith({}, "loaded"), 1e15), undefined);
});

test("planSweep() takes a sandbox at exactly its lifetime and not before", () => {
  const sandbox = sandboxWith({ lifetimeMs: 500 }, "loaded");
  assert.deepEqual(
    [1_499, 1_500, 9_999].map((nowMs) => reasonAt(sandbox, nowMs)),
    [undefined, "lifetime", "lifetime"],
  );
});

test("planSweep() takes a sandbox past its lifetime while it runs something and while it is suspended", () => {
  const busy = sandboxWith({ lifetimeMs: 500 }, "loaded");
  busy.runsUnderway = 1;
  assert.equal(reasonAt(busy, 1_500), "lifetime");
  assert.equal(reasonAt(sandboxWith({ lifetimeMs: 500 }, "loaded", "suspend"), 1_500), "lifetime");
});

test("planSweep() takes a sandbox that was not used for its idle time, and not one that runs something", () => {
  const sandbox = sandboxWith({ idleMs: 500 }, "loaded");
  sandbox.lastUsedMs = 2_000;
  assert.deepEqual(
    [2_499, 2_500].map((nowMs) => reasonAt(sandbox, nowMs)),
    [undefined, "idle"],
  );
  sandbox.runsUnderway = 1;
  assert.equal(reasonAt(sandbox, 9_999), undefined);
});

test("planSweep() names the lifetime where both limits are passed", () => {
  assert.equal(reasonAt(sandboxWith({ lifetimeMs: 500, idleMs: 500 }, "loaded"), 1_500), "lifetime");
});

test("planSweep() leaves a failed sandbox for one interval, so that it can be looked at", () => {
  const sandbox = sandboxWith({ lifetimeMs: 1, idleMs: 1 }, "failed");
  sandbox.failed = { atMs: 5_000, isBlameless: false };
  assert.deepEqual(
    [64_999, 65_000].map((nowMs) => reasonAt(sandbox, nowMs)),
    [undefined, "failed"],
  );
});

test("planSweep() takes whom nobody needs, and not while it runs something or is looked at as failed", () => {
  const unwanted = new Set(["a"]);
  const sandbox = sandboxWith({}, "loaded");
  assert.equal(reasonAt(sandbox, 1_000, new Set(["b"])), undefined);
  assert.equal(reasonAt(sandbox, 1_000, unwanted), "retention");
  sandbox.runsUnderway = 1;
  assert.equal(reasonAt(sandbox, 1_000, unwanted), undefined);
  assert.equal(reasonAt(sandboxWith({}, "loaded", "suspend"), 1_000, unwanted), "retention");
  assert.equal(reasonAt(sandboxWith({}, "failed"), 1_000, unwanted), undefined);
});

test("planSweep() leaves sandboxes that are on their way somewhere", () => {
  const limits = { lifetimeMs: 1, idleMs: 1 };
  for (const signals of [[], ["loaded", "reload"], ["stop"], ["stop", "stopped"]] as const)
    assert.equal(reasonAt(sandboxWith(limits, ...signals), 1e12, new Set(["a"])), undefined);
});

test("planSweep() leaves a sandbox that failed by something around it", () => {
  const sandbox = sandboxWith({}, "failed");
  sandbox.failed = { atMs: 5_000, isBlameless: true };
  assert.equal(reasonAt(sandbox, 1e12), undefined);
});

test("planSweep() looks at ten thousand sandboxes in a moment", () => {
  const sandboxes = Array.from({ length: 10_000 }, (_, n) =>
    sandboxWith(n % 2 === 0 ? { idleMs: 1 } : {}, "loaded"),
  );
  const took = stopwatch();
  assert.equal(planSweep(sandboxes, { nowMs: 1e9, failedMs, unwanted: nobody }).length, 5_000);
  took.assertWithin(1_000, "it took too long");
});
