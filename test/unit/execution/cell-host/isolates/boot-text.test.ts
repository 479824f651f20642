// The texts of the guest runtime as the build makes them: every isolate has a copy of the first, so its size counts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const program = readFileSync("dist/programs/cell-host.js", "utf8");

function lineOf(constant: string): string {
  return new RegExp(`^const ${constant} = .*$`, "m").exec(program)?.[0] ?? assert.fail(`no ${constant}`);
}

test("the texts of the guest runtime have only letters that take one byte", () => {
  for (const constant of ["bootText", "extrasText", "processText"])
    assert.doesNotMatch(lineOf(constant), /[^\0-\x7f]/, constant);
});

test("the text that every isolate boots from does not contain what few guests use", () => {
  assert.match(lineOf("extrasText"), /URLSearchParams.*searchParams/);
  assert.doesNotMatch(lineOf("bootText"), /searchParams/);
});
