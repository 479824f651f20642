// A profile of the wrong form, or one that contradicts itself, is refused with what is wrong about it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime, type ProfileSpec } from "../../src/index.ts";
import { Profiles } from "../../src/security/profiles.ts";
import { mistakeOf } from "../support/errors.ts";

const allGrants = { dynamicCode: true, webAssembly: true, sharedMemory: true, resizableBuffers: true };

suite("a profile that is wrong", () => {
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ["no object", 5, /be made of objects/],
    ["a field that there is not", { limit: {} }, /no fields but base, limits/],
    ["a base that there is not", { base: "top" }, /have a base that is one of high, medium, low, classroom/],
    ["a limit that there is not", { limits: { memory: 1 } }, /its limits must be valid: .*"memory"/],
    ["a limit out of bounds", { limits: { memoryBytes: 1 } }, /memoryBytes/],
    [
      "a timeout above its ceiling",
      { limits: { timeoutMs: 9_000, timeoutMsMax: 5_000 } },
      /at most timeoutMsMax, 5000/,
    ],
    ["a grant that there is not", { features: { files: true } }, /no fields but dynamicCode/],
    [
      "a grant that is no yes or no",
      { features: { dynamicCode: "yes" } },
      /true or false as features\.dynamicCode/,
    ],
    ["capabilities that are no list", { capabilities: "fetch" }, /a list of names as capabilities/],
    ["another npm policy", { npmImports: "some" }, /none, listed, any as npmImports/],
    ["another decision", { scan: { blocked: "deny" } }, /admit, warn, reject as scan\.blocked/],
    ["another audit level", { audit: "none" }, /violations, calls, everything as audit/],
    ["another placement", { placement: "alone" }, /shared, exclusive as placement/],
    ["rules that are no list", { scan: { rules: {} } }, /a list as scan\.rules/],
    ["a rule without a name", { scan: { rules: [{ sees: "import", decision: "warn" }] } }, /a name of 1–64/],
    [
      "a rule about nothing",
      { scan: { rules: [{ name: "a", sees: "x", decision: "warn" }] } },
      /as sees of a/,
    ],
    [
      "a rule that is both",
      { scan: { rules: [{ name: "a", judge: () => "warn", decision: "warn" }] } },
      /nothing beside/,
    ],
    ["a rule that explains nothing", { scan: { explain: 1 } }, /true or false as scan\.explain/],
  ];
  for (const [name, profile, message] of wrong) {
    test(`${name} is refused`, async () => {
      const error = await mistakeOf(() => new Profiles({ own: profile }, "medium"), "INVALID_PROFILE");
      assert.match(error.message, message);
    });
  }

  const contradictions: readonly (readonly [ProfileSpec, RegExp])[] = [
    [{ features: { webAssembly: true } }, /features\.webAssembly contradicts features\.sharedMemory/],
    [{ features: { sharedMemory: true } }, /features\.sharedMemory contradicts features\.resizableBuffers/],
    [
      { scan: { blocked: "warn", suspicious: "reject" } },
      /scan\.suspicious contradicts scan\.blocked.*reject and warn/,
    ],
    [{ base: "high", scan: { blocked: "admit" } }, /scan\.suspicious contradicts scan\.blocked/],
    [
      { features: { dynamicCode: true }, limits: { fuel: 10 } },
      /limits\.fuel contradicts features\.dynamicCode/,
    ],
    [
      { base: "generous", limits: { fuel: 10 }, features: { dynamicCode: false } },
      /limits\.fuel contradicts features\.webAssembly/,
    ],
    [
      { base: "low", scan: { rules: [{ name: "no-eval", sees: "dynamic-code", decision: "reject" }] } },
      /features\.dynamicCode contradicts scan\.rules, as rule no-eval/,
    ],
  ];
  for (const [profile, message] of contradictions) {
    test(`a contradiction is refused: ${message.source.replaceAll("\\", "")}`, async () => {
      const profiles = { generous: { base: "low", features: allGrants }, own: profile };
      const error = await mistakeOf(() => createRuntime({ profiles }), "INVALID_PROFILE");
      assert.match(error.message, message);
    });
  }

  test("the name of a preset is taken, and a name has a form", async () => {
    await mistakeOf(() => new Profiles({ high: {} }, "high"), "INVALID_PROFILE");
    await mistakeOf(() => new Profiles({ "a b": {} }, "high"), "INVALID_PROFILE");
  });
});
