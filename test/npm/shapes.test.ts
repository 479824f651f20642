// The shapes in which packages come: entries by condition, replacements for browsers, CommonJS of all kinds, code that asks for
// Node. All are written here, so that nothing must be installed.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createRuntime, unwrap, type Runtime } from "../../src/index.ts";
import { Folder, type Files } from "../support/folders.ts";
import { refusalOf } from "../support/reloading.ts";

function packageFiles(name: string, manifest: object, files: Files): Files {
  const at = `node_modules/${name}`;
  const inside = Object.entries(files).map(([path, content]) => [`${at}/${path}`, content] as const);
  return { [`${at}/package.json`]: { name, version: "1.0.0", ...manifest }, ...Object.fromEntries(inside) };
}

const entries = (...conditions: readonly string[]): Files =>
  Object.fromEntries(conditions.map((name) => [`${name}.js`, `export default "${name}";`]));
const exportsOf = (...conditions: readonly string[]): object => ({
  type: "module",
  exports: Object.fromEntries(conditions.map((name) => [name, `./${name}.js`])),
});

const oddVersions = [
  "1\nglobalThis.planted = 1;",
  "1\r globalThis.planted = 1;",
  "1\u2028globalThis.planted = 1;",
  "*/ 1",
  "x".repeat(1_000_000),
  "1.0.0-rc.1+build",
];

const packages: Files = {
  ...Object.assign(
    {},
    ...oddVersions.map((version, index) =>
      packageFiles(`version-${index}`, { version }, { "index.js": `module.exports = ${index};` }),
    ),
  ),
  ...packageFiles("torn", {}, { "index.js": `require("./lib/low.js");`, "lib/low.js": "\n\nlet = ;" }),
  ...packageFiles("torn-data", {}, { "index.js": `require("./low.json");`, "low.json": "{\n  bad" }),
  ...packageFiles(
    "by-browser",
    exportsOf("node", "browser", "default"),
    entries("node", "browser", "default"),
  ),
  ...packageFiles("by-worker", exportsOf("worker", "browser", "default"), entries("worker", "browser")),
  ...packageFiles("by-default", exportsOf("node", "deno", "default"), entries("node", "deno", "default")),
  ...packageFiles(
    "dual",
    { exports: { import: "./m.mjs", require: "./c.cjs" } },
    {
      "m.mjs": `export default "import"; export const named = 1;`,
      "c.cjs": `module.exports = "require";`,
    },
  ),
  ...packageFiles(
    "field",
    { main: "./main.js", browser: { "./node.js": "./web.js", fs: false } },
    {
      "main.js": `exports.where = require("./node.js"); exports.fs = Object.keys(require("fs")).length;`,
      "node.js": `module.exports = require("os").platform();`,
      "web.js": `module.exports = "web";`,
    },
  ),
  ...packageFiles(
    "asks",
    { type: "module", main: "./index.js" },
    {
      "index.js": `export const env = [process.env.NODE_ENV, process.env.HOME, process.browser];
      export const isSame = global === globalThis && self === globalThis && typeof global === "object";
      export const none = [typeof window, typeof process, typeof document, typeof module];
      export const named = (process) => process.env;
      export const mayEval = typeof eval;`,
    },
  ),
  ...packageFiles(
    "callable",
    {},
    { "index.js": `module.exports = (n) => n + 1; module.exports.twice = (n) => n * 2;` },
  ),
  ...packageFiles(
    "compiled",
    { main: "lib/index.js" },
    {
      "lib/index.js": `"use strict"; Object.defineProperty(exports, "__esModule", { value: true });
      exports.default = (n) => n + 10; exports.other = 5; __exportStar(require("./more"), exports);
      function __exportStar(m, exports) { for (const k in m) if (k !== "default") exports[k] = m[k]; }`,
      "lib/more.js": `exports.deep = 7;`,
    },
  ),
  ...packageFiles(
    "universal",
    { main: "umd.js" },
    {
      "umd.js": `(function (root, make) { typeof exports === "object" && typeof module !== "undefined" ? module.exports = make() : root.universal = make(); })(this, function () { function lib() { return "lib"; } lib.part = 3; return lib; });`,
    },
  ),
  ...packageFiles(
    "switched",
    {},
    {
      "index.js": `if (process.env.NODE_ENV === "production") { module.exports = require("./good.js"); } else { module.exports = require("./bad.js"); }`,
      "good.js": `exports.mode = "production"; exports.data = require("./data.json").n;`,
      "bad.js": `require("fs"); exports.mode = "development";`,
      "data.json": { n: 4 },
    },
  ),
  ...packageFiles(
    "careful",
    {},
    {
      "index.js": `let os; try { os = require("node:os"); } catch (error) { os = error.code; } let opt; try { opt = require("not-there"); } catch { opt = "none"; } module.exports = [os, opt];`,
    },
  ),
  ...packageFiles(
    "careless",
    {},
    {
      "index.js": `module.exports = require("./lib/low.js");`,
      "lib/low.js": `module.exports = require("child_process");`,
    },
  ),
  ...packageFiles(
    "nodeish",
    { type: "module", main: "./index.js" },
    {
      "index.js": `export { read } from "./lib/read.js";`,
      "lib/read.js": `import { readFileSync } from "node:fs"; export const read = readFileSync;`,
    },
  ),
  ...packageFiles(
    "core",
    { type: "module", main: "./index.js" },
    { "index.js": `export const registry = new Map();` },
  ),
  ...packageFiles(
    "plug",
    { type: "module", main: "./index.js", peerDependencies: { core: "*" } },
    {
      "index.js": `import { registry } from "core"; export const add = (name) => registry.set(name, true);`,
    },
  ),
  ...packageFiles(
    "old-plug",
    { main: "./index.js", peerDependencies: { core: "*", callable: "*" } },
    {
      "index.js": `const { registry } = require("core"); exports.size = () => registry.size; exports.next = require("callable");`,
    },
  ),
  ...packageFiles("bare", exportsOf("default"), entries("default")),
  "node_modules/data/values.json": { list: [1, 2] },
};
const names = Object.keys(packages).flatMap((path) => /^node_modules\/([^/]+)\//.exec(path)?.[1] ?? []);

suite("shapes of packages", () => {
  let runtime: Runtime;
  let folder: Folder;
  before(async () => {
    folder = new Folder(packages);
    runtime = await createRuntime({
      npmImports: [...new Set(names)],
      npmFolder: folder.path,
      cells: { count: 1, spare: 0 },
    });
  });
  after(async () => {
    await runtime?.close();
    folder?.[Symbol.dispose]();
  });

  const valueOf = async (imports: string, value: string): Promise<unknown> =>
    unwrap(await runtime.once(`${imports}; export default async () => (${value});`));
  const refusal = async (imports: string): Promise<string> =>
    (await refusalOf(runtime.create({ modules: { main: imports } }), "LOAD_FAILED")).message;

  test("conditions of browsers and workers come before the default, and none is of Node", async () => {
    const imports = `import b from "by-browser"; import w from "by-worker"; import d from "by-default"; import dual, { named } from "dual"`;
    assert.deepEqual(await valueOf(imports, "[b, w, d, dual, named]"), [
      "browser",
      "worker",
      "default",
      "import",
      1,
    ]);
  });

  test("the browser field replaces files and modules of Node", async () => {
    assert.deepEqual(await valueOf(`import { where, fs } from "field"`, "[where, fs]"), ["web", 0]);
  });

  test("what packages ask of process, global and self is answered, and nothing else is there", async () => {
    const value = await valueOf(
      `import * as asks from "asks"`,
      "[asks.env, asks.isSame, asks.none, asks.named({ env: 1 }), asks.mayEval]",
    );
    const none = ["undefined", "undefined", "undefined", "undefined"];
    assert.deepEqual(value, [["production", undefined, true], true, none, 1, "undefined"]);
  });

  test("CommonJS has a default export and named ones, however it sets them", async () => {
    const imports = `import f, { twice } from "callable"; import g, { other, deep } from "compiled"; import lib, { part } from "universal"`;
    assert.deepEqual(await valueOf(imports, "[f(1), f.twice(2), twice(4), g(1), other, deep, lib(), part]"), [
      2,
      4,
      8,
      11,
      5,
      7,
      "lib",
      3,
    ]);
  });

  test("of a switch by NODE_ENV only the branch for production is bundled, with its data", async () => {
    assert.deepEqual(await valueOf(`import { mode, data } from "switched"`, "[mode, data]"), [
      "production",
      4,
    ]);
  });

  test("a module of Node or a package that is only tried is missing where it is tried", async () => {
    assert.deepEqual(await valueOf(`import tried from "careful"`, "tried"), ["MODULE_NOT_FOUND", "none"]);
  });

  test("a package that needs a module of Node says which, and which file asks for it", async () => {
    assert.equal(
      await refusal(`import "nodeish"`),
      'Cannot import package "nodeish" as it must not need modules of Node, which guests do not have: nodeish/lib/read.js imports "node:fs"',
    );
    assert.match(
      await refusal(`import "careless"`),
      /Cannot require "child_process" in careless\/lib\/low\.js as modules of Node are not there for guests/,
    );
  });

  test("data is imported by its file's name, and what a package does not export is refused", async () => {
    assert.deepEqual(await valueOf(`import data from "data/values.json"`, "data.list"), [1, 2]);
    assert.match(
      await refusal(`import "bare/default.js"`),
      /^Cannot import package "bare\/default\.js" as it must bundle: .*bare/,
    );
    assert.match(
      await refusal(`import { nothing } from "bare"`),
      /^Cannot import "nothing" from "bare" into "main" as that module exports default$/,
    );
  });

  test("a version that is none, which may be any text, is left out", async () => {
    for (const index of oddVersions.keys()) {
      const found = await valueOf(`import found from "version-${index}"`, "[found, typeof planted]");
      assert.deepEqual(found, [index, "undefined"]);
    }
  });

  test("a mistake in a package's own file is told with that file and its line", async () => {
    assert.match(
      await refusal(`import "torn"`),
      /^Cannot import package "torn" as it must bundle: torn\/lib\/low\.js:3: \w/,
    );
    assert.match(
      await refusal(`import "torn-data"`),
      /^Cannot import package "torn-data" as it must bundle: torn-data\/low\.json(?::\d+)?: \w/,
    );
  });

  test("a peer is one module for all packages and the guest's own code", async () => {
    const imports = `import { add } from "plug"; import { size, next } from "old-plug"; import { registry } from "core"`;
    assert.deepEqual(await valueOf(imports, `[add("a").size, size(), registry.has("a"), next(1)]`), [
      1,
      1,
      true,
      2,
    ]);
    const alone = `import { size } from "old-plug"`;
    assert.equal(await valueOf(alone, "size()"), 0);
  });

  test("import() of a package finds it too, and one that is not admitted fails when it is called", async () => {
    assert.equal(await valueOf("", `(await import("callable")).twice(3)`), 6);
    const outcome = await runtime.once(`export default () => import("other");`);
    assert.equal(!outcome.ok && outcome.error.kind, "crashed");
  });
});
