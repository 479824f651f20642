// The list of globals in docs/globals.md, what isolates really have, and what is declared for authors: all the same.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { fetchCapability } from "../../src/index.ts";
import { presets } from "../../src/security/presets.ts";
import { featuresOf } from "../../src/security/profile.ts";
import { globalGroups } from "../../tools/docs/globals.ts";
import { valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const features = { dynamicCode: false, webAssembly: false, sharedMemory: false, resizableBuffers: false };
/** Profiles that have the features of others, and each by itself with what it needs. */
const own = {
  code: { ...features, dynamicCode: true },
  memory: { ...features, sharedMemory: true, resizableBuffers: true },
  assembly: { ...features, webAssembly: true, sharedMemory: true, resizableBuffers: true },
  buffers: { ...features, resizableBuffers: true },
  all: { dynamicCode: true, webAssembly: true, sharedMemory: true, resizableBuffers: true },
};
const runtime = await startRuntime({
  capabilities: { fetch: fetchCapability({ origins: ["https://example.com"] }), price: () => 1 },
  profiles: {
    admitting: {
      features: presets.high.features,
      capabilities: presets.high.capabilities,
      limits: presets.high.limits,
    },
    ...Object.fromEntries(Object.entries(own).map(([name, given]) => [name, { features: given }])),
  },
});
// The gate of `high` rejects code that lists its globals: a profile that is like it but for that stands for it.
const standIn = (name: string): string => (name === "high" ? "admitting" : name);
const main = "export const names = () => Object.getOwnPropertyNames(globalThis).sort();";

function expected(present: readonly string[]): string[] {
  const groups = globalGroups.filter(({ where }) => where === undefined || present.includes(where));
  const names = groups.flatMap((group) => group.names);
  return names.filter((name) => name !== "Temporal" || "Temporal" in globalThis).sort();
}

async function namesIn(spec: object): Promise<string[]> {
  await using sandbox = await runtime.create({ modules: { main }, ...spec });
  return valueOf(await sandbox.call<string[]>("main.names"));
}

suite("the globals of the page are those of the isolate", () => {
  for (const profile of Object.values(presets))
    test(`under ${profile.name}`, async () => {
      const present = [...featuresOf(profile), "not deterministic"];
      assert.deepEqual(await namesIn({ profile: standIn(profile.name) }), expected(present));
      if (profile.capabilities === "none") return;
      const granted = { profile: profile.name, capabilities: ["fetch", "price"] };
      assert.deepEqual(await namesIn(granted), expected([...present, "fetch"]));
      assert.deepEqual(await namesIn({ ...granted, capabilities: ["price"] }), expected(present));
    });

  for (const [name, given] of Object.entries(own))
    test(`with the features of ${name}`, async () => {
      const present = Object.entries(given).flatMap(([feature, isOn]) => (isOn ? [feature] : []));
      assert.deepEqual(await namesIn({ profile: name }), expected([...present, "not deterministic"]));
    });

  test("where a sandbox is deterministic, dense, or has processes", async () => {
    assert.deepEqual(await namesIn({ deterministic: { seed: 1, now: 0 } }), expected([]));
    assert.deepEqual(await namesIn({ placement: { dense: true } }), expected(["not deterministic"]));
    const modules = { main: `import "vivarium/guest"; ${main}` };
    assert.deepEqual(await namesIn({ modules }), expected(["not deterministic"]));
  });
});

test("a global that is made when it is first read looks like any other before and after", async () => {
  const names = globalGroups.filter(({ where }) => where === undefined).flatMap((group) => group.names);
  const source = `export const shapes = (names) => names.map((name) => {
    const known = typeof globalThis[name];
    const { value, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, name);
    return [name, known === typeof value, enumerable, Object.keys(globalThis).includes(name)];
  });`;
  await using sandbox = await runtime.create({ modules: { main: source } });
  const there = names.filter((name) => name !== "Temporal" || "Temporal" in globalThis);
  assert.deepEqual(
    valueOf(await sandbox.call("main.shapes", { args: [there] })),
    there.map((name) => [name, true, false, false]),
  );
});

test("the types for authors declare the globals that the language's own types do not", () => {
  const text = ["ambient.d.ts", "ambient-fetch.d.ts"]
    .map((name) => readFileSync(new URL(`../../src/guest/${name}`, import.meta.url), "utf8"))
    .join("\n");
  const declared = [...text.matchAll(/^declare (?:var|class|function) (\w+)/gm)].map(([, name = ""]) => name);
  const ours = globalGroups
    .filter(({ about }) => ["Timers", "Of the web", "Requests"].includes(about))
    .flatMap((group) => group.names);
  assert.deepEqual([...new Set(declared)].sort(), [...ours].sort());
});
