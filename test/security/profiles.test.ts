// Profiles: every field of every one has its effect, and a profile that contradicts itself is refused.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  createRuntime,
  MemoryStore,
  presets,
  type FeatureName,
  type Limits,
  type ProfileSpec,
  type RuntimeOptions,
} from "../../src/index.ts";
import { allowsCapability } from "../../src/security/profile.ts";
import { Profiles } from "../../src/security/profiles.ts";
import { laxerIn } from "../../src/security/consistency.ts";
import { errorOf, mistakeOf } from "../support/errors.ts";
import { Folder } from "../support/folders.ts";
import { failureOf, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const MiB = 2 ** 20;
const allGrants = { dynamicCode: true, webAssembly: true, sharedMemory: true, resizableBuffers: true };

const runtime = await startRuntime({
  limits: { timeoutMs: 20_000, loadMs: 4_000 },
  profiles: {
    generous: { base: "low", features: allGrants },
    growing: { features: { resizableBuffers: true } },
    sharing: { features: { sharedMemory: true, resizableBuffers: true } },
    tight: { base: "classroom", limits: { memoryBytes: 16 * MiB, processes: 2, resultBytes: 2_048 } },
    quiet: { audit: "violations" },
    loud: { audit: "everything" },
  },
  npmImports: ["mri"],
  cells: { count: 1, spare: 0 },
});
const main = "export const f = () => 1;";

suite("limits", () => {
  const limitsOf = async (spec: { profile?: string; limits?: Partial<Limits> }): Promise<Limits> => {
    await using sandbox = await runtime.create({ modules: { main }, ...spec });
    return (await sandbox.info()).limits;
  };

  for (const [name, memoryMiB, processes, timeoutMsMax] of [
    ["high", 64, 50, 60_000],
    ["medium", 128, 100, 300_000],
    ["low", 256, 200, 600_000],
    ["classroom", 32, 10, 5_000],
  ] as const) {
    test(`${name} gives its sandboxes its memory, processes and longest time`, async () => {
      const limits = await limitsOf({ profile: name });
      assert.deepEqual(
        [limits.memoryBytes, limits.processes, limits.timeoutMsMax],
        [memoryMiB * MiB, processes, timeoutMsMax],
      );
    });
  }

  test("default gives way to profile, profile to runtime, runtime to sandbox, sandbox to call", async () => {
    assert.equal((await limitsOf({ profile: "high" })).stepMs, 1_000, "default");
    assert.equal((await limitsOf({ profile: "high" })).processes, 50, "profile over default");
    assert.equal((await limitsOf({ profile: "high" })).loadMs, 4_000, "runtime over default");
    const limits = await limitsOf({ profile: "high", limits: { processes: 7, loadMs: 3_000 } });
    assert.deepEqual([limits.processes, limits.loadMs], [7, 3_000], "sandbox over profile and runtime");
    await using other = await createRuntime({
      limits: { processes: 60 },
      profile: "high",
      cells: { count: 1, spare: 0, warm: 1 },
    });
    await using sandbox = await other.create({ modules: { main: "export const f = () => { for (;;); };" } });
    assert.equal((await sandbox.info()).limits.processes, 60, "runtime over profile");
    assert.equal(failureOf(await sandbox.call("main.f", { timeoutMs: 50 })).limit, "timeoutMs");
    await errorOf(() => sandbox.call("main.f", { timeoutMs: 60_001 }), "INVALID_LIMITS");
  });

  test("a runtime's deadline above a profile's ceiling comes down to it", async () => {
    assert.equal((await limitsOf({ profile: "medium" })).timeoutMs, 20_000);
    assert.equal((await limitsOf({ profile: "classroom" })).timeoutMs, 5_000);
    const error = await errorOf(
      () => limitsOf({ profile: "classroom", limits: { timeoutMs: 6_000 } }),
      "INVALID_LIMITS",
    );
    assert.match(error.message, /timeoutMsMax, 5000/);
  });

  test("a profile's limits are enforced", async () => {
    const source = "export const f = (n: number) => 'x'.repeat(n);";
    await using sandbox = await runtime.create({ modules: { main: source }, profile: "tight" });
    assert.equal(valueOf(await sandbox.call<string>("main.f", { args: [100] })).length, 100);
    assert.equal(failureOf(await sandbox.call("main.f", { args: [3_000] })).limit, "resultBytes");
  });
});

suite("features", () => {
  // Each answers true where what it needs is there and works.
  const probes: readonly (readonly [FeatureName, string])[] = [
    ["dynamicCode", "eval('1 + 1') === 2"],
    ["dynamicCode", "new Function('return 3')() === 3"],
    ["dynamicCode", "(() => {}).constructor('return 4')() === 4"],
    ["dynamicCode", "typeof (async () => {}).constructor('return 5')().then === 'function'"],
    ["webAssembly", "new WebAssembly.Memory({ initial: 1 }).buffer.byteLength === 65536"],
    ["sharedMemory", "Atomics.add(new Int32Array(new SharedArrayBuffer(8)), 0, 1) === 0"],
    [
      "resizableBuffers",
      "(() => { const b = new ArrayBuffer(1, { maxByteLength: 8 }); b.resize(8); return b.byteLength === 8 })()",
    ],
  ];
  const source = probes
    .map(([, probe], i) => `export const p${i} = () => { try { return ${probe}; } catch { return false; } };`)
    .join("\n");
  for (const [profile, granted] of [
    ["medium", []],
    ["classroom", []],
    ["low", ["dynamicCode"]],
    ["growing", ["resizableBuffers"]],
    ["sharing", ["sharedMemory", "resizableBuffers"]],
    ["generous", ["dynamicCode", "webAssembly", "sharedMemory", "resizableBuffers"]],
  ] as const) {
    test(`${profile} features ${granted.join(", ") || "nothing"} and nothing else`, async () => {
      await using sandbox = await runtime.create({ modules: { main: source }, profile });
      for (const [i, [grant, probe]] of probes.entries()) {
        const isThere = valueOf(await sandbox.call(`main.p${i}`));
        assert.equal(isThere, (granted as readonly FeatureName[]).includes(grant), probe);
      }
    });
  }

  test("a rebuilt, restarted or reloaded sandbox has the features that it had", async () => {
    const modules = { main: "export const f = () => eval('6');" };
    await using sandbox = await runtime.create({ modules, profile: "low" });
    assert.equal(valueOf(await sandbox.call("main.f")), 6);
    await sandbox.restart();
    assert.equal(valueOf(await sandbox.call("main.f")), 6);
    await sandbox.hotReload({ main: "export const f = () => eval('7');" });
    assert.equal(valueOf(await sandbox.call("main.f")), 7);
    assert.equal((await sandbox.updateLimits({ memoryBytes: 300 * MiB })).rebuilt, true);
    assert.equal(valueOf(await sandbox.call("main.f")), 7);
  });

  test("shared memory never crosses, also where it is granted", async () => {
    const modules = { main: "export const f = () => new SharedArrayBuffer(8);" };
    await using sandbox = await runtime.create({ modules, profile: "sharing" });
    assert.equal(failureOf(await sandbox.call("main.f")).kind, "unserializable");
  });

  test("code that is made while it runs uses no fuel, so that a sandbox cannot have both", async () => {
    const spec = { modules: { main }, profile: "low", limits: { fuel: 1_000 } };
    const error = await mistakeOf(() => runtime.create(spec), "INVALID_PROFILE");
    assert.match(error.message, /limits\.fuel contradicts features\.dynamicCode/);
    await using metered = await runtime.create({ ...spec, profile: "medium" });
    assert.equal(valueOf(await metered.call("main.f")), 1);
  });
});

suite("npm imports", () => {
  const rows = [
    ["high", "mri", "SECURITY_REJECTED"],
    ["classroom", "mri", "SECURITY_REJECTED"],
    ["medium", "mri", "ok"],
    ["medium", "picocolors", "LOAD_FAILED"],
    ["low", "mri", "ok"],
    ["low", "object-assign", "ok"],
  ] as const;
  for (const [profile, name, expected] of rows) {
    test(`${profile} and the package ${name}: ${expected}`, async () => {
      using folder = new Folder({
        "index.ts": `import * as all from "${name}"; export const f = () => typeof all.default;`,
        [`node_modules/${name}/package.json`]: { name, version: "1.0.0", main: "index.js", type: "module" },
        [`node_modules/${name}/index.js`]: "export default () => 1;",
      });
      const id = `npm-${profile}-${name}`;
      const act = () => runtime.create(id, { path: folder.path, profile });
      if (expected === "ok") {
        await using sandbox = await act();
        assert.equal(valueOf(await sandbox.call("index.f")), "function");
        return;
      }
      await errorOf(act, expected);
      const [entry] = await runtime.audit.query({ sandboxId: id });
      assert.deepEqual([entry?.kind, entry?.rule, entry?.what], ["denied", "npm-imports", name]);
    });
  }
});

suite("which profile", () => {
  test("info() and health() tell it, and a fork has its parent's", async () => {
    await using sandbox = await runtime.create({ modules: { main }, profile: "high" });
    await using child = await runtime.fork(sandbox.id);
    await using usual = await runtime.create({ modules: { main } });
    const told = await Promise.all([sandbox, child, usual].map(async (one) => (await one.info()).profile));
    assert.deepEqual(told, ["high", "high", "medium"]);
    const { profiles } = await runtime.health();
    assert.equal(profiles.usual, "medium");
    assert.ok(["high", "low", "classroom", "generous"].every((name) => profiles.names.includes(name)));
  });

  test("once() takes one", async () => {
    const source = "export default () => eval('8');";
    assert.equal(valueOf(await runtime.once(source, { profile: "low" })), 8);
    assert.equal(failureOf(await runtime.once(source, { profile: "high" })).kind, "rejected");
  });

  test("a sandbox that comes back from the store has its own", async () => {
    const store = new MemoryStore();
    const options: RuntimeOptions = { store, cells: { count: 1, spare: 0, warm: 1 } };
    await using first = await createRuntime(options);
    await first.create("kept", { modules: { main: "export const f = () => eval('9');" }, profile: "low" });
    await using second = await createRuntime(options);
    assert.equal((await second.info("kept")).profile, "low");
    assert.equal(valueOf(await (await second.get("kept")).call("main.f")), 9);
  });

  test("a stored sandbox whose profile is gone comes back as failed, says which, and stays stored", async () => {
    const store = new MemoryStore();
    const options: RuntimeOptions = { store, cells: { count: 1, spare: 0, warm: 1 } };
    {
      await using first = await createRuntime({ ...options, profiles: { own: {} } });
      await first.create("kept", { modules: { main }, profile: "own" });
    }
    {
      await using second = await createRuntime(options);
      const { status, reason } = await second.info("kept");
      assert.equal(status, "failed");
      assert.match(reason ?? "", /profile "own" as it must be one of high, medium, low, classroom/);
    }
    await using again = await createRuntime({ ...options, profiles: { own: {} } });
    assert.equal((await again.info("kept")).status, "running");
  });

  test("an individual brings its own, unless that is laxer than the runtime's: then the caller must say so", async () => {
    await using high = await runtime.create({ modules: { main }, profile: "high" });
    await using copy = await runtime.import(await high.export(), { id: "copy" });
    assert.equal((await copy.info()).profile, "high");
    await using low = await runtime.create({ modules: { main }, profile: "low" });
    const individual = await low.export();
    const error = await mistakeOf(() => runtime.import(individual, { id: "lax" }), "INVALID_PROFILE");
    assert.match(error.message, /no laxer than "medium".*in features\.dynamicCode/);
    await using named = await runtime.import(individual, { id: "lax", profile: "low" });
    assert.equal((await named.info()).profile, "low");
    await using lowered = await runtime.import(individual, { id: "lowered", profile: "high" });
    assert.equal((await lowered.info()).profile, "high");
  });

  test("one that is not there is a mistake", async () => {
    for (const profile of ["none", "", "__proto__", "constructor", 5, null]) {
      const act = () => runtime.create({ modules: { main }, profile: profile as string });
      await mistakeOf(act, "INVALID_PROFILE");
    }
    await mistakeOf(() => createRuntime({ profile: "none" }), "INVALID_PROFILE");
  });

  test("a profile is no laxer than itself, and the presets are in order", () => {
    const { high, medium, low, classroom } = presets;
    for (const one of [high, medium, low, classroom]) assert.equal(laxerIn(one, one), undefined);
    assert.equal(laxerIn(high, medium), undefined);
    assert.equal(laxerIn(medium, low), undefined);
    assert.equal(laxerIn(classroom, medium), undefined);
    assert.equal(laxerIn(medium, high), "scan.suspicious");
    assert.equal(laxerIn(low, medium), "features.dynamicCode");
  });
});

suite("audit level", () => {
  for (const [profile, kinds] of [
    ["high", ["admitted"]],
    ["loud", ["admitted"]],
    ["medium", []],
    ["quiet", []],
  ] as const) {
    test(`${profile} writes down ${kinds.join(", ") || "nothing"} of code that is fine`, async () => {
      await using sandbox = await runtime.create({ modules: { main }, profile });
      const entries = await runtime.audit.query({ sandboxId: sandbox.id });
      assert.deepEqual(
        entries.map(({ kind }) => kind),
        kinds,
      );
    });
  }
});

suite("capabilities that a profile allows", () => {
  const rows: readonly (readonly [ProfileSpec["capabilities"], boolean])[] = [
    ["none", false],
    ["any", true],
    [["fetch"], true],
    [["files"], false],
  ];
  for (const [capabilities, isAllowed] of rows) {
    test(`${JSON.stringify(capabilities)}: fetch is ${isAllowed ? "" : "not "}allowed`, () => {
      const profile = new Profiles({ own: { capabilities } }, "own").usual;
      assert.equal(allowsCapability(profile, "fetch"), isAllowed);
    });
  }
});
