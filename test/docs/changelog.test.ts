// The changelog has a place for what comes next, and the version of the package below it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { root } from "../e2e/program.ts";

const sections = [...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## (.+)$/gm)].map(
  ([, title = ""]) => title,
);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

suite("CHANGELOG.md", () => {
  test("has the section Unreleased on top, where every change that users see is entered", () => {
    assert.equal(sections[0], "Unreleased");
  });

  test("has the version of package.json right below; RELEASING.md says how it comes there", () => {
    assert.equal(sections[1], version);
  });

  test("has each version once", () => {
    assert.deepEqual(sections, [...new Set(sections)]);
  });
});
