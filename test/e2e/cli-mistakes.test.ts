// A mistake in a command line is told as one: a single line with the rule, exit code 2, and nothing run.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, test } from "node:test";
import { Folder } from "../support/folders.ts";
import { assertRefused, root, runNode } from "./program.ts";

const folder = new Folder({
  "candidate.ts": "export const f = 1;",
  "task.mjs": "export const fitness = () => 1;",
  "idle.mjs": "export const speed = 1;",
  "broken.mjs": "export const fitness = ;",
  "low.mjs": "export const fitness = () => 1; export const limits = { memoryBytes: 1 };",
  "keeping.mjs": "export const fitness = () => 1; export const options = { keep: 1 };",
  "words.txt": "hello",
});
mkdirSync(folder.at("folder"));
after(() => folder[Symbol.dispose]());

const isFile = "must be a file";
const isProgram = `${isFile}, or - for stdin`;

for (const [line, message] of [
  ["dance", /^Cannot run this command as it must be one of demo, run, repl, .*, completion: got "dance"$/],
  ["evl", /got "evl", did you mean eval\?$/],
  ["help dance", /^Cannot run this command as it must be one of .*: got "dance"$/],
  ["demo --seed many", 'Cannot use --seed as it must be 0–16777216: got "many"'],
  ["demo --seed", "Cannot use --seed as it must be 0–16777216: got nothing"],
  ["demo --problem life", /^Cannot use --problem as it must be one of bin-packing, .*: got "life"$/],
  [
    "demo --speed 9",
    /^Cannot use this option as it must be one of --problem, .*: got "--speed", did you mean --seed\?$/,
  ],
  ["demo --tempo 9", /^Cannot use this option as it must be one of --problem, .*: got "--tempo"$/],
  [
    "demo --long --problem square",
    'Cannot use --long as it must be without --problem, or with bin-packing: got "square"',
  ],
  ["demo --fresh", "Cannot use --fresh as it must come with --data: got no folder"],
  ["demo --json=yes", 'Cannot use --json as it takes no value: got "yes"'],
  ["demo binpack1.txt", 'Cannot use this argument as only options are taken: got "binpack1.txt"'],
  ["demo --dataset none.txt", `Cannot use --dataset "none.txt" as it ${isFile}: there is none`],
  ["demo --dataset folder", `Cannot use --dataset "folder" as it ${isFile}: it is a folder`],
  [
    "demo --dataset words.txt",
    /^Cannot read "words.txt" as the number of instances must be .*: got "hello"$/,
  ],
  [
    "demo --data words.txt",
    'Cannot use --data "words.txt" as it must be a folder, or a path for a new one: it is a file',
  ],
  ["eval", 'Cannot evaluate as there must be a program and one --task: got ""'],
  ["eval candidate.ts", /^Cannot evaluate as there must be a program and one --task: got "candidate.ts"$/],
  [
    "eval x.ts --format xml",
    'Cannot use --format as it must be one of json, openevolve, shinka, alphaevolve: got "xml"',
  ],
  ["eval none.ts --task task.mjs", `Cannot use program "none.ts" as it ${isProgram}: there is none`],
  ["eval folder --task task.mjs", `Cannot use program "folder" as it ${isProgram}: it is a folder`],
  ["eval candidate.ts --task none.mjs", `Cannot use task "none.mjs" as it ${isFile}: there is none`],
  ["eval candidate.ts --task folder", `Cannot use task "folder" as it ${isFile}: it is a folder`],
  [
    "eval candidate.ts --task idle.mjs",
    'Cannot use task "idle.mjs" as it must export fitness and nothing but fitness, module, modules, limits, options: got speed',
  ],
  [
    "eval candidate.ts --task broken.mjs",
    /^Cannot load task "broken.mjs" as it must be a module that can be imported: SyntaxError: /,
  ],
  ["eval candidate.ts --task low.mjs", /^Cannot set memoryBytes as it must be \d+–\d+: got 1$/],
  ["eval candidate.ts --task keeping.mjs", "Cannot use the task's options as keep must be left out: got it"],
  ["eval - - --task task.mjs", "Cannot read stdin as it must be given once: got - twice"],
  [
    "eval candidate.ts candidate.ts --task task.mjs --format shinka --output results",
    /^Cannot write shinka's files as its two files are those of one program: /,
  ],
  [
    "eval candidate.ts --task task.mjs --output folder",
    'Cannot write to "folder" as it must be a place for files: it is a folder',
  ],
  [
    "eval candidate.ts --lines --task task.mjs --output folder",
    'Cannot write to "folder" as it must be a place for files: it is a folder',
  ],
  ["store check none", 'Cannot read data folder "none" as it must exist: got nothing there'],
  ["runs words.txt", 'Cannot read data folder "words.txt" as it must be a folder: got a file'],
] as const) {
  test(`vivarium ${line} ends with exit code 2 and one line that says the rule`, async () => {
    const ended = await runNode([`${root}dist/cli/main.js`, ...line.split(" ")], { cwd: folder.path });
    assertRefused(ended, message);
    assert.match(ended.stderr, /^[^\n]+\n$/);
  });
}
