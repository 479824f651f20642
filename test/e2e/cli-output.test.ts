// The `vivarium` command when what it writes cannot be written: nobody reads it any more, or the disk is full.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Folder } from "../support/folders.ts";
import { root, runProgram, type Ended } from "./program.ts";

const folder = new Folder({
  "task.mjs": 'export const fitness = { tests: [{ name: "two", call: "main.f", args: [2], expected: 4 }] };',
  "a.ts": "export const f = (x: number) => x * x;",
});
after(() => folder[Symbol.dispose]());

const vivarium = `"${process.execPath}" "${root}dist/cli/main.js"`;
const several = "eval a.ts a.ts a.ts --task task.mjs";
const demo = "demo --problem square --population 20 --evaluations 20 --json";

/** What the command writes to stdout is led to `to`; stdout then has its exit code. */
function led(command: string, to: string): Promise<Ended> {
  const script = `exec 3>&1; { ${vivarium} ${command}; echo "code $?" >&3; } ${to}`;
  return runProgram("sh", ["-c", script], { cwd: folder.path });
}

for (const [command, to] of [
  [several, "| head -1 >&2"],
  [several, "| :"],
  ["eval a.ts --task task.mjs", "| :"],
  [demo, "2>/dev/null | :"],
  ["eval --help", "| :"],
] as const) {
  test(`vivarium ${command} ${to} ends with 0 and says nothing as nobody reads its output any more`, async () => {
    const { stdout, stderr } = await led(command, to);
    assert.equal(stdout, "code 0\n");
    assert.equal(stderr.replace(/^\{"program":"a\.ts".*\}\n$/, ""), "");
  });
}

test("vivarium eval keeps its exit code when nobody reads its errors any more", async () => {
  const script = `exec 3>&1; { ${vivarium} eval none.ts --task task.mjs 2>&1; echo "code $?" >&3; } | :`;
  const { stdout } = await runProgram("sh", ["-c", script], { cwd: folder.path });
  assert.equal(stdout, "code 2\n");
});

for (const command of [several, "eval a.ts --task task.mjs", "eval --help", "--version"]) {
  test(`vivarium ${command} ends with 1 and one line when the disk of its output is full`, async () => {
    const { stdout, stderr } = await led(command, ">/dev/full");
    assert.equal(stdout, "code 1\n");
    assert.equal(stderr, "Cannot write to stdout as it must take all of the output: the disk is full\n");
  });
}
