// What the test runner decides: which files run together, what counts as failed, and how much must be covered.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { add, closingLine, count, Skipped } from "../../../tools/test/counts.ts";
import { belowFloor } from "../../../tools/test/coverage.ts";
import { describeFailure } from "../../../tools/test/failures.ts";
import { groupsOf } from "../../../tools/test/groups.ts";
import { gateWords } from "../../../tools/test/node-24.ts";

suite("groupsOf", () => {
  const paths = [
    "test/limits/fuel.test.ts",
    "test/e2e/cli.test.ts",
    "test/docs/docs.test.ts",
    "test/unit/std/clock.test.ts",
    "test/unit/orchestration/runs/lane.test.ts",
    "test/simulation/simulation.test.ts",
  ];
  const pathsOf = (choice: Parameters<typeof groupsOf>[1]): readonly (readonly string[])[] =>
    groupsOf(paths, choice).map((group) => group.paths);

  test("puts what is quick first and runs what tests time or memory one file at a time", () => {
    const groups = groupsOf(paths, { words: [], cores: 4, coverage: "none" });
    assert.deepEqual(
      groups.map(({ concurrency }) => concurrency),
      [4, 1],
    );
    assert.deepEqual(groups[0]?.paths, [
      "test/simulation/simulation.test.ts",
      "test/unit/orchestration/runs/lane.test.ts",
      "test/unit/std/clock.test.ts",
      "test/docs/docs.test.ts",
      "test/e2e/cli.test.ts",
    ]);
    assert.deepEqual(groups[1]?.paths, ["test/limits/fuel.test.ts"]);
  });

  test("runs every file once, also where coverage is measured", () => {
    const all = pathsOf({ words: [], cores: 2, coverage: "too" });
    assert.deepEqual(all.flat().sort(), paths.toSorted());
    assert.equal(all.length, 3);
  });

  test("runs nothing but what is measured where only coverage is wanted", () => {
    const groups = groupsOf(paths, { words: [], cores: 2, coverage: "only" });
    assert.deepEqual(
      groups.map(({ isMeasured }) => isMeasured),
      [true],
    );
  });

  test("takes only files that have one of the words, and no group without a file", () => {
    assert.deepEqual(pathsOf({ words: ["std/", "cli"], cores: 2, coverage: "none" }), [
      ["test/unit/std/clock.test.ts", "test/e2e/cli.test.ts"],
    ]);
  });
});

suite("the closing line", () => {
  test("counts tests and no suites, unless one failed", () => {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    count(counts, { details: { type: "suite" } }, "passed");
    count(counts, { details: { type: "test" } }, "passed");
    count(counts, { details: { type: "suite" } }, "failed");
    count(counts, { details: {}, skip: "for a reason" }, "passed");
    count(counts, { details: {}, todo: true }, "failed");
    assert.equal(closingLine(counts), "1 passed, 1 failed, 2 skipped");
  });

  test("sums what ran on another Node", () => {
    const counts = { passed: 1, failed: 2, skipped: 3 };
    add(counts, { passed: 10, failed: 20, skipped: 30 });
    assert.equal(closingLine(counts), "11 passed, 22 failed, 33 skipped");
  });
});

test("what the gate runs on Node 24 are files that exist", () => {
  const paths = globSync("test/**/*.test.ts", { cwd: fileURLToPath(new URL("../../..", import.meta.url)) });
  assert.deepEqual(
    gateWords.filter((word) => !paths.some((path) => path.includes(word))),
    [],
  );
});

suite("belowFloor", () => {
  const floor = { coveredLinePercent: 90, coveredBranchPercent: 80, coveredFunctionPercent: 70 };

  test("accepts what is exactly at the floor", () => {
    assert.deepEqual(belowFloor(floor, floor), []);
  });

  test("names each figure that is below it", () => {
    const problems = belowFloor({ ...floor, coveredBranchPercent: 79.99, coveredFunctionPercent: 1 }, floor);
    assert.equal(problems.length, 2);
    assert.match(problems[0] ?? "", /branches must be at 80 % or more: got 79\.99 %/);
  });
});

test("a failure is repeated with its place and its cause", () => {
  const cause = new RangeError("seven is too many");
  const error = new Error("a test failed", { cause });
  const text = describeFailure(
    { name: "counts", file: "/a/test/x.test.ts", line: 7, details: { error } },
    "/a/",
  );
  const [first, second] = text.split("\n");
  assert.deepEqual([first, second], ["✖ counts (test/x.test.ts:7)", "    RangeError: seven is too many"]);
  assert.ok(text.split("\n").length <= 13);
});

suite("Skipped", () => {
  test("names the tests that were skipped, by the reasons", () => {
    const skipped = new Skipped();
    const details = {};
    for (const name of ["one", "other"]) skipped.take({ details, name, skip: "there is no browser" });
    skipped.take({ details, name: "passed" });
    skipped.take({ details, name: "without a reason", skip: true });
    assert.deepEqual(skipped.lines(), ["﹣ 2 skipped as there is no browser\n    one\n    other"]);
    assert.deepEqual(new Skipped().lines(), []);
  });
});
