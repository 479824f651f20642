// Sandboxes from files and folders: what an import means there, and what becomes of those that cannot be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Folder } from "../support/folders.ts";
import { ask, refusalOf, runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests();

test("a folder is entered by its index, its main, or what its package.json names", async () => {
  const source = (tag: string) => `export const f = (): string => "${tag}";`;
  const folders: readonly (readonly [string, Record<string, string | object>])[] = [
    ["index", { "index.ts": source("index") }],
    ["main", { "main.js": 'export const f = () => "main";' }],
    [
      "src/app",
      { "package.json": { main: "./src/app.ts" }, "src/app.ts": source("src/app"), "index.ts": source("no") },
    ],
    ["src/app", { "package.json": { main: "src/app" }, "src/app.mts": source("src/app") }],
    [
      "lib",
      {
        "package.json": { exports: { ".": { import: "./lib.ts" } }, main: "./no.ts" },
        "lib.ts": source("lib"),
      },
    ],
    ["lib/index", { "package.json": { module: "./lib" }, "lib/index.ts": source("lib/index") }],
  ];
  for (const [entry, files] of folders) {
    using folder = new Folder(files);
    await using sandbox = await runtime.current.create({ path: folder.path });
    assert.equal(await ask(sandbox, `${entry}.f`), entry);
    assert.equal((await runtime.current.compile.directory(folder.path)).entry, entry);
  }
  using empty = new Folder({ "other.ts": "export {}" });
  const error = await refusalOf(runtime.current.create({ path: empty.path }), "LOAD_FAILED");
  assert.match(error.message, /must have an index or main file, or a package\.json/);
});

test("relative imports of every kind are followed, and nothing else is read", async () => {
  using folder = new Folder({
    "index.ts": `
      import { a } from "./a"; import { b } from "./b.js"; import data from "./data.json" with { type: "json" };
      import * as deep from "./deep"; import { View } from "./view"; import type { Gone } from "./gone.ts";
      export const f = async () => [a, b, data.n, deep.up(), View(), (await import("./later.mjs")).later];`,
    "a.ts": `import { b } from "./b"; export const a = "a" + b;`,
    "b.ts": `export const b = "b";`,
    "data.json": { n: 7 },
    "deep/index.ts": `import { b } from "../b.ts"; export const up = () => "up" + b;`,
    "view.tsx": `const React = { createElement: (tag: string) => tag }; export const View = () => <main />;`,
    "later.mts": `export const later: string = "later";`,
    "unused.ts": "this is no program (",
  });
  await using sandbox = await runtime.current.create({ path: folder.path });
  assert.deepEqual(await ask(sandbox, "index.f"), ["ab", "b", 7, "upb", "main", "later"]);
  const names = ["a", "b", "data.json", "deep/index", "index", "later", "view"];
  assert.deepEqual(Object.keys((await sandbox.info()).modules).toSorted(), names);
  await using single = await runtime.current.create({ path: folder.at("a.ts") });
  assert.deepEqual(Object.keys((await single.info()).modules).toSorted(), ["a", "b"]);
  const { modules, entry } = await runtime.current.compile.directory(folder.path);
  await using compiled = await runtime.current.create({ modules });
  assert.deepEqual(await ask(compiled, `${entry}.f`), ["ab", "b", 7, "upb", "main", "later"]);
  assert.deepEqual((await runtime.current.compile.file(folder.at("a.ts"))).imports, ["./b"]);
});

test("two files that would be one module are refused, and so is a missing one, by name", async () => {
  using folder = new Folder({
    "index.ts": `import { x } from "./x.ts"; import { y } from "./x.js"; export const f = () => [x, y];`,
    "x.ts": "export const x = 1",
    "x.js": "export const y = 1",
  });
  assert.match(
    (await refusalOf(runtime.current.create({ path: folder.path }), "LOAD_FAILED")).message,
    /"x"/,
  );
  folder.write({ "index.ts": `import "./missing";` });
  const error = await refusalOf(runtime.current.create({ path: folder.path }), "LOAD_FAILED");
  assert.match(error.message, /Cannot import "\.\/missing" into "index\.ts" as there is no such file/);
});

test("a folder whose code fails leaves a failed record with its diagnostics, as modules do", async () => {
  using folder = new Folder({
    "index.ts": `import { x } from "./x"; export const f = x;`,
    "x.ts": "export const x = ;",
  });
  const ancestry = { parentIds: ["p"], generation: 3, mutation: "m" };
  const error = await refusalOf(
    runtime.current.create("broken", { path: folder.path, ancestry }),
    "PARSE_FAILED",
  );
  const info = await runtime.current.info("broken");
  assert.equal(info.status, "failed");
  assert.deepEqual([info.ancestry.generation, info.lastError?.code], [3, "PARSE_FAILED"]);
  assert.deepEqual(info.lastError?.diagnostics, error.diagnostics);
  assert.deepEqual([error.diagnostics[0]?.module, error.diagnostics[0]?.line], ["x.ts", 1]);
  await runtime.current.destroy("broken");
  await refusalOf(runtime.current.create("lost", { path: folder.at("nowhere") }), "INVALID_OPTIONS");
  assert.equal(await runtime.current.has("lost"), false);
  const [item] = await runtime.current.batch.create([{ id: "broken", path: folder.path }]);
  assert.ok(item !== undefined && !item.ok && item.error.code === "PARSE_FAILED");
  assert.equal((await runtime.current.info("broken")).status, "failed");
  await runtime.current.destroy("broken");
});

test("types are checked as a step of their own, with the globals of a guest", async () => {
  const fine = {
    main: `import { n } from "./part"; export const f = (x: number): string => String(x + n);`,
    part: "export const n = 1;",
  };
  assert.deepEqual(await runtime.current.compile.types(fine), []);
  const wrong = await runtime.current.compile.types({
    ...fine,
    part: `export const n: string = 1;\nexport const p = process.env;\nconsole.log(performance.now());`,
  });
  assert.deepEqual(
    wrong.filter(({ module }) => module === "part").map(({ line }) => line),
    [1, 2],
  );
  assert.match(wrong[0]?.message ?? "", /TS\d+/);
});
