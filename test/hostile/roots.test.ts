// Imports that leave the root of a sandbox's files, in every way: refused, and nothing of what is outside is disclosed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import { Folder, type Files } from "../support/folders.ts";
import { ask, refusalOf, runtimeForTests } from "../support/reloading.ts";

const secret = "SECRET_7f3a";
// The gate refuses most of these before they are resolved; here it admits all, so that the resolver is tested.
const runtime = runtimeForTests({
  npmImports: ["allowed", "@scope/allowed"],
  profile: "ungated",
  profiles: { ungated: { scan: { blocked: "admit", suspicious: "admit" } } },
});

// A root with a secret beside it, in every form that an import could take it for.
function rooted(files: Files): Folder {
  return new Folder({
    ".env": `KEY=${secret}`,
    "outside.ts": `export const key = "${secret}";`,
    "outside.json": { key: secret },
    "secret/index.ts": `export const key = "${secret}";`,
    "root/inside.ts": "export const fine = 1;",
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`root/${name}`, content])),
  });
}

async function refusedAt(folder: Folder, path = "root"): Promise<string> {
  const error = await refusalOf(runtime.current.create({ path: folder.at(path) }), "LOAD_FAILED");
  assert.ok(
    !JSON.stringify([error.message, error.diagnostics, String(error.cause)]).includes(secret),
    error.message,
  );
  assert.equal(error.phase, "link", error.message);
  return error.message;
}

const specifiers = (folder: Folder): readonly string[] => [
  "../../.env",
  "../.env",
  "../outside",
  "../outside.ts",
  "../outside.json",
  "../secret",
  "./../outside.ts",
  "./x/../../outside.ts",
  "./inside/../../outside.ts",
  folder.at("outside.ts"),
  "/etc/passwd",
  `file://${folder.at("outside.ts")}`,
  "file:///etc/passwd",
  "FILE:///etc/passwd",
  `data:text/javascript,export const key = 1`,
  "blob:x",
  "http://127.0.0.1/x.js",
  "node:fs",
  "node:child_process",
  "fs",
  "..%2foutside.ts",
  "..\\\\outside.ts",
  "./inside\\0.ts",
  "./\\u0000",
  `./${"x".repeat(5_000)}`,
  "#internal",
  "..",
  ".",
];

test("an import that leaves the root is refused, however it is written", async () => {
  for (const write of [
    (to: string) => `import "${to}"; export const f = 1;`,
    (to: string) => `import { key } from "${to}"; export const f = () => key;`,
    (to: string) => `export * from "${to}";`,
    (to: string) => `export const f = () => import("${to}");`,
  ]) {
    using folder = rooted({ "package.json": { imports: { "#internal": "../outside.ts" } } });
    for (const specifier of specifiers(folder)) {
      folder.write({ "root/index.ts": write(specifier) });
      await refusedAt(folder).catch((error: unknown) => assert.fail(`${write(specifier)}: ${String(error)}`));
    }
  }
});

test("an import of modules that are no files finds nothing outside either", async () => {
  using folder = rooted({});
  for (const specifier of specifiers(folder)) {
    const modules = { main: `import { key } from "${specifier}"; export const f = () => key;` };
    const error = await refusalOf(runtime.current.create({ modules }), "LOAD_FAILED");
    assert.equal(error.phase, "link", specifier);
    await using sandbox = await runtime.current.create({
      modules: { main: `export const f = () => import("${specifier}");` },
    });
    const outcome = await sandbox.call("main.f");
    assert.ok(!outcome.ok && outcome.error.kind === "crashed", specifier);
  }
});

test("a link inside the root that leads out is refused; one that stays inside is followed", async () => {
  using folder = rooted({ "index.ts": 'export { key } from "./link";' });
  for (const target of ["outside.ts", "outside.json"]) {
    symlinkSync(folder.at(target), folder.at("root/link.ts"));
    assert.match(await refusedAt(folder), /must stay inside/);
    folder.remove("root/link.ts");
  }
  symlinkSync(folder.at("secret"), folder.at("root/link"));
  assert.match(await refusedAt(folder), /must stay inside/);
  folder.remove("root/link");
  symlinkSync(folder.at("outside.ts"), folder.at("root/entry.ts"));
  folder.write({ "root/package.json": { main: "./entry.ts" } });
  await refusedAt(folder);
  folder.write({ "root/package.json": {}, "root/index.ts": 'export { fine } from "./near";' });
  symlinkSync(folder.at("root/inside.ts"), folder.at("root/near.ts"));
  await using sandbox = await runtime.current.create({ path: folder.at("root") });
  assert.deepEqual(Object.keys((await sandbox.info()).modules).toSorted(), ["index", "near"]);
});

test("a package.json that names an entry outside its folder is refused", async () => {
  using folder = rooted({ "index.ts": "export const f = 1" });
  const outside = [
    "../outside.ts",
    "../outside",
    "../secret",
    folder.at("outside.ts"),
    "./../outside.ts",
    "../.env",
  ];
  for (const entry of outside) {
    for (const fields of [
      { main: entry },
      { module: entry },
      { exports: entry },
      { exports: { ".": entry } },
      { exports: { ".": { import: { default: entry } } } },
    ]) {
      folder.write({ "root/package.json": fields });
      assert.match(await refusedAt(folder), /must name a file inside|must have/);
    }
  }
  folder.write({
    "root/package.json": `{"exports":${'{".":'.repeat(50_000)}"../outside.ts"${"}".repeat(50_000)}}`,
  });
  await refusedAt(folder);
  folder.write({ "root/package.json": "{ not json" });
  await refusedAt(folder);
});

test("a file that is not text, or not a file, is refused and not waited for", async () => {
  using folder = rooted({ "index.ts": Buffer.from("export const f = '\xff\xfe';", "latin1") });
  const error = await refusalOf(runtime.current.create({ path: folder.at("root") }), "PARSE_FAILED");
  assert.match(error.message, /UTF-8/);
  await refusalOf(runtime.current.compile.file(folder.at("root/index.ts")), "PARSE_FAILED");
  execFileSync("mkfifo", [folder.at("root/pipe.ts")]);
  folder.write({ "root/index.ts": 'import "./pipe";' });
  await refusedAt(folder);
  for (const path of [folder.at("root/pipe.ts"), "/dev/zero"]) {
    await refusalOf(runtime.current.create({ path }), "INVALID_OPTIONS");
    await refusalOf(runtime.current.compile.file(path), "INVALID_OPTIONS");
  }
  await refusalOf(runtime.current.create({ path: folder.at("nowhere") }), "INVALID_OPTIONS");
});

const packaged = (fields: object, files: Files = {}): Folder =>
  rooted({
    "index.ts": 'import { key } from "allowed"; export const f = () => key;',
    "node_modules/allowed/package.json": { name: "allowed", type: "module", ...fields },
    "node_modules/denied/package.json": { name: "denied", main: "./index.js" },
    "node_modules/denied/index.js": `export const key = "denied";`,
    ...Object.fromEntries(
      Object.entries(files).map(([name, content]) => [`node_modules/allowed/${name}`, content]),
    ),
  });

test("a package that is allowed is bundled with what it needs, and only that", async () => {
  using folder = packaged(
    { exports: { ".": "./lib/index.js", "./sub": "./sub.js" } },
    {
      "lib/index.js": `import { half } from "dependency"; export const key = half(84); export default "it";`,
      "sub.js": `export const sub = "sub";`,
      "node_modules/dependency/package.json": { name: "dependency", main: "index.js" },
      "node_modules/dependency/index.js": "exports.half = (n) => n / 2;",
    },
  );
  folder.write({
    "root/index.ts": `import it, { key } from "allowed"; import { sub } from "allowed/sub"; export const f = () => [key, it, sub];`,
  });
  await using sandbox = await runtime.current.create({ path: folder.at("root") });
  assert.deepEqual(await ask(sandbox, "index.f"), [42, "it", "sub"]);
});

test("a package that points or reaches out of its folder is refused", async () => {
  const reaching: readonly (readonly [object, Files])[] = [
    [{ exports: "../../../outside.ts" }, {}],
    [{ exports: { ".": "./../../../outside.ts" } }, {}],
    [{ main: "../../../outside.ts" }, {}],
    [{ main: "../../inside.ts" }, {}],
    [{ main: "./index.js" }, { "index.js": `export { key } from "../../../outside.ts";` }],
    [{ main: "./index.js" }, { "index.js": `import "../../../.env"; export const key = 1;` }],
    [{ main: "./index.js" }, { "index.js": `export { default as key } from "../../../outside.json";` }],
    [
      { main: "./index.js" },
      { "index.js": `import { readFileSync } from "node:fs"; export const key = readFileSync;` },
    ],
    [{ main: "./index.js" }, { "index.js": `import fs from "fs"; export const key = fs;` }],
    [{ main: "./index.js" }, { "index.js": `import "/etc/passwd"; export const key = 1;` }],
    [{ main: "./index.js" }, { "index.js": `import "file:///etc/passwd"; export const key = 1;` }],
  ];
  for (const [fields, files] of reaching) {
    using folder = packaged(fields, files);
    const message = await refusedAt(folder);
    assert.match(message, /^Cannot import package "allowed" as/, JSON.stringify([fields, files]));
  }
  using linked = packaged({ main: "./link.js" });
  symlinkSync(linked.at("outside.ts"), linked.at("root/node_modules/allowed/link.js"));
  await refusedAt(linked);
  // Named like the entry that the bundler is given.
  using disguised = packaged({ main: "../../../secret/vivarium-package.js" });
  disguised.write({ "secret/vivarium-package.js": `export const key = "${secret}";` });
  await refusedAt(disguised);
});

test("a package that is not allowed cannot be imported through the name of one that is", async () => {
  using folder = packaged({ main: "./index.js" }, { "index.js": "export const key = 1;" });
  const names = [
    "denied",
    "allowed/../denied",
    "allowed/../denied/index.js",
    "allowed/../../../outside.ts",
    "allowed/./index.js/../../denied",
  ];
  for (const name of [
    ...names,
    "allowed2",
    "allowed\\\\..\\\\denied",
    "@scope/allowed/../../denied",
    "./node_modules/../../outside",
  ]) {
    folder.write({ "root/index.ts": `import { key } from "${name}"; export const f = () => key;` });
    await refusedAt(folder).catch((error: unknown) => assert.fail(`${name}: ${String(error)}`));
  }
});

test("a package and a file of the same name are distinguished, or refused", async () => {
  using folder = packaged({ main: "./index.js" }, { "index.js": `export const key = "package";` });
  folder.write({
    "root/index.ts": `import { key } from "allowed"; import { own } from "./allowed"; export const f = () => [key, own()];`,
    "root/allowed.ts": `import { key } from "allowed"; export const own = () => "file " + key;`,
  });
  assert.match(await refusedAt(folder), /"allowed"/);
});
