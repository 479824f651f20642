// `vivarium eval` with several programs, and with one that comes through stdin.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { Folder } from "../support/folders.ts";
import { root, runNode, type Ended } from "./program.ts";

const folder = new Folder({
  "task.mjs": `export const fitness = { tests: [
    { name: "two", call: "main.f", args: [2], expected: 4 },
    { name: "three", call: "main.f", args: [3], expected: 9 },
  ] };
  export const options = { timeoutMs: 1_000 };`,
  "right.ts": "export const f = (x: number) => x * x;",
  "wrong.ts": 'export const f = (x: number) => { console.log("hi", x); return x + x; };',
  "broken.ts": "export const f = (",
  "loops.ts": "export const f = () => { while (true); };",
});
after(() => folder[Symbol.dispose]());

function evaluate(args: readonly string[], stdin?: string): Promise<Ended> {
  return runNode([`${root}dist/cli/main.js`, "eval", ...args, "--task", "task.mjs"], {
    cwd: folder.path,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

interface Line {
  readonly program: string;
  readonly ok: boolean;
  readonly score?: number;
  readonly error?: { readonly kind: string; readonly code?: string };
}

function linesOf(text: string): readonly Line[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const whole = ["broken.ts", "loops.ts", "right.ts", "-", "wrong.ts"];
const expected = [
  ["broken.ts", "load"],
  ["loops.ts", "timeout"],
  ["right.ts", 1],
  ["-", 0],
  ["wrong.ts", 0.5],
];
const piped = "export const f = () => 0;";

test("vivarium eval evaluates several programs, with a line for each in the order of the command line", async () => {
  const { code, stdout, stderr } = await evaluate(whole, piped);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(
    linesOf(stdout).map(({ program, score, error }) => [program, score ?? error?.kind]),
    expected,
  );
});

test("vivarium eval writes the lines to a file when all are there", async () => {
  const { code, stdout } = await evaluate([...whole, "--output", "deep/scores.jsonl"], piped);
  assert.deepEqual([code, stdout], [0, ""]);
  const lines = linesOf(readFileSync(folder.at("deep/scores.jsonl"), "utf8"));
  assert.deepEqual(
    lines.map(({ program, score, error }) => [program, score ?? error?.kind]),
    expected,
  );
});

test("vivarium eval names the program in the lines of every format, with its own output", async () => {
  const { stdout } = await evaluate(["right.ts", "wrong.ts", "--format", "openevolve"]);
  assert.deepEqual(linesOf(stdout), [
    { program: "right.ts", metrics: { combined_score: 1 }, artifacts: {} },
    {
      program: "wrong.ts",
      metrics: { combined_score: 0.5 },
      artifacts: { stdout: "hi 2\nhi 3", failed_tests: "three: the answer is not as expected: got 6" },
    },
  ]);
  const shinka = linesOf((await evaluate(["right.ts", "--lines", "--format", "shinka"])).stdout);
  assert.deepEqual(Object.keys(shinka[0] ?? {}), ["program", "metrics.json", "correct.json"]);
});

test("vivarium eval - evaluates what comes through stdin, as one document", async () => {
  const { code, stdout, stderr } = await evaluate(["-"], "export const f = (x) => x * x;");
  assert.deepEqual([code, stderr], [0, ""]);
  const { ok, score, program } = JSON.parse(stdout) as Line;
  assert.deepEqual([ok, score, program], [true, 1, undefined]);
});

test("vivarium eval with --lines prints one line for one program too", async () => {
  const { stdout } = await evaluate(["right.ts", "--lines"]);
  assert.deepEqual(
    linesOf(stdout).map(({ program, score }) => [program, score]),
    [["right.ts", 1]],
  );
});
