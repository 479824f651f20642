// Which layers stand on which system, and what is said of those that do not.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { jailLayerNames, jailLayers, type JailLayer } from "../../../src/jail/layers.ts";
import { planLayers, type SystemFacts } from "../../../src/jail/plan.ts";

const linux: SystemFacts = {
  platform: "linux",
  arch: "x64",
  node: "v26.10.0",
  hasKernel: true,
  hasSeccomp: true,
  landlockAbi: 7,
  isRoot: true,
  unreadable: undefined,
};
const defaults = jailLayerNames.filter((layer) => jailLayers[layer].isDefault);
const nothing = { tripwire: false, jitless: false };

interface Case {
  readonly on: string;
  readonly system: SystemFacts;
  /** The layers that do not stand there, each with words that must be in the reason. */
  readonly without: Partial<Record<JailLayer, string>>;
}

const needsNode26 = {
  filter: "Node 26",
  landlock: "Node 26",
  descriptors: "Node 26",
  resources: "Node 26",
  hidden: "Node 26",
  seal: "Node 26",
} as const;
const needsLinux = (platform: string) =>
  Object.fromEntries(
    Object.keys(needsNode26).map((layer) => [layer, `needs Linux, and this is ${platform}`]),
  );

const cases: readonly Case[] = [
  { on: "Linux as root", system: linux, without: {} },
  { on: "Linux on arm64", system: { ...linux, arch: "arm64" }, without: {} },
  { on: "Linux as an ordinary user", system: { ...linux, isRoot: false }, without: { user: "needs root" } },
  {
    on: "Linux as root, with programs that others cannot read",
    system: { ...linux, unreadable: "/root/vivarium" },
    without: { user: "/root/vivarium" },
  },
  {
    on: "Linux as an ordinary user, with programs that others cannot read",
    system: { ...linux, isRoot: false, unreadable: "/home/me" },
    without: { user: "needs root" },
  },
  {
    on: "Linux without seccomp",
    system: { ...linux, hasSeccomp: false },
    without: { filter: "seccomp", seal: "seccomp" },
  },
  { on: "Linux without Landlock", system: { ...linux, landlockAbi: 0 }, without: { landlock: "Landlock" } },
  {
    on: "Linux with Node 24",
    system: { ...linux, node: "v24.1.0", hasKernel: false, hasSeccomp: false, landlockAbi: 0 },
    without: needsNode26,
  },
  {
    on: "Linux on another processor",
    system: { ...linux, arch: "ppc64", hasKernel: false, hasSeccomp: false, landlockAbi: 0 },
    without: {
      ...needsNode26,
      seal: "arm64 or x64, and this is v26.10.0 on ppc64",
    },
  },
  {
    on: "macOS",
    system: { ...linux, platform: "darwin", hasKernel: false, isRoot: false },
    without: { ...needsLinux("darwin"), user: "needs root" },
  },
  {
    on: "macOS as root",
    system: { ...linux, platform: "darwin", hasKernel: false },
    without: needsLinux("darwin"),
  },
  {
    on: "Windows",
    system: { ...linux, platform: "win32", hasKernel: false, isRoot: false },
    without: { ...needsLinux("win32"), user: "user ids" },
  },
];

suite("the plan of layers", () => {
  for (const { on, system, without } of cases) {
    test(`on ${on}`, () => {
      const { layers, missing } = planLayers(system, nothing);
      assert.deepEqual(
        layers,
        defaults.filter((layer) => without[layer] === undefined),
      );
      assert.deepEqual(missing.map(({ layer }) => layer).sort(), Object.keys(without).sort());
      for (const { layer, why } of missing)
        assert.ok(why.includes(without[layer] as string), `${layer}: ${why}`);
    });
  }

  test("has what was asked for beside what is always on, where it can stand", () => {
    const wishes = { tripwire: true, jitless: true };
    assert.deepEqual(planLayers(linux, wishes).layers, jailLayerNames);
    const { layers, missing } = planLayers({ ...linux, hasSeccomp: false }, wishes);
    assert.ok(layers.includes("jitless") && !layers.includes("tripwire"));
    assert.ok(missing.some(({ layer }) => layer === "tripwire"));
  });

  test("says nothing of what nobody asked for", () => {
    const { layers, missing } = planLayers({ ...linux, hasSeccomp: false }, nothing);
    for (const layer of ["tripwire", "jitless"] as const) {
      assert.ok(!layers.includes(layer));
      assert.ok(!missing.some((each) => each.layer === layer));
    }
  });
});
