// The runner of test262 itself, on a small suite of the same form: what passes, what differs, what is left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runNode } from "../e2e/program.ts";
import { Folder } from "../support/folders.ts";
import { compare, type Compared } from "./comparison.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { tryTests } from "./run.ts";
import { selectTests } from "./selection.ts";

const header = (text: string): string => `/*---\ndescription: a test\n${text}\n---*/\n`;
const neverEvaluated = "throw 'evaluated';\n";

const harness = {
  "harness/assert.js": `function assert(isTrue, message) { if (!isTrue) throw new Test262Error(message); }`,
  "harness/sta.js": `function Test262Error(message) { this.message = message || ""; }
Test262Error.prototype.toString = function () { return "Test262Error: " + this.message; };`,
  "harness/doneprintHandle.js": `function $DONE(error) {
  print(error ? "Test262:AsyncTestFailure:" + error : "Test262:AsyncTestComplete");
}`,
  "harness/extra.js": "const extra = 7;",
};

/** Tests that a sandbox passes. */
const passing = {
  "built-ins/plain.js": `${header("")}assert([1].at(-1) === 1, "at");`,
  "built-ins/strict.js": `${header("flags: [onlyStrict]")}assert(this === undefined);`,
  "built-ins/includes.js": `${header("includes: [extra.js]")}assert(extra === 7);`,
  "built-ins/includes-lines.js": `${header("includes:\n  - extra.js\nfeatures:\n  - let")}assert(extra === 7);`,
  "language/async.js": `${header("flags: [async]")}Promise.resolve().then(() => $DONE(), $DONE);`,
  "language/negative-parse.js": `${header("negative:\n  phase: parse\n  type: SyntaxError")}${neverEvaluated}let a; let a;`,
  "language/negative-runtime.js": `${header("negative:\n  phase: runtime\n  type: Test262Error")}assert(false);`,
  "language/module-code/raw.js": `${header("flags: [module, raw]")}export {};`,
  "language/module-code/import.js": `${header("flags: [module]")}import { one } from "./one_FIXTURE.js"; assert(one === 1);`,
  "language/module-code/one_FIXTURE.js": `assert(true); export const one = 1;`,
  "language/module-code/unresolved.js": `${header("negative:\n  phase: resolution\n  type: SyntaxError\nflags: [module]")}import "./broken_FIXTURE.js"; ${neverEvaluated}`,
  "language/module-code/broken_FIXTURE.js": "let = ;",
  "language/module-code/later.js": `${header("flags: [module, async]")}
import("./one_FIXTURE.js").then(({ one }) => { assert(one === 1, "one"); }).then($DONE, $DONE);`,
};

/** Tests that pass in a bare isolate and cannot pass in a sandbox, which has timers. */
const differing = {
  "built-ins/no-timers.js": `${header("features: [timers]")}assert(typeof setTimeout === "undefined", "has timers");`,
  "language/no-timers-async.js": `${header("flags: [async]")}$DONE(typeof setTimeout === "undefined" ? undefined : "has timers");`,
  "language/no-timers-negative.js": `${header("negative:\n  phase: runtime\n  type: TypeError")}
if (typeof setTimeout === "undefined") null.x;`,
};

const failingOnBoth = {
  "built-ins/wrong.js": `${header("")}assert(false, "wrong");`,
  "built-ins/wrong-type.js": `${header("negative:\n  phase: runtime\n  type: RangeError")}null.x;`,
  "language/never-done.js": `${header("flags: [async]")}`,
  "language/not-negative.js": `${header("negative:\n  phase: parse\n  type: SyntaxError")}`,
  "language/dies-late.js": `${header("negative:\n  phase: runtime\n  type: SyntaxError")}let a; let a;`,
};

const leftOut = {
  "language/sloppy.js": `${header("flags: [noStrict]")}with ({}) {}`,
  "language/raw.js": `${header("flags: [raw]")}1;`,
  "language/hooks.js": `${header("")}$262.gc();`,
  "language/global-this.js": `${header("")}assert(this !== undefined);`,
};

const suite = { ...passing, ...differing, ...failingOnBoth, ...leftOut };
const underTest = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, source]) => [`test/${path}`, source]));
const testsOf = (files: object): readonly string[] =>
  Object.keys(files)
    .filter((path) => !path.includes("_FIXTURE"))
    .toSorted();

test(
  "tests are judged by their headers on both sides, and left out by reason",
  { timeout: 600_000 },
  async () => {
    using folder = new Folder({ ...harness, ...underTest(suite) });
    const { compared, leftOut: reasons } = await tryTests(folder.path, testsOf(suite), { jobs: 1 });
    const paths = (isWanted: (one: Compared) => boolean): readonly string[] =>
      compared.filter(isWanted).map(({ path }) => path);
    assert.deepEqual(
      paths(({ here }) => here.ok),
      testsOf(passing),
    );
    assert.deepEqual(
      paths(({ here, reference }) => !here.ok && reference === "module"),
      testsOf(differing),
    );
    assert.deepEqual(
      paths(({ here, reference }) => !here.ok && reference === "neither"),
      testsOf(failingOnBoth),
    );
    assert.deepEqual([...reasons.values()], [1, 1, 1, 1], [...reasons.keys()].join("; "));
    const timers = compared.find(({ path }) => path === "built-ins/no-timers.js");
    assert.deepEqual(timers?.features, ["timers"]);
    assert.deepEqual(timers?.here, { ok: false, why: "runtime: Test262Error: has timers" });
  },
);

test(
  "the command lists what passes only in a bare isolate, counts the rest, and ends with 1",
  { timeout: 600_000 },
  async () => {
    const chosen = { ...leftOut, "built-ins/plain.js": suite["built-ins/plain.js"], ...differing };
    using folder = new Folder({ ...harness, ...underTest(chosen) });
    const all = await runNode(["test/test262/main.ts", folder.path, "--every", "1", "--jobs", "1"]);
    assert.equal(all.code, 1, all.stderr);
    assert.match(all.stdout, /^8 tests chosen$/m);
    assert.match(all.stdout, /^left out: 1: sloppy mode only \(noStrict\)$/m);
    assert.match(
      all.stdout,
      /^ {2}built-ins\/no-timers\.js \[timers\]\n {4}runtime: Test262Error: has timers$/m,
    );
    assert.match(
      all.stdout,
      /^1 passed here, 3 failed here: 0 in a bare isolate too, 0 by exceptions, 3 without$/m,
    );
    const one = await runNode(["test/test262/main.ts", folder.path, "--only", "plain", "--jobs", "1"]);
    assert.deepEqual([one.code, one.stderr], [0, ""]);
    const none = await runNode(["test/test262/main.ts", folder.at("test")]);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /^Usage: /);
  },
);

test("all tests about modules are chosen, and every Nth of the others", () => {
  const others = Array.from({ length: 25 }, (_, index) => `built-ins/${String(index).padStart(2, "0")}.js`);
  const modules = ["language/import/a.js", "language/module-code/b.js", "language/module-code/c/d.js"];
  const files = [...others, ...modules, "language/import/a_FIXTURE.js"];
  using folder = new Folder(Object.fromEntries(files.map((path) => [`test/${path}`, ""])));
  const tens = ["built-ins/00.js", "built-ins/10.js", "built-ins/20.js"];
  assert.deepEqual(selectTests(folder.path, { every: 10 }), [...modules, ...tens]);
  assert.deepEqual(selectTests(folder.path, { every: 10, only: "ins/03" }), ["built-ins/03.js"]);
});

test("an exception covers the differences that it names, and is outdated when none of its tests fails", () => {
  const outcome = (path: string, isOk: boolean): Compared => ({
    path,
    features: [],
    reference: "module",
    here: isOk ? { ok: true } : { ok: false, why: "differs" },
  });
  const all = [
    outcome("a/x.js", false),
    outcome("a/y.js", true),
    outcome("b/x.js", false),
    outcome("c/x.js", true),
  ];
  const rule = (tests: string) => ({ tests, reason: "on purpose" });
  const { differences, excepted, outdated } = compare(all, [rule("a/*"), rule("c/**"), rule("d/*")]);
  assert.deepEqual(
    differences.map(({ path }) => path),
    ["b/x.js"],
  );
  assert.deepEqual(
    excepted.map(({ exception, differences: covered }) => [exception.tests, covered.length]),
    [["a/*", 1]],
  );
  assert.deepEqual(
    outdated.map(({ tests }) => tests),
    ["c/**"],
  );
});

test("the header of a test is read in both of its forms", () => {
  const inline = readFrontmatter(header("flags: [module, async]\nfeatures: [a-b, c]\nincludes: [x.js]"));
  assert.deepEqual(inline, {
    flags: ["module", "async"],
    features: ["a-b", "c"],
    includes: ["x.js"],
    negative: undefined,
  });
  const lines = readFrontmatter(
    header("negative:\n  phase: resolution\n  type: SyntaxError\nincludes:\n    - x.js\n    - y.js"),
  );
  assert.deepEqual(
    [lines.includes, lines.negative],
    [["x.js", "y.js"], { phase: "resolution", type: "SyntaxError" }],
  );
  assert.deepEqual(readFrontmatter("1;").flags, []);
});
