// The documents for contributors name files and folders that exist, so that none is left behind when one is moved.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { root } from "../../tools/docs/documents.ts";

/** Not files of the repository: what is built, and what is imported by the name of a package. */
const elsewhere = /^(?:(?:dist|vivarium)(?:\/|$)|@)/;

/** Backticked texts of one line that may be a file or a folder; commands, code and placeholders are not. */
function namesIn(line: string): readonly string[] {
  return [...line.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)*\/?)`/g)].map(([, name = ""]) => name);
}

function isPath(name: string): boolean {
  return (name.includes("/") || /\.(?:ts|md|json)$/.test(name)) && !elsewhere.test(name);
}

/** The paths of a document that lead nowhere. One is relative to the root, to src/, or to a folder named before it on its line. */
function missingIn(text: string): readonly string[] {
  const outsideOfCode = text.replaceAll(/^```[^]*?^```$/gm, "");
  return outsideOfCode.split("\n").flatMap((line) => {
    const folders = [root, join(root, "src")];
    const missing: string[] = [];
    for (const name of namesIn(line)) {
      const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
      if (found === undefined) {
        if (isPath(name)) missing.push(name);
      } else if (statSync(found).isDirectory()) folders.push(found);
    }
    return missing;
  });
}

suite("paths", () => {
  for (const document of ["ARCHITECTURE.md", "CONTRIBUTING.md"]) {
    test(`${document} names only files and folders that exist`, () => {
      const text = readFileSync(join(root, document), "utf8");
      assert.ok(text.split("\n").flatMap(namesIn).some(isPath), "it names none at all");
      assert.deepEqual(missingIn(text), []);
    });
  }

  test("a path that leads nowhere is found, and what is no path is not", () => {
    const text = [
      "`src/model/limits.ts`, `model/limits.ts` and `limits.ts`, but `model/none.ts`",
      "| `test/` | `unit/`, `nowhere/` |",
      "`npm run check`, `vivarium/guest`, `dist/demo`, `test/limits/<name>.test.ts`, `sandbox.call()`, `none`",
    ];
    assert.deepEqual(missingIn(text.join("\n")), ["limits.ts", "model/none.ts", "nowhere/"]);
  });
});
