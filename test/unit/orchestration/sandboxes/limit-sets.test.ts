// Which sandboxes have one object of limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveLimits } from "../../../../src/model/limit-checks.ts";
import { defaultLimits, type Limits } from "../../../../src/model/limits.ts";
import { LimitSets } from "../../../../src/orchestration/sandboxes/limit-sets.ts";

const limitsOf = (given: Partial<Limits>): Limits => resolveLimits(defaultLimits, given);

test("LimitSets gives equal limits one object, also where others came in between, and different ones none", () => {
  const sets = new LimitSets();
  const first = sets.of(limitsOf({ timeoutMs: 50 }));
  assert.equal(sets.of(limitsOf({ timeoutMs: 50 })), first);
  const others = [{ timeoutMs: 51 }, { timeoutMs: 50, fuel: 1_000 }, { timeoutMs: 50, argsBytes: 2_048 }];
  for (const given of others) {
    const limits = limitsOf(given);
    assert.equal(sets.of(limits), limits);
    assert.notEqual(sets.of(limitsOf(given)), first);
    assert.equal(sets.of(limitsOf(given)), limits);
  }
  assert.equal(sets.of(limitsOf({ timeoutMs: 50 })), first);
});

test("LimitSets forgets the sets that were used least recently, and knows them anew", () => {
  const sets = new LimitSets();
  const first = sets.of(limitsOf({ timeoutMs: 1 }));
  for (let timeoutMs = 2; timeoutMs <= 300; timeoutMs++) sets.of(limitsOf({ timeoutMs }));
  const again = limitsOf({ timeoutMs: 1 });
  assert.equal(sets.of(again), again);
  assert.notEqual(again, first);
  assert.deepEqual(again, first);
});
