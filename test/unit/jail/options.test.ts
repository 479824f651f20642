// The option `jail`: what may be said, and what is required must stand or nothing starts.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { completeJail } from "../../../src/api/options/jail-options.ts";
import { createRuntime } from "../../../src/index.ts";
import { Jail, type JailSettings } from "../../../src/jail/jail.ts";
import { jailLayerNames, jailLayers } from "../../../src/jail/layers.ts";
import { FakeClock } from "../../../src/testing/index.ts";
import { errorOf, mistakeOf } from "../../support/errors.ts";

const parts = { clock: new FakeClock(), starterUrl: new URL("file:///nowhere.js"), programs: [] };
const defaults = jailLayerNames.filter((layer) => jailLayers[layer].isDefault);

suite("jail options", () => {
  test("are complete when nothing is said", () => {
    assert.deepEqual(completeJail(undefined), {
      require: [],
      user: { uid: 65_534, gid: 65_534 },
      tripwire: false,
      jitless: false,
    });
  });

  test(`"all" requires every layer that is on where the system has it, and none that must be asked for`, () => {
    assert.deepEqual(completeJail({ require: "all" }).require, defaults);
    assert.ok(!defaults.includes("tripwire") && !defaults.includes("jitless"));
  });

  const mistakes: Readonly<Record<string, readonly [option: unknown, words: string]>> = {
    "an unknown layer": [{ require: ["seal", "moat"] }, "moat"],
    "a name that every object has": [{ require: ["constructor"] }, "constructor"],
    "a word that is not all": [{ require: "most" }, "most"],
    "a number": [{ require: 3 }, "3"],
    "layers as an object": [{ require: { seal: true } }, "seal"],
    "an unknown option": [{ moat: true }, "moat"],
    "root as the user of cells": [{ user: { uid: 0, gid: 1 } }, "0"],
    "a user that no system has": [{ user: { uid: 2 ** 32, gid: 1 } }, "4294967296"],
    "a tripwire that is a word": [{ tripwire: "yes" }, "yes"],
    "a jail that is a word": ["strict", "strict"],
  };
  for (const [what, [option, words]] of Object.entries(mistakes)) {
    test(`${what} is a mistake that is told`, async () => {
      const error = await mistakeOf(() => completeJail(option), "INVALID_OPTIONS");
      assert.ok(error.message.includes(words), error.message);
    });
  }
});

suite("a required layer", () => {
  const settings = (more: Partial<JailSettings>): JailSettings => ({ ...completeJail(undefined), ...more });

  test("that was not asked for keeps the runtime from starting, and is named", async () => {
    const error = await errorOf(() => createRuntime({ jail: { require: ["jitless"] } }), "JAIL_INCOMPLETE");
    assert.match(error.message, /jail\.require/);
    assert.match(error.message, /jitless \(it was not asked for\)/);
  });

  test("that the system lacks keeps it from starting, with the reason", async () => {
    const jail = new Jail(settings({ require: [] }), parts);
    const absent = defaults.filter((layer) => !jail.plan.layers.includes(layer));
    const [first] = absent;
    if (first === undefined) {
      assert.doesNotThrow(() => new Jail(settings({ require: defaults }), parts));
      return;
    }
    const why = jail.plan.missing.find(({ layer }) => layer === first)?.why as string;
    const error = await errorOf(() => new Jail(settings({ require: [first] }), parts), "JAIL_INCOMPLETE");
    assert.ok(error.message.includes(`${first} (${why})`), error.message);
  });

  test("that a process could not put on is an objection to it, and missing from the report", () => {
    const jail = new Jail(settings({ require: ["permissions", "tether"] }), parts);
    const report = jail.reportFrom(["permissions"]);
    assert.deepEqual(report.layers, ["permissions"]);
    assert.ok(report.missing.some(({ layer, why }) => layer === "tether" && why.includes("could not")));
    assert.match(jail.objectionTo(report) ?? "", /tether \(the process could not put it on\)/);
    assert.equal(jail.objectionTo(jail.reportFrom(jail.plan.layers)), undefined);
  });

  test("is not believed of a process when it was never planned", () => {
    const jail = new Jail(settings({}), parts);
    assert.ok(!jail.reportFrom(jailLayerNames).layers.includes("jitless"));
  });
});
