// The Python evaluators, where Python is installed: they report scores, and failures as failures.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root, runProgram, type Ended } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "vivarium-engines-"));
after(() => rmSync(folder, { recursive: true }));
const skip = spawnSync("python3", ["--version"]).status === 0 ? false : "there is no python3";

async function runPython(...args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, VIVARIUM: `${process.execPath} ${root}dist/cli/main.js` };
  const ended = await runProgram("python3", args, { env });
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}

for (const [what, source, score, failure] of [
  ["a right candidate", "export const f = (x: number) => x * x;", 1, undefined],
  ["one that loops", "export const f = () => { while (true); };", undefined, "timeout"],
] as const) {
  const path = join(folder, "candidate.ts");

  test(`OpenEvolve's evaluator.py reports ${what}`, { skip }, async () => {
    writeFileSync(path, source);
    const { stdout } = await runPython("examples/openevolve/evaluator.py", path);
    const told = JSON.parse(stdout) as {
      metrics: { combined_score?: number };
      artifacts: { failure?: string };
    };
    assert.deepEqual([told.metrics.combined_score, told.artifacts.failure], [score, failure]);
  });

  test(`ShinkaEvolve's evaluate.py reports ${what}`, { skip }, async () => {
    writeFileSync(path, source);
    const results = join(folder, "results");
    await runPython("examples/shinka/evaluate.py", "--program_path", path, "--results_dir", results);
    const read = (name: string): unknown => JSON.parse(readFileSync(join(results, name), "utf8"));
    assert.equal((read("metrics.json") as { combined_score?: number }).combined_score, score);
    const { correct, error } = read("correct.json") as { correct: boolean; error: string | null };
    assert.deepEqual([correct, error?.split(":")[0]], [failure === undefined, failure]);
  });
}
