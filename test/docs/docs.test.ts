// The documentation is true: its programs run and print what it shows, its tables are the code's, its links lead somewhere.
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { after, before, suite, test } from "node:test";
import { limitNames } from "../../src/model/limits.ts";
import { documents } from "../../tools/docs/documents.ts";
import { anchorsIn, fromMarkdown, linksIn, sectionsIn } from "../../tools/docs/markdown.ts";
import { tables, type TableName } from "../../tools/docs/tables.ts";
import { snippets } from "../../tools/snippets.ts";
import { root, runNode, runProgram } from "../e2e/program.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const fileOf = (place: string, language: "ts" | "js"): string =>
  `${place.replaceAll(/[^A-Za-z0-9]/g, "-")}.${language === "ts" ? "mts" : "mjs"}`;

suite("programs in the documents", () => {
  let folder: string;

  // A place in which `vivarium` is the built package, as it would be for a user.
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "vivarium-docs-"));
    mkdirSync(join(folder, "node_modules", "@types"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    symlinkSync(root, join(folder, "node_modules", "vivarium"));
    symlinkSync(join(root, "node_modules", "@types", "node"), join(folder, "node_modules", "@types", "node"));
    for (const { place, language, code } of snippets())
      writeFileSync(join(folder, fileOf(place, language)), code);
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const { place, language, prints } of snippets()) {
    test(`${place} runs and prints what it shows`, async () => {
      const { code, stdout, stderr } = await runNode([join(folder, fileOf(place, language))]);
      assert.equal(code, 0, stderr);
      assert.deepEqual(stdout.split("\n").slice(0, -1), prints);
    });
  }

  test("those in TypeScript have no type errors under strict settings", async () => {
    const compilerOptions = {
      target: "esnext",
      module: "nodenext",
      lib: ["esnext"],
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
    const { code, stdout } = await runProgram(join(root, "node_modules/.bin/tsc"), ["-p", folder]);
    assert.equal(code, 0, stdout);
  });
});

suite("generated tables", () => {
  for (const path of documents()) {
    for (const [name, body] of sectionsIn(read(path))) {
      test(`${path} has the table ${name} as the code has it; node tools/docs.ts writes it`, () => {
        assert.ok(Object.hasOwn(tables, name), `there is no table ${name}`);
        assert.deepEqual(fromMarkdown(body), tables[name as TableName]());
      });
    }
  }

  test("every table of the code is in a document", () => {
    const shown = new Set(documents().flatMap((path) => [...sectionsIn(read(path)).keys()]));
    assert.deepEqual(
      Object.keys(tables).filter((name) => !shown.has(name)),
      [],
    );
  });
});

test("every limit has the test that README.md promises", () => {
  const files = limitNames.map(
    (name) => `test/limits/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`,
  );
  assert.deepEqual(
    files.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test("docs/README.md lists every page of docs/", () => {
  const listed = new Set(linksIn(read("docs/README.md")).map((target) => target.split("#")[0]));
  const pages = documents().filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== "docs/README.md");
  assert.deepEqual(
    pages.filter((path) => !listed.has(path.slice("docs/".length))),
    [],
  );
});

suite("links", () => {
  for (const path of documents()) {
    test(`${path} links only to what exists`, () => {
      const broken = linksIn(read(path)).filter((target) => !leadsSomewhere(path, target));
      assert.deepEqual(broken, []);
    });
  }

  function leadsSomewhere(from: string, target: string): boolean {
    if (/^[a-z]+:/.test(target)) return true;
    const [file = "", anchor] = target.split("#");
    const path = file === "" ? from : normalize(join(dirname(from), file));
    if (!existsSync(join(root, path))) return false;
    return anchor === undefined || anchorsIn(read(path)).has(anchor);
  }
});
