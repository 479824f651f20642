// The rules about imports, each on a small tree with what it forbids planted into it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { findTypeCycles, findValueCycles, stronglyConnected } from "../../../tools/tidy/cycles.ts";
import { findForwardingFiles, publicEntries } from "../../../tools/tidy/forwarding.ts";
import { importsOf } from "../../../tools/tidy/imports.ts";
import { findExampleProblems, findLayerProblems, type LayerRules } from "../../../tools/tidy/layers.ts";
import { treeOf } from "../../../tools/tidy/source-tree.ts";

suite("importsOf", () => {
  test("finds every form of an import and tells which ones are only types", () => {
    const tree = treeOf({
      "src/a/one.ts": `
        import { b } from "../b.ts";
        import type { C } from "./c.ts";
        import { type D } from "./d.ts";
        import "./e.ts";
        export { f } from "./f.ts";
        export type { G } from "./g.ts";
        export * from "./h.ts";
        const i = await import("./i.ts");
        type J = import("./j.ts").J;
        import { join } from "node:path";
        // import { nothing } from "./comment.ts";
        const text = \`
import { nothing } from "./template.ts";\`;`,
    });
    const found = importsOf(tree, "src/a/one.ts").map(({ specifier, target, isTypeOnly }) => [
      target ?? specifier,
      isTypeOnly,
    ]);
    assert.deepEqual(Object.fromEntries(found), {
      "src/b.ts": false,
      "src/a/c.ts": true,
      "src/a/d.ts": false,
      "src/a/e.ts": false,
      "src/a/f.ts": false,
      "src/a/g.ts": true,
      "src/a/h.ts": false,
      "src/a/i.ts": false,
      "src/a/j.ts": true,
      "node:path": false,
    });
  });
});

test("findExampleProblems() refuses a path into the sources, and accepts the package and an example's own files", () => {
  const tree = treeOf({
    "src/index.ts": "",
    "examples/demo/tree.ts": "",
    "examples/demo/good.ts": `import { a } from "vivarium"; import { b } from "./tree.ts";`,
    "examples/demo/bad.ts": `import { a } from "../../src/index.ts";`,
  });
  assert.deepEqual(findExampleProblems(tree), [
    "examples/demo/bad.ts: an example imports the package by its name: ../../src/index.ts",
  ]);
});

suite("findLayerProblems", () => {
  const rules: LayerRules = {
    layers: { low: [], high: ["low", "types:side"], side: [] },
    closed: ["low"],
    guarded: [{ file: "src/low/own.ts", importers: ["src/low/"], reason: "it is private" }],
  };
  const problemsWith = (files: Record<string, string>): readonly string[] =>
    findLayerProblems(treeOf({ "src/low/own.ts": "", ...files }), rules);

  test("accepts imports downwards, and types where only types are allowed", () => {
    const text = `import { a } from "../low/a.ts"; import type { B } from "../side/b.ts";`;
    assert.deepEqual(problemsWith({ "src/high/x.ts": text }), []);
  });

  test("reports an import upwards and a value where only types are allowed", () => {
    const problems = problemsWith({
      "src/low/x.ts": `import type { A } from "../high/a.ts";`,
      "src/high/x.ts": `import { b } from "../side/b.ts";`,
    });
    assert.deepEqual(problems, [
      "src/high/x.ts: high may not import side (../side/b.ts)",
      "src/low/x.ts: low may not import high (../high/a.ts)",
    ]);
  });

  test("reports a folder without a layer, a package in a closed layer and a path without .ts", () => {
    const problems = problemsWith({
      "src/new/x.ts": "",
      "src/low/x.ts": `import fs from "node:fs"; import { a } from "./a.js";`,
    });
    assert.deepEqual(problems, [
      "src/low/x.ts: low imports nothing from outside: node:fs",
      "src/low/x.ts: a path ends in .ts: ./a.js",
      "src/new/x.ts: the folder new is in no layer",
    ]);
  });

  test("reports who imports a guarded file from outside, and a guarded file that is gone", () => {
    const problems = problemsWith({ "src/high/x.ts": `import { a } from "../low/own.ts";` });
    assert.deepEqual(problems, ["src/high/x.ts: may not import src/low/own.ts: it is private"]);
    const [gone = ""] = findLayerProblems(treeOf({}), rules);
    assert.match(gone, /Cannot guard src\/low\/own\.ts/);
  });
});

suite("import cycles", () => {
  const tree = treeOf({
    "src/a.ts": `import { b } from "./b.ts";`,
    "src/b.ts": `import type { A } from "./a.ts";`,
    "src/c.ts": `import { d } from "./d.ts"; import { a } from "./a.ts";`,
    "src/d.ts": `import { e } from "./e.ts";`,
    "src/e.ts": `import { c } from "./c.ts";`,
    "src/f.ts": `type G = import("./g.ts").G;`,
    "src/g.ts": `export type { F } from "./f.ts";`,
  });

  test("of values are found without those that a type closes", () => {
    assert.deepEqual(findValueCycles(tree), ["import cycle: src/c.ts, src/d.ts, src/e.ts"]);
  });

  test("are found with types too, those by import() of a type included", () => {
    assert.deepEqual(
      findTypeCycles(tree),
      ["src/a.ts, src/b.ts", "src/c.ts, src/d.ts, src/e.ts", "src/f.ts, src/g.ts"].map(
        (group) => `import cycle (counted: types too): ${group}`,
      ),
    );
  });

  test("that meet in one file are one group", () => {
    const graph = new Map([
      ["hub", ["left", "right"]],
      ["left", ["hub"]],
      ["right", ["hub", "leaf"]],
      ["leaf", []],
    ]);
    assert.deepEqual(stronglyConnected(graph), [["leaf"], ["hub", "left", "right"]]);
  });
});

suite("findForwardingFiles", () => {
  const exports = {
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./p": "./package.json",
  };
  const files = {
    "package.json": JSON.stringify({ exports }),
    "src/index.ts": `export { a } from "./a.ts";`,
    "src/a.ts": `export const a = 1;`,
    "src/forward.ts": `// Why.\nimport { a } from "./a.ts";\nexport { a };\nexport * from "./index.ts";`,
    "src/types.ts": `export type { A } from "./a.ts";`,
    "src/long.ts": `export { a } from "./a.ts";${"\n".repeat(40)}`,
  };

  test("reports short files of nothing but imports and exports from elsewhere", () => {
    const found = findForwardingFiles(treeOf(files)).map((problem) => problem.split(":")[0]);
    assert.deepEqual(found, ["src/forward.ts", "src/types.ts"]);
  });

  test("lets the entries of the package be, whatever their names", () => {
    assert.deepEqual(publicEntries(treeOf(files)), ["src/index.ts"]);
  });
});
