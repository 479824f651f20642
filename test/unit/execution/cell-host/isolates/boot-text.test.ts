// The texts of the guest runtime as the build makes them: every isolate has a copy of the first, so its size counts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { programUrl } from "../../../../../src/execution/programs.ts";

const program = readFileSync(fileURLToPath(programUrl("cell-host")), "utf8");

// A text is one line, an object of texts several.
function textOf(constant: string): string {
  const text = new RegExp(`^const ${constant} = (?:\\{\n[^]*?\n\\};|.*)$`, "m").exec(program)?.[0];
  return text ?? assert.fail(`no ${constant}`);
}

// Compared as yes or no, as a failure would print the whole text.
test("the texts of the guest runtime have only letters that take one byte", () => {
  for (const constant of ["bootText", "lateTexts", "processText"])
    assert.equal(/[^\0-\x7f]/.test(textOf(constant)), false, constant);
});

test("the text that every isolate boots from does not contain what few guests use", () => {
  assert.equal(textOf("lateTexts").includes("canParse"), true);
  assert.equal(textOf("bootText").includes("canParse"), false);
});
