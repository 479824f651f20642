// Limits are completed layer by layer, each within its bounds, and a call may only go below its sandbox's ceiling.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { InvalidLimitsError } from "../../../src/model/errors.ts";
import { callLimit, resolveCallLimits, resolveLimits } from "../../../src/model/limit-checks.ts";
import { defaultLimits, limitNames, limitTable, type LimitName } from "../../../src/model/limits.ts";
import { messageForm } from "../../support/errors.ts";

// A base that no single limit within its bounds contradicts.
const base = { ...defaultLimits, timeoutMs: 1, timeoutMsMax: limitTable.timeoutMsMax.max };
const set = (name: string, value: unknown): number | null =>
  resolveLimits(base, { [name]: value })[name as LimitName];

function refusedBy(act: () => unknown): InvalidLimitsError {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof InvalidLimitsError, String(error));
    assert.equal(error.code, "INVALID_LIMITS");
    assert.match(error.message, messageForm);
    return error;
  }
  assert.fail("nothing was thrown");
}

for (const name of limitNames) {
  const { min, max, default: usual } = limitTable[name];
  suite(name, () => {
    test(`${name} has a default within its own bounds`, () => {
      assert.ok(usual === null || (usual >= min && usual <= max));
      assert.equal(defaultLimits[name], usual);
    });

    test(`${name} is admitted at both of its bounds`, () => {
      assert.equal(set(name, min), min);
      assert.equal(set(name, max), max);
    });

    test(`${name} is refused just outside its bounds and when it is no whole number`, () => {
      const values = [min - 1, max + 1, min + 0.5, Number.NaN, Infinity, -Infinity, "5", true, {}, [5], 5n];
      for (const value of values) {
        const error = refusedBy(() => set(name, value));
        assert.equal(error.limit, name);
        assert.ok(error.message.includes(name));
        assert.ok(error.message.includes(`${min}–${max}`), error.message);
      }
    });

    test(`${name} is ${usual === null ? "switched off by" : "refused when it is"} null`, () => {
      if (usual === null) assert.equal(set(name, null), null);
      else assert.equal(refusedBy(() => set(name, null)).limit, name);
    });
  });
}

test("resolveLimits() answers the base itself when nothing is given", () => {
  assert.equal(resolveLimits(defaultLimits, undefined), defaultLimits);
});

test("resolveLimits() leaves a limit that is given as undefined as it was", () => {
  assert.deepEqual(resolveLimits(defaultLimits, { timeoutMs: undefined } as never), defaultLimits);
});

test("resolveLimits() answers a set that cannot be changed", () => {
  assert.ok(Object.isFrozen(resolveLimits(defaultLimits, { timeoutMs: 5 })));
  assert.ok(Object.isFrozen(resolveLimits(defaultLimits, { timeoutMsMax: 5 })));
});

test("resolveLimits() refuses limits that are not an object", () => {
  for (const given of [null, 5, "fast", [], true])
    assert.equal(refusedBy(() => resolveLimits(defaultLimits, given as never)).limit, "limits");
});

test("resolveLimits() refuses a name that is no limit and lists those that are", () => {
  for (const name of ["memory", "timeout", "toString", "__proto__x", "fuels"]) {
    const error = refusedBy(() => resolveLimits(defaultLimits, { [name]: 5 } as never));
    assert.equal(error.limit, name);
    for (const known of limitNames) assert.ok(error.message.includes(known));
  }
});

test("resolveLimits() lowers an inherited timeout to a ceiling that is set below it", () => {
  const { timeoutMs, timeoutMsMax } = resolveLimits(defaultLimits, { timeoutMsMax: 100 });
  assert.deepEqual({ timeoutMs, timeoutMsMax }, { timeoutMs: 100, timeoutMsMax: 100 });
});

test("resolveLimits() refuses a timeout that is asked for above its ceiling, whichever of them is inherited", () => {
  const low = resolveLimits(defaultLimits, { timeoutMsMax: 100 });
  assert.equal(refusedBy(() => resolveLimits(low, { timeoutMs: 101 })).limit, "timeoutMs");
  assert.equal(
    refusedBy(() => resolveLimits(defaultLimits, { timeoutMs: 101, timeoutMsMax: 100 })).limit,
    "timeoutMs",
  );
});

test("resolveCallLimits() takes the sandbox's own limits when a call asks for nothing", () => {
  const limits = resolveLimits(defaultLimits, { timeoutMs: 70, cpuMs: 20 });
  assert.deepEqual(resolveCallLimits(limits, {}), { timeoutMs: 70, cpuMs: 20, fuel: null });
});

test("resolveCallLimits() lets a call ask for less, and for more up to the ceiling", () => {
  const limits = resolveLimits(defaultLimits, { timeoutMs: 70, timeoutMsMax: 200, cpuMs: 20 });
  assert.deepEqual(resolveCallLimits(limits, { timeoutMs: 1, cpuMs: 1 }), {
    timeoutMs: 1,
    cpuMs: 1,
    fuel: null,
  });
  assert.deepEqual(resolveCallLimits(limits, { timeoutMs: 200, cpuMs: 20 }), {
    timeoutMs: 200,
    cpuMs: 20,
    fuel: null,
  });
});

test("resolveCallLimits() refuses a call that asks for more than the ceiling", () => {
  const limits = resolveLimits(defaultLimits, { timeoutMsMax: 200, cpuMs: 20 });
  assert.equal(refusedBy(() => resolveCallLimits(limits, { timeoutMs: 201 })).limit, "timeoutMs");
  assert.equal(refusedBy(() => resolveCallLimits(limits, { cpuMs: 21 })).limit, "cpuMs");
});

test("resolveCallLimits() lets a call lower fuel, and never raise it or bring it to a sandbox without", () => {
  const limits = resolveLimits(defaultLimits, { fuel: 100 });
  assert.equal(resolveCallLimits(limits, {}).fuel, 100);
  for (const fuel of [1, 100]) assert.equal(resolveCallLimits(limits, { fuel }).fuel, fuel);
  for (const fuel of [101, 0, null, 1.5])
    assert.equal(refusedBy(() => resolveCallLimits(limits, { fuel })).limit, "fuel");
  assert.equal(refusedBy(() => resolveCallLimits(defaultLimits, { fuel: 1 })).limit, "fuel");
});

test("callLimit() admits what some sandbox may allow, and refuses what none does", () => {
  for (const name of ["timeoutMs", "cpuMs", "fuel"] as const) {
    const { min, max } = limitTable[name];
    for (const value of [min, max, undefined]) assert.equal(callLimit(name).read(value, name), value);
    for (const value of [min - 1, max + 1, null, "5"])
      assert.equal(refusedBy(() => callLimit(name).read(value, name)).limit, name);
  }
});

test("resolveCallLimits() lets a call bound its processor time where the sandbox does not", () => {
  assert.equal(resolveCallLimits(defaultLimits, { cpuMs: 5 }).cpuMs, 5);
});

test("resolveCallLimits() refuses values that are no limits at all, so that none is switched off by a call", () => {
  const limits = resolveLimits(defaultLimits, { cpuMs: 20 });
  for (const value of [null, 0, -1, 1.5, "5", Number.NaN])
    for (const name of ["timeoutMs", "cpuMs"] as const)
      assert.equal(refusedBy(() => resolveCallLimits(limits, { [name]: value } as never)).limit, name);
});
