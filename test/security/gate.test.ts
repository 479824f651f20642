// The gate: what each profile makes of which program, with its line; and the same gate on every way in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadError, type AuditEntry, type LogLine } from "../../src/index.ts";
import { Folder } from "../support/folders.ts";
import { failureOf, valueOf } from "../support/outcomes.ts";
import { ask, codeStateOf, refusalOf, runtimeForTests } from "../support/reloading.ts";
import { until } from "../support/waiting.ts";
import { gatePrograms, type Letter } from "./programs.ts";

const profiles = ["high", "medium", "low", "classroom"] as const;
const runtime = runtimeForTests({
  profiles: {
    judged: {
      scan: {
        rules: [
          { name: "no-fetch", sees: "host-global", what: ["fetch"], decision: "reject" },
          { name: "require-is-fine", sees: "host-global", what: ["require"], decision: "admit" },
          {
            name: "own-judge",
            judge: ({ rule, what }, { module }) => {
              if (rule !== "import") return undefined;
              if (what === "broken") throw new Error("judge");
              return module === "main" && what === "secret" ? "reject" : "admit";
            },
          },
        ],
      },
    },
  },
  blockedImports: ["left-pad"],
});
const letters: Readonly<Record<string, Letter>> = { rejected: "r", warned: "w" };
const blockedSource = '// first\nimport fs from "node:fs";\nexport const f = () => fs;';
const fineSource = "export const f = () => 1;";

function auditOf(sandboxId: string): Promise<readonly AuditEntry[]> {
  return runtime.current.audit.query({ sandboxId });
}

// The gravest decision that was written down.
async function letterOf(sandboxId: string): Promise<Letter> {
  const kinds = new Set((await auditOf(sandboxId)).map(({ kind }) => kind));
  return kinds.has("rejected") ? "r" : kinds.has("warned") ? "w" : "a";
}

test("every program gets from every profile the decision that it should", async () => {
  const others = { other: "export const g = () => 1;", util: "export const g = () => 2;" };
  const specs = gatePrograms.flatMap(({ source }, i) =>
    profiles.map((profile) => ({ id: `${i}-${profile}`, profile, modules: { ...others, main: source } })),
  );
  const results = await runtime.current.batch.create(specs);
  const wrong: string[] = [];
  for (const [i, { name, expected, at }] of gatePrograms.entries()) {
    for (const [p, profile] of profiles.entries()) {
      const id = `${i}-${profile}`;
      const result = results[i * profiles.length + p];
      const letter = await letterOf(id);
      if (letter !== expected[p]) wrong.push(`${name} under ${profile}: ${letter}, not ${expected[p]}`);
      const code = result?.ok === false ? result.error.code : "ok";
      if ((letter === "r") !== (code === "SECURITY_REJECTED"))
        wrong.push(`${name} under ${profile}: ${code}`);
      const [first] = (await auditOf(id)).filter(({ kind }) => letters[kind] === letter);
      if (at !== undefined && first !== undefined && `${first.line}:${first.column}` !== at)
        wrong.push(`${name} under ${profile} stands at ${at}, told at ${first.line}:${first.column}`);
    }
  }
  assert.deepEqual(wrong, []);
  await runtime.current.batch.destroy(specs.map(({ id }) => id));
});

test("a rejection names profile, rule and place, and shows the lines around it", async () => {
  const error = await refusalOf(
    runtime.current.create("told", { modules: { main: blockedSource } }),
    "SECURITY_REJECTED",
  );
  assert.equal(error.phase, "gate");
  assert.match(error.message, /profile "medium" must admit it: "node:fs" .*\(import-builtin\) at main:2:16$/);
  const [diagnostic] = error.diagnostics;
  assert.deepEqual([diagnostic?.severity, diagnostic?.line, diagnostic?.column], ["error", 2, 16]);
  assert.match(diagnostic?.frame ?? "", /> 2 \| import fs from "node:fs";/);
  const { status, lastError } = await runtime.current.info("told");
  assert.deepEqual([status, lastError?.code], ["failed", "SECURITY_REJECTED"]);
  await runtime.current.destroy("told");
});

test("classroom says why a finding matters and what to do instead", async () => {
  const spec = { modules: { main: "export const f = () => eval('1');" }, profile: "classroom" };
  await using sandbox = await runtime.current.create(spec);
  const [warning] = (await sandbox.info()).modules["main"]?.warnings ?? [];
  assert.equal(warning?.severity, "warning");
  assert.match(warning?.message ?? "", /makes code from text.*Instead: write the function out/);
  await using plain = await runtime.current.create({ ...spec, profile: "medium" });
  const [terse] = (await plain.info()).modules["main"]?.warnings ?? [];
  assert.doesNotMatch(terse?.message ?? "", /Instead/);
});

test("warnings belong to the sandbox, not to the source that others share", async () => {
  const modules = { main: "export const f = () => eval('2');" };
  await using warned = await runtime.current.create({ modules });
  await using fine = await runtime.current.create({ modules, profile: "low" });
  assert.equal((await warned.info()).modules["main"]?.warnings.length, 1);
  assert.deepEqual((await fine.info()).modules["main"]?.warnings, []);
});

test("a profile's own rules decide before the policy does: data, and functions", async () => {
  const { current } = runtime;
  const create = (id: string, main: string) =>
    current.create(id, { modules: { main, secret: fineSource, broken: fineSource }, profile: "judged" });
  for (const [id, main, rule] of [
    ["a", "export const f = () => fetch('x');", "no-fetch"],
    ["b", 'import { f as g } from "secret"; export const f = g;', "own-judge"],
    ["c", 'import { f as g } from "broken"; export const f = g;', "own-judge"],
  ] as const) {
    await refusalOf(create(id, main), "SECURITY_REJECTED");
    assert.deepEqual(
      (await auditOf(id)).map((entry) => entry.rule),
      [rule],
    );
    await current.destroy(id);
  }
  await using _admitted = await create("d", "export const f = () => require('x');");
  assert.deepEqual(await auditOf("d"), []);
  await using _warned = await create("e", "export const f = () => process;");
  assert.deepEqual(
    (await auditOf("e")).map(({ kind, rule }) => [kind, rule]),
    [["warned", "host-global"]],
  );
});

test("blockedImports count as blocked under every profile, also behind thousands of other imports", async () => {
  const { current } = runtime;
  for (const main of [
    'import "left-pad"; export const f = 1;',
    'import "left-pad/deep"; export const f = 1;',
  ])
    await refusalOf(current.create("pad", { modules: { main } }), "SECURITY_REJECTED").then(() =>
      current.destroy("pad"),
    );
  const many = Array.from({ length: 2_000 }, (_, i) => `import "m${i}";`).join("");
  await refusalOf(
    current.create("pad", { modules: { main: `${many} import "left-pad";` } }),
    "SECURITY_REJECTED",
  );
  await current.destroy("pad");
  await refusalOf(current.create("pad", { modules: { main: 'import "left-padding";' } }), "LOAD_FAILED");
  await current.destroy("pad");
});

test("a blocked import is not hidden by thousands of lesser findings", async () => {
  const noise = Array.from({ length: 2_000 }, (_, i) => `globalThis[x${i}]; import("./a" + ${i});`).join("");
  const main = `const x = 1; ${noise} import "node:fs";`;
  await refusalOf(runtime.current.create("noisy", { modules: { main } }), "SECURITY_REJECTED");
  await runtime.current.destroy("noisy");
});

test("the same gate stands at create, hotReload, run, batch.run, once, fork and batch.create", async () => {
  const { current } = runtime;
  await using sandbox = await current.create("gated", { modules: { main: fineSource } });
  await refusalOf(sandbox.hotReload({ main: blockedSource }), "SECURITY_REJECTED");
  await refusalOf(sandbox.hotReload({ main: blockedSource }, { dryRun: true }), "SECURITY_REJECTED");
  const artifact = await current.compile.source(blockedSource);
  await refusalOf(sandbox.hotReload({ main: artifact }), "SECURITY_REJECTED");
  const fn = (): unknown => import("node:fs");
  assert.equal(failureOf(await sandbox.run(fn)).kind, "rejected");
  const [item] = await current.batch.run(["gated"], fn);
  assert.equal(item?.ok === false && item.error.kind, "rejected");
  assert.equal(failureOf(await current.once(blockedSource)).kind, "rejected");
  await refusalOf(
    current.fork("gated", { id: "child", modules: { main: blockedSource } }),
    "SECURITY_REJECTED",
  );
  await current.destroy("child");
  const [created] = await current.batch.create([{ id: "batched", modules: { main: blockedSource } }]);
  assert.equal(created?.ok === false && created.error.code, "SECURITY_REJECTED");
  await current.destroy("batched");
  assert.equal(valueOf(await sandbox.call("main.f")), 1, "what was there goes on");
});

test("an individual whose code its profile does not admit is not imported", async () => {
  await using lax = await runtime.current.create({
    modules: { main: "export const f = () => eval('3');" },
    profile: "medium",
  });
  const individual = await lax.export();
  await refusalOf(runtime.current.import(individual, { id: "strict", profile: "high" }), "SECURITY_REJECTED");
  await runtime.current.destroy("strict");
});

test("a followed folder that comes to hold blocked code keeps running what it has", async () => {
  using folder = new Folder({ "index.ts": fineSource });
  await using sandbox = await runtime.current.create("followed", { path: folder.path, autoReload: true });
  folder.write({ "index.ts": blockedSource });
  const lastError = await until(
    "the gate has spoken",
    async () => (await sandbox.info()).lastError ?? undefined,
  );
  assert.equal(lastError.code, "SECURITY_REJECTED");
  assert.equal(await ask(sandbox, "index.f"), 1);
  assert.deepEqual(
    (await auditOf("followed")).map(({ kind, what, line }) => [kind, what, line]),
    [["rejected", "node:fs", 2]],
  );
  folder.write({ "index.ts": "export const f = () => 2;" });
  await until("the mended file is taken", async () => (await ask(sandbox, "index.f")) === 2);
});

test("a folder with blocked code does not become a sandbox", async () => {
  using folder = new Folder({ "index.ts": 'export { f } from "./deep";', "deep.ts": blockedSource });
  const error = await refusalOf(runtime.current.create("folder", { path: folder.path }), "SECURITY_REJECTED");
  assert.match(error.message, /deep\.ts:2:16/);
  assert.equal((await runtime.current.info("folder")).status, "failed");
  await runtime.current.destroy("folder");
});

const names = Array.from({ length: 10 }, (_, i) => `m${i}`);

function tenModules(tag: string, extra = ""): Record<string, string> {
  return Object.fromEntries(
    names.map((name, i) => {
      const next = i < 9 ? `import { count as next } from "./m${i + 1}";` : "const next = () => [];";
      const own = `let n = 0; export const count = () => ["${tag}" + ++n, ...next()];`;
      return [name, `${next} ${own} ${name === "m6" ? extra : ""}`];
    }),
  );
}

test("a reload of ten modules, one of which the gate turns away, leaves everything as it was", async () => {
  await using sandbox = await runtime.current.create("ten", { modules: tenModules("a") });
  assert.deepEqual(
    await ask(sandbox, "m0.count"),
    names.map(() => "a1"),
  );
  const before = await codeStateOf(sandbox);
  const error = await refusalOf(sandbox.hotReload(tenModules("b", 'import "node:fs";')), "SECURITY_REJECTED");
  assert.ok(error instanceof LoadError && error.phase === "gate");
  assert.deepEqual(await codeStateOf(sandbox), before);
  assert.deepEqual(
    await ask(sandbox, "m0.count"),
    names.map(() => "a2"),
    "old code goes on with its variables",
  );
  assert.deepEqual([...new Set((await auditOf("ten")).map(({ kind }) => kind))], ["rejected"]);
  const report = await sandbox.hotReload(tenModules("b"));
  assert.deepEqual([report.status, report.revision], ["reloaded", 2]);
  assert.equal((await sandbox.info()).rebuilds, 0);
});

test("a profile that writes everything down says of no module that it came in where others kept all of them out", async () => {
  const modules = { a: fineSource, b: blockedSource, c: fineSource };
  await refusalOf(runtime.current.create("none", { modules, profile: "high" }), "SECURITY_REJECTED");
  assert.deepEqual([...new Set((await auditOf("none")).map(({ kind }) => kind))], ["rejected"]);
  await runtime.current.destroy("none");
  await using _all = await runtime.current.create("all", {
    modules: { a: fineSource, c: fineSource },
    profile: "high",
  });
  assert.deepEqual(
    (await auditOf("all")).map(({ kind, count }) => [kind, count]),
    [["admitted", 2]],
  );
});

test("compile.check() tells what a profile would say, and writes nothing down", async () => {
  const before = (await runtime.current.metrics()).audit;
  const say = async (profile?: string) =>
    (await runtime.current.compile.check(blockedSource, profile === undefined ? {} : { profile })).map(
      ({ severity, line }) => `${severity} ${line}`,
    );
  assert.deepEqual(await say(), ["error 2"]);
  assert.deepEqual(await say("low"), ["warning 2"]);
  assert.deepEqual(await runtime.current.compile.check(fineSource), []);
  assert.deepEqual((await runtime.current.metrics()).audit, before);
});

test("a rejected once() has run nothing", async () => {
  const lines: LogLine[] = [];
  const source = 'console.log("ran"); import "node:fs";';
  const outcome = await runtime.current.once(source, { onOutput: (line) => lines.push(line) });
  assert.equal(failureOf(outcome).kind, "rejected");
  assert.deepEqual([lines, outcome.output], [[], []]);
});
