// Which names are admitted for sandboxes, modules and targets, and how another one is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { VivariumError } from "../../../src/model/errors.ts";
import { parseModuleName, parseSandboxId, parseTarget } from "../../../src/model/ids.ts";
import { messageForm } from "../../support/errors.ts";

function codeOf(act: () => unknown): string {
  try {
    return `the value ${String(act())}`;
  } catch (error) {
    assert.ok(error instanceof VivariumError, String(error));
    assert.match(error.message, messageForm);
    assert.ok(error.message.length < 400, "a long value is shown shortened");
    return error.code;
  }
}

const notTexts = [undefined, null, 5, true, {}, [], ["a"], Symbol("a"), () => "a", { toString: () => "a" }];

test("parseSandboxId() admits 1 to 128 letters, digits, dots, underscores, colons and hyphens", () => {
  const ids = [
    "a",
    "Z",
    "0",
    ".",
    "..",
    "-",
    "_",
    ":",
    "evo-001",
    "a.b:c_d-E9",
    "x".repeat(128),
    "__proto__",
  ];
  for (const id of ids) assert.equal(parseSandboxId(id), id);
});

test("parseSandboxId() refuses every other text", () => {
  const ids = [
    "",
    "x".repeat(129),
    " ",
    "a b",
    "a\n",
    "\na",
    "a\0",
    "a\u007f",
    "../etc",
    "a/b",
    "a\\b",
    "é",
    "日本",
    "😀",
    "\ud800",
    "a\u200b",
    "%2e",
    "a*",
    "x".repeat(1_000_000),
  ];
  for (const id of ids)
    assert.equal(
      codeOf(() => parseSandboxId(id)),
      "INVALID_ID",
      JSON.stringify(id.slice(0, 20)),
    );
});

test("parseSandboxId() refuses what is no text, without calling anything of it", () => {
  for (const value of notTexts)
    assert.equal(
      codeOf(() => parseSandboxId(value)),
      "INVALID_ID",
    );
});

test("parseModuleName() admits names with folders and extensions", () => {
  const names = [
    "main",
    "lib/math.ts",
    "@scope/name",
    "$",
    "_",
    "0",
    "a.b-c",
    "x".repeat(256),
    "a/./b",
    "__proto__",
    "vivariums",
    "lib/vivarium/guest",
  ];
  for (const name of names) assert.equal(parseModuleName(name), name);
});

test("parseModuleName() refuses the names of the runtime's own modules", () => {
  for (const name of ["vivarium", "vivarium/", "vivarium/guest", "vivarium/capabilities", "vivarium/a/b.ts"])
    assert.equal(
      codeOf(() => parseModuleName(name)),
      "INVALID_ID",
      name,
    );
});

test("parseModuleName() refuses names that are empty, too long, climb out or hold anything else", () => {
  const names = [
    "",
    "x".repeat(257),
    "..",
    "../a",
    "a/../b",
    "a/..",
    "./a",
    "/a",
    ".a",
    "-a",
    "a b",
    "a:b",
    "a\n",
    "a\\b",
    "é",
    "#run",
    "a?b",
  ];
  for (const name of names)
    assert.equal(
      codeOf(() => parseModuleName(name)),
      "INVALID_ID",
      name.slice(0, 20),
    );
});

test("parseModuleName() refuses what is no text", () => {
  for (const value of notTexts)
    assert.equal(
      codeOf(() => parseModuleName(value)),
      "INVALID_ID",
    );
});

test("parseTarget() splits at the last dot, so that a module's name may have dots", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["main.score", "main", "score"],
    ["lib/math.ts.add", "lib/math.ts", "add"],
    ["main.default", "main", "default"],
    ["main.größe", "main", "größe"],
    ["main.a b", "main", "a b"],
    [`main.${"f".repeat(256)}`, "main", "f".repeat(256)],
  ];
  for (const [target, module, name] of rows) assert.deepEqual(parseTarget(target), { module, export: name });
});

test("parseTarget() refuses a target without module, without export or with too long an export", () => {
  for (const target of ["", "main", "main.", ".score", ".", `main.${"f".repeat(257)}`, ...notTexts])
    assert.equal(
      codeOf(() => parseTarget(target)),
      "INVALID_OPTIONS",
    );
});

test("parseTarget() refuses a target whose module name is not admitted", () => {
  for (const target of ["../a.f", "a b.f", "a/../b.f"])
    assert.equal(
      codeOf(() => parseTarget(target)),
      "INVALID_ID",
    );
});
