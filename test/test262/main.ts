// test262 in sandboxes beside a bare isolate: npm run test262 -- PATH-TO-TEST262 [--every N] [--only WORD] [--jobs N]
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compare, type Comparison, type Difference } from "./comparison.ts";
import { exceptions } from "./exceptions.ts";
import { tryTests, type Trial } from "./run.ts";
import { selectTests } from "./selection.ts";

const help = `Usage: npm run test262 -- PATH-TO-TEST262 [--every N] [--only WORD] [--jobs N] [--all]

Tries all tests of modules and every Nth of the others in sandboxes and in bare isolates, and lists those that pass only in the
bare isolate. It ends with 1 where one of them has no exception, or an exception has become outdated.
  --every N     one in N of the tests that are not about modules (10)
  --only WORD   only tests whose path has this word, and every one of them
  --jobs N      how many cells, and processes of the reference, work side by side (2)
  --all         list the tests that have an exception, too`;

const whyMax = 200;
const options = {
  every: { type: "string", default: "10" },
  only: { type: "string" },
  jobs: { type: "string", default: "2" },
  all: { type: "boolean", default: false },
} as const;

const { values, positionals } = parseArgs({ options, allowPositionals: true });
const root = positionals[0];
const every = Number(values.every);
const jobs = Number(values.jobs);
if (root === undefined || !existsSync(join(root, "harness", "assert.js")) || !(every >= 1) || !(jobs >= 1)) {
  console.error(help);
  process.exitCode = 2;
} else {
  const paths = selectTests(root, { every, only: values.only });
  console.log(`${paths.length} tests chosen`);
  const startedMs = performance.now();
  const trial = await tryTests(root, paths, { jobs, onProgress: showProgress });
  const comparison = compare(trial.compared, exceptions);
  print(trial, comparison);
  console.log(`${Math.round((performance.now() - startedMs) / 1_000)} s`);
  process.exitCode = comparison.differences.length + comparison.outdated.length > 0 ? 1 : 0;
}

function showProgress(done: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done}`);
  else if (done % 500 === 0) process.stderr.write(`${done}\n`);
}

function print({ leftOut }: Trial, comparison: Comparison): void {
  for (const [reason, count] of leftOut) console.log(`left out: ${count}: ${reason}`);
  for (const { exception, differences } of comparison.excepted) {
    console.log(`exception: ${differences.length} of ${exception.tests}: ${exception.reason}`);
    if (values.all) for (const difference of differences) console.log(line(difference));
  }
  for (const { tests } of comparison.outdated) console.log(`outdated exception, as none fails: ${tests}`);
  console.log("passes in a bare isolate, fails here:");
  for (const difference of comparison.differences) console.log(line(difference));
  const excepted = comparison.failed - comparison.failedOnBoth - comparison.differences.length;
  console.log(
    `${comparison.passed} passed here, ${comparison.failed} failed here: ${comparison.failedOnBoth} in a bare isolate too, ` +
      `${excepted} by exceptions, ${comparison.differences.length} without`,
  );
}

function line({ path, features, why }: Difference): string {
  const about = features.length > 0 ? ` [${features.join(", ")}]` : "";
  return `  ${path}${about}\n    ${why.replace(/\s+/g, " ").slice(0, whyMax)}`;
}
