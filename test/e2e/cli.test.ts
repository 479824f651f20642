// The `vivarium` command as users start it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runNode, type Ended } from "./program.ts";

const vivarium = (...args: readonly string[]): Promise<Ended> => runNode(["dist/cli/main.js", ...args]);
const folder = mkdtempSync(join(tmpdir(), "vivarium-cli-"));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("vivarium shows its commands, and each its options, for --help", async () => {
  const { code, stdout } = await vivarium();
  assert.equal(code, 0);
  assert.match(stdout, /demo[^]*eval/);
  assert.match((await vivarium("demo", "--help")).stdout, /--population[^]*--dataset/);
});

for (const [args, message] of [
  [["dance"], 'Cannot run this command as it must be one of demo, eval: got "dance"'],
  [["demo", "--seed", "many"], 'Cannot use --seed as it must be 0–16777216: got "many"'],
  [["demo", "--problem", "life"], /^Cannot use --problem as it must be one of bin-packing, .*: got "life"$/],
  [["demo", "--speed", "9"], /^Cannot use this option as it must be one of --problem, .*: got "--speed"$/],
  [["eval"], /^Cannot evaluate as there must be one program and one --task/],
] as const) {
  test(`vivarium ${args.join(" ")} ends with exit code 2 and the rule`, async () => {
    const { code, stdout, stderr } = await vivarium(...args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    const [line = ""] = stderr.split("\n");
    if (typeof message === "string") assert.equal(line, message);
    else assert.match(line, message);
  });
}

test("vivarium demo packs bins, scores a file of the user's, and gives the same program for the same seed", async () => {
  const sizes = Array.from({ length: 40 }, (_, index) => 20 + ((index * 37) % 81)).join("\n");
  const dataset = file("own.txt", `1\n u40_00\n 150 40 17\n${sizes}\n`);
  const small = ["--population", "60", "--evaluations", "120", "--seed", "3", "--dataset", dataset, "--json"];
  const [one, other] = [await vivarium("demo", ...small), await vivarium("demo", ...small)];
  assert.equal(one.code, 0, one.stderr);
  const result = JSON.parse(one.stdout) as {
    program: string;
    report: string[][];
    outcomes: Record<string, number>;
  };
  assert.match(result.program, /export function priority/);
  assert.deepEqual(
    result.report.map(([name]) => name),
    ["excess in %", "generated, 120 items", "generated, 250 items", "generated, 500 items", "own.txt"],
  );
  assert.ok(result.report.slice(1).every((row) => row.slice(1).every((cell) => /^\d+\.\d\d$/.test(cell))));
  const { program, outcomes, report } = JSON.parse(other.stdout) as typeof result;
  assert.deepEqual(
    { program, outcomes, report },
    { program: result.program, outcomes: result.outcomes, report: result.report },
  );
  assert.match(one.stderr, /^generation 0 {2}best .* % excess/);
  assert.ok(!`${one.stdout}${one.stderr}`.includes("\u001b"));
});

test("vivarium demo ends with its summary and exit code 130 when it is interrupted", async () => {
  const { code, stdout } = await runNode(
    ["dist/cli/main.js", "demo", "--population", "40", "--minutes", "30"],
    {
      onStderr: (text) => (text.includes("generation 0") ? "SIGINT" : undefined),
    },
  );
  assert.equal(code, 130);
  assert.match(stdout, /Best program[^]*The budget was time[^]*Ended by Ctrl-C/);
});

const task = `export const fitness = { tests: [
  { name: "two", call: "main.f", args: [2], expected: 4 },
  { name: "three", call: "main.f", args: [3], expected: 9 },
] };
export const options = { timeoutMs: 1_000 };`;

for (const [what, source, metrics, artifacts] of [
  ["a right program", "export const f = (x: number) => x * x;", { combined_score: 1 }, {}],
  [
    "a wrong one",
    'export const f = (x: number) => { console.log("hi", x); return x + x; };',
    { combined_score: 0.5 },
    { stdout: /hi 2\nhi 3/, failed_tests: /^three: the answer is not as expected: got 6$/ },
  ],
  [
    "one that loops",
    "export const f = () => { while (true); };",
    {},
    { failure: /^timeout$/, stderr: /timeoutMs, 1000/ },
  ],
  [
    "one that throws",
    'export const f = () => { throw new Error("no"); };',
    {},
    { failure: /^crashed$/, stderr: /Error: no\n.*main/ },
  ],
  [
    "one that is no program",
    "export const f = (",
    {},
    { failure: /^load$/, stderr: /^Cannot compile/, diagnostics: /export const f = \(/ },
  ],
] as const) {
  test(`vivarium eval tells an engine of ${what}`, async () => {
    const path = file("candidate.ts", source);
    const { code, stdout, stderr } = await vivarium(
      "eval",
      path,
      "--task",
      file("task.mjs", task),
      "--format",
      "openevolve",
    );
    assert.equal(code, 0, stderr);
    const told = JSON.parse(stdout) as { metrics: object; artifacts: Record<string, string> };
    assert.deepEqual(told.metrics, metrics);
    assert.deepEqual(Object.keys(told.artifacts).sort(), Object.keys(artifacts).sort());
    for (const [name, form] of Object.entries(artifacts))
      assert.match(told.artifacts[name] ?? "", form as RegExp);
  });
}

test("vivarium eval refuses a task that has no fitness", async () => {
  const path = file("candidate.ts", "export const f = 1;");
  const { code, stderr } = await vivarium(
    "eval",
    path,
    "--task",
    file("empty.mjs", "export const speed = 1;"),
  );
  assert.equal(code, 2);
  assert.match(stderr, /as it must export fitness/);
});
