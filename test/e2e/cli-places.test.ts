// Where `vivarium eval` reads and writes besides regular files: links, named pipes, folders, and what a shell opens for it.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { after, test } from "node:test";
import { Folder } from "../support/folders.ts";
import { assertRefused, root, runNode, runProgram, type Ended } from "./program.ts";

const folder = new Folder({
  "task.mjs": 'export const fitness = { tests: [{ name: "two", call: "main.f", args: [2], expected: 4 }] };',
  "a.ts": "export const f = (x: number) => x * x;",
});
after(() => folder[Symbol.dispose]());

const vivarium = `"${process.execPath}" "${root}dist/cli/main.js"`;

test("vivarium eval --output replaces the target of a symbolic link, with the rights it had, and keeps the link", async () => {
  folder.write({ "target.json": "old" });
  chmodSync(folder.at("target.json"), 0o640);
  symlinkSync("target.json", folder.at("link.json"));
  assert.deepEqual(await evaluated("link.json"), { code: 0, stdout: "", stderr: "" });
  assert.equal(readlinkSync(folder.at("link.json")), "target.json");
  assert.equal(scoreIn("target.json"), 1);
  assert.equal(statSync(folder.at("target.json")).mode & 0o777, 0o640);
});

test("vivarium eval --output makes the target of a symbolic link that has none yet", async () => {
  symlinkSync("new.json", folder.at("dangling.json"));
  assert.deepEqual(await evaluated("dangling.json"), { code: 0, stdout: "", stderr: "" });
  assert.equal(readlinkSync(folder.at("dangling.json")), "new.json");
  assert.equal(scoreIn("new.json"), 1);
});

test("vivarium eval --output writes to a named pipe and leaves it one", async () => {
  const fifo = await namedPipe("results.fifo");
  const [ended, read] = await Promise.all([
    evaluated("results.fifo"),
    runProgram("cat", [fifo], { timeoutMs: 60_000 }),
  ]);
  assert.deepEqual(ended, { code: 0, stdout: "", stderr: "" });
  assert.equal(scoreOf(read.stdout), 1);
  assert.ok(statSync(fifo).isFIFO());
});

test("vivarium eval --output is refused with one line where it is a folder or a link to itself", async () => {
  folder.write({ "folder/a": "" });
  symlinkSync("loop", folder.at("loop"));
  for (const [path, why] of [
    ["folder", "it is a folder"],
    ["loop", "it is a link to itself"],
  ] as const) {
    const { code, stderr } = await evaluated(path);
    const line = `Cannot write to "${path}" as it must be a place for files: ${why}\n`;
    assert.deepEqual([code, stderr], [2, line]);
  }
});

test("vivarium eval refuses a program that is a named pipe, as nobody may ever write to it", async () => {
  await namedPipe("program.fifo");
  const ended = await runNode([`${root}dist/cli/main.js`, "eval", "program.fifo", "--task", "task.mjs"], {
    cwd: folder.path,
    timeoutMs: 20_000,
  });
  const rule = 'Cannot use program "program.fifo" as it must be a file, or - for stdin: it is a pipe';
  assertRefused(ended, rule);
});

test("vivarium eval takes what a shell gives it as a file of its own", async () => {
  const script = `${vivarium} eval <(cat a.ts) --task task.mjs`;
  const { code, stdout } = await runProgram("bash", ["-c", script], { cwd: folder.path });
  assert.deepEqual([code, scoreOf(stdout)], [0, 1]);
});

function evaluated(output: string): Promise<Ended> {
  const args = ["eval", "a.ts", "--task", "task.mjs", "--output", output];
  return runNode([`${root}dist/cli/main.js`, ...args], { cwd: folder.path, timeoutMs: 60_000 });
}

async function namedPipe(name: string): Promise<string> {
  assert.equal((await runProgram("mkfifo", [folder.at(name)])).code, 0);
  return folder.at(name);
}

const scoreIn = (name: string): number => scoreOf(readFileSync(folder.at(name), "utf8"));
const scoreOf = (text: string): number => (JSON.parse(text) as { readonly score: number }).score;
