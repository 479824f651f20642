// Runs the tests and ends with the one line that counts. Words given as arguments choose the files whose path has one of
// them: `npm test -- limits`. Without words everything runs: all files, coverage, and a few files on Node 24.
// `--coverage` runs only what coverage is made of; `--report-counts` sends the counts to the parent instead of printing them.
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { systemClock } from "../src/std/clock.ts";
import { bringChromium } from "./test/chromium.ts";
import { add, closingLine, count, Skipped, type Counts } from "./test/counts.ts";
import { belowFloor, coveredFiles } from "./test/coverage.ts";
import { describeFailure } from "./test/failures.ts";
import { groupsOf, type Group } from "./test/groups.ts";
import { bringNode24, gateWords, testOnNode24 } from "./test/node-24.ts";
import { endOverdue } from "./test/overdue.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
// A file that takes longer hangs, on a very busy machine too.
const fileMs = 1_500_000;
// Each file has cells of its own, as many as there are cores.
const filesAtOnceMax = 4;
const { values, positionals: words } = parseArgs({
  options: { coverage: { type: "boolean" }, "report-counts": { type: "boolean" } },
  allowPositionals: true,
});
const isAll = words.length === 0 && values.coverage !== true;
const coverage = values.coverage === true ? "only" : isAll ? "too" : "none";

// Each file is a process that reads most of the sources: what one has read and compiled, the next need not.
process.env["NODE_COMPILE_CACHE"] ??= `${root}node_modules/.cache/compiled`;

// Functions that come from that cache look as if they were never called, so that coverage does without. Nothing is left out,
// as a source may be named like a test.
const measuring = {
  coverage: true,
  coverageIncludeGlobs: [coveredFiles],
  coverageExcludeGlobs: [],
  cwd: root,
  env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" },
};

const paths = globSync("test/**/*.test.ts", { cwd: root });
const groups = groupsOf(paths, { words, coverage, cores: Math.min(availableParallelism(), filesAtOnceMax) });
const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const skipped = new Skipped();
// Fetched beside the first tests, as it is needed last.
const node24 = isAll ? bringNode24() : undefined;
for (const group of groups) {
  if (group.paths.some((path) => path.startsWith("test/browser/"))) await bringBrowser();
  await runGroup(group);
}
if (node24 !== undefined) await runOnNode24(await node24);

for (const failure of failures) console.log(failure);
for (const lines of skipped.lines()) console.log(lines);
if (values["report-counts"] === true) process.send?.(counts);
else console.log(closingLine(counts));
process.exitCode = counts.failed > 0 || groups.length === 0 ? 1 : 0;

// Each file has a process of its own.
async function runGroup({ paths: files, concurrency, isMeasured }: Group): Promise<void> {
  const events = run({
    files: files.map((path) => `${root}${path}`),
    concurrency,
    ...(isMeasured ? measuring : {}),
  });
  using _ = endOverdue({ clock: systemClock, limitMs: fileMs, tell: (line) => console.log(line) });
  let problems: readonly string[] = [];
  events.on("test:pass", (event) => {
    count(counts, event, "passed");
    skipped.take(event);
  });
  events.on("test:fail", (event) => {
    count(counts, event, "failed");
    failures.push(describeFailure(event, root));
  });
  events.on("test:coverage", ({ summary }) => (problems = belowFloor(summary.totals)));
  for await (const text of events.compose(spec) as AsyncIterable<string>) process.stdout.write(text);
  counts.failed += problems.length;
  failures.push(...problems);
}

// Tests that need a browser say themselves that there is none.
async function bringBrowser(): Promise<void> {
  const problem = await bringChromium();
  if (problem !== null) console.log(`Chromium could not be had here: ${problem}`);
}

async function runOnNode24(brought: Awaited<ReturnType<typeof bringNode24>>): Promise<void> {
  if (typeof brought === "string") {
    console.log(`Node 24 could not be had here: ${brought}`);
    return;
  }
  using own = brought;
  add(counts, await testOnNode24(own, root, gateWords));
}
