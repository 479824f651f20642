// The benchmark runs and reports which targets were met. No test asserts how fast anything is.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runNode } from "./program.ts";

const main = "bench/main.ts";

test("bench measures the rows that a word chooses and reports for each target whether it was met", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vivarium-bench-"));
  try {
    const file = join(folder, "results.json");
    const { code, stdout, stderr } = await runNode([main, "compile 50 lines, cached", "--json", file]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /compile 50 lines, cached \[ms\] +p50 +p10 +p90/);
    assert.match(stdout, /(met|MISSED) +floor: ≤ 10 ms/);
    const { machine, results } = JSON.parse(readFileSync(file, "utf8")) as {
      machine: { node: string };
      results: readonly { name: string; summaries: Record<string, { samples: number }> }[];
    };
    assert.equal(machine.node, process.version);
    assert.deepEqual(
      results.map(({ name, summaries }) => [name, Object.keys(summaries)]),
      [["compile 50 lines, cached", ["vivarium"]]],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("bench repeats what it is told to, in as many rounds, and shows processor time by kind of process", async () => {
  const { code, stdout, stderr } = await runNode([main, "rollback", "--rounds", "1", "--repeat", "2"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /=== run 1 of 2[^]+=== run 2 of 2/);
  assert.equal(stdout.match(/processor time per operation, vivarium: .*this process/g)?.length, 2);
});

test("bench draws a figure of the rows that say how things grow", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vivarium-bench-"));
  try {
    const args = ["scale: memory of 100", "--rounds", "1", "--plot", folder];
    const { code, stdout, stderr } = await runNode([main, ...args]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /scale: memory of 100 \[MB\][^]+wrote .*evaluate-memory\.svg/);
    assert.match(readFileSync(join(folder, "evaluate-memory.svg"), "utf8"), /^<svg [^]+>vivarium<\/text>/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("bench lists its rows without measuring, the large ones only when asked", async () => {
  const usual = await runNode([main, "--list"]);
  const large = await runNode([main, "--list", "--large"]);
  assert.equal(usual.code, 0);
  assert.match(usual.stdout, /^call round trip: /m);
  assert.ok(!usual.stdout.includes("up to 10,000 live"));
  assert.ok(large.stdout.includes("up to 10,000 live"));
});

test("bench refuses an unknown option, and a word that no row has, with exit code 2", async () => {
  for (const args of [["--fast"], ["no such row"]]) {
    const { code, stdout, stderr } = await runNode([main, ...args]);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.match(stderr, /^Cannot /);
  }
});
