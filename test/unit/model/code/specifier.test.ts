// How an import finds its module by name: relative to its importer, with or without an extension, never outside.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveSpecifier } from "../../../../src/model/code/specifier.ts";
import { stopwatch } from "../../../support/machine.ts";

interface Row {
  readonly specifier: string;
  readonly from?: string;
  readonly have: readonly string[];
  readonly found: string | undefined;
}

const found: readonly Row[] = [
  { specifier: "math", have: ["math"], found: "math" },
  { specifier: "./math", have: ["math"], found: "math" },
  { specifier: "./math.ts", have: ["math.ts"], found: "math.ts" },
  { specifier: "./math", have: ["math.ts"], found: "math.ts" },
  { specifier: "./math", have: ["math.js"], found: "math.js" },
  { specifier: "./math", have: ["math.json"], found: "math.json" },
  { specifier: "./math.js", have: ["math"], found: "math" },
  { specifier: "./math.js", have: ["math", "math.js"], found: "math.js" },
  { specifier: "./math", have: ["math.js", "math.ts"], found: "math.ts" },
  { specifier: "./b", from: "lib/a", have: ["lib/b", "b"], found: "lib/b" },
  { specifier: "../b", from: "lib/a", have: ["lib/b", "b"], found: "b" },
  { specifier: "../../b", from: "x/y/a", have: ["b"], found: "b" },
  { specifier: "./c/../b", from: "lib/a", have: ["lib/b"], found: "lib/b" },
  { specifier: "./././b", from: "lib/a", have: ["lib/b"], found: "lib/b" },
  { specifier: ".//b", from: "lib/a", have: ["lib/b"], found: "lib/b" },
  { specifier: "b", from: "lib/a", have: ["lib/b", "b"], found: "b" },
  { specifier: "@scope/pkg", have: ["@scope/pkg"], found: "@scope/pkg" },
];

const missing: readonly Row[] = [
  { specifier: "math", have: [], found: undefined },
  { specifier: "../b", from: "a", have: ["b"], found: undefined },
  { specifier: "../../b", from: "lib/a", have: ["b"], found: undefined },
  { specifier: "./../../b", from: "lib/a", have: ["b"], found: undefined },
  { specifier: "./b", from: "lib/a", have: ["b"], found: undefined },
  { specifier: "b", from: "lib/a", have: ["lib/b"], found: undefined },
  { specifier: "/b", have: ["b"], found: undefined },
  { specifier: "node:fs", have: ["fs"], found: undefined },
  { specifier: "file:///b", have: ["b"], found: undefined },
  { specifier: "./math.ts", have: ["math.js"], found: undefined },
  { specifier: "", have: ["a"], found: undefined },
  { specifier: "..", from: "lib/a", have: ["a"], found: undefined },
];

for (const { specifier, from = "main", have, found: expected } of [...found, ...missing]) {
  const what = expected === undefined ? "finds nothing" : `finds ${expected}`;
  test(`"${specifier}" in ${from} ${what} where the sandbox has ${have.join(", ") || "no module"}`, () => {
    assert.equal(
      resolveSpecifier(specifier, from, (name) => have.includes(name)),
      expected,
    );
  });
}

test("resolveSpecifier() takes time in proportion to a long specifier, not to its square", () => {
  const took = stopwatch();
  assert.equal(
    resolveSpecifier(`./${"a/../".repeat(20_000)}b`, "main", (name) => name === "b"),
    "b",
  );
  took.assertWithin(5_000, "it took too long");
});
