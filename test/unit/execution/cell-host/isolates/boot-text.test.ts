// The texts of the guest runtime as the build makes them: every isolate has a copy of the first, so its size counts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const program = readFileSync("dist/programs/cell-host.js", "utf8");

function lineOf(constant: string): string {
  return new RegExp(`^const ${constant} = .*$`, "m").exec(program)?.[0] ?? assert.fail(`no ${constant}`);
}

// Compared as yes or no, as a failure would print the whole text.
test("the texts of the guest runtime have only letters that take one byte", () => {
  for (const constant of ["bootText", "extrasText", "processText"])
    assert.equal(/[^\0-\x7f]/.test(lineOf(constant)), false, constant);
});

test("the text that every isolate boots from does not contain what few guests use", () => {
  assert.equal(lineOf("extrasText").includes("canParse"), true);
  assert.equal(lineOf("bootText").includes("canParse"), false);
});
