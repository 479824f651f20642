// The example that squares, small: it finds a square, finds it again for the same seed, and ends cleanly.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createRuntime, unwrap } from "../../src/index.ts";
import { runNode, type Ended } from "./program.ts";

const main = "examples/evolve-square/main.ts";
const small = ["--population", "60", "--generations", "8", "--seed", "3"];
let first: Ended;

before(async () => {
  first = await runNode([main, ...small]);
});

test("evolve-square ends with exit code 0 and a program that squares exactly", async () => {
  assert.equal(first.code, 0, first.stderr);
  await using runtime = await createRuntime();
  await using sandbox = await runtime.create({ modules: { best: bestProgram(first) } });
  for (const x of [0, 1, 5, 40]) {
    assert.equal(unwrap(await sandbox.call<number>("best.square", { args: [x] })), x * x);
  }
});

test("evolve-square gives the same best program for the same seed", async () => {
  const second = await runNode([main, ...small]);
  assert.equal(second.code, 0, second.stderr);
  assert.equal(bestProgram(second), bestProgram(first));
});

test("evolve-square counts every program as scored or failed, and names each hostile kind with its end", () => {
  const outcomes = countsIn(/^Outcomes +(.*)$/m.exec(first.stdout)?.[1] ?? "");
  assert.equal(sum(outcomes), 60 * 8);
  const fates = [...first.stdout.matchAll(/^ {2}(\S.*?) {2,}(.*)$/gm)].map(([, kind = "", ends = ""]) => ({
    kind,
    ends: countsIn(ends),
  }));
  assert.equal(
    fates.reduce((total, { ends }) => total + sum(ends), 0),
    sum(outcomes) - (outcomes.get("ok") ?? 0),
  );
  for (const { kind, ends } of fates) {
    assert.ok(!ends.has("ok"), `${kind} was scored`);
    assert.notEqual(kind, "ordinary program", "an innocent program was failed");
  }
});

test("evolve-square writes one line per generation and no colour when it has no terminal", () => {
  const lines = first.stderr.trimEnd().split("\n");
  assert.equal(lines.length, 8);
  assert.match(lines[7] ?? "", /^generation 8\/8 {2}best error exact/);
  assert.ok(!`${first.stdout}${first.stderr}`.includes("\u001b"));
});

test("evolve-square ends with its summary and exit code 130 when it is interrupted", async () => {
  const { code, stdout } = await runNode([main, ...small.slice(0, 2), "--generations", "1000"], {
    onStderr: (text) => (text.includes("generation    1/") ? "SIGINT" : undefined),
  });
  assert.equal(code, 130);
  assert.match(stdout, /Best program[^]*Evaluations[^]*Ended by Ctrl-C/);
});

for (const [args, message] of [
  [
    ["--mutants", "3"],
    'Cannot use this option as it must be one of --population, --generations, --seed, --data, --fresh, --help: got "--mutants"',
  ],
  [["--seed", "many"], 'Cannot use --seed as it must be 0–4294967295: got "many"'],
  [["--population"], "Cannot use --population as it must be 10–5000: got nothing"],
] as const) {
  test(`evolve-square refuses ${args.join(" ")} with exit code 2 and the rule`, async () => {
    const { code, stdout, stderr } = await runNode([main, ...args]);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.equal(stderr.split("\n")[0], message);
  });
}

test("evolve-square shows its options for --help", async () => {
  const { code, stdout } = await runNode([main, "--help"]);
  assert.equal(code, 0);
  for (const option of ["--population", "--generations", "--seed"]) assert.ok(stdout.includes(option));
});

function bestProgram({ stdout }: Ended): string {
  const [code] = /^export function square[^]*?^}$/m.exec(stdout) ?? [];
  assert.ok(code !== undefined, `no program in:\n${stdout}`);
  return code;
}

function countsIn(text: string): Map<string, number> {
  return new Map(
    [...text.matchAll(/([^·\d]+?) (\d+)/g)].map(([, name = "", count]) => [name.trim(), Number(count)]),
  );
}

function sum(counts: Map<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
