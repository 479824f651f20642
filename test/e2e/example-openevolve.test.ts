// The Python evaluator, where there is a Python: it tells scores, and failures as failures.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root, runProgram } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "vivarium-openevolve-"));
after(() => rmSync(folder, { recursive: true }));
const hasPython = spawnSync("python3", ["--version"]).status === 0;

for (const [what, source, metrics, failure] of [
  ["a right candidate", "export const f = (x: number) => x * x;", { combined_score: 1 }, undefined],
  ["one that loops", "export const f = () => { while (true); };", {}, "timeout"],
] as const) {
  test(`evaluator.py tells of ${what}`, { skip: hasPython ? false : "there is no python3" }, async () => {
    const path = join(folder, "candidate.ts");
    writeFileSync(path, source);
    const env = { ...process.env, VIVARIUM: `${process.execPath} ${root}dist/cli/main.js` };
    const ended = await runProgram("python3", ["examples/openevolve/evaluator.py", path], { env });
    assert.equal(ended.code, 0, ended.stderr);
    const told = JSON.parse(ended.stdout) as { metrics: object; artifacts: { failure?: string } };
    assert.deepEqual(told.metrics, metrics);
    assert.equal(told.artifacts.failure, failure);
  });
}
