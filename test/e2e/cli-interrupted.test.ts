// Ctrl-C while a command is still starting: it ends as it does later, with 130 and without a word of ours.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Folder } from "../support/folders.ts";
import { files } from "./cli-json-cases.ts";
import { root, runNode } from "./program.ts";

const folder = new Folder(files);
after(() => folder[Symbol.dispose]());

describe("Ctrl-C at the start", { concurrency: 2 }, () => {
  for (const args of [
    ["run", "loops.ts"],
    ["repl"],
    ["eval", "guest.ts", "--task", "task.mjs"],
    ["batch", "specs.jsonl", "--call", "main.f"],
    ["watch", "guest.ts"],
    ["serve", "--port", "0"],
    ["mcp"],
    ["top", "--json", "--data", "top"],
    ["bench"],
    ["demo"],
  ])
    test(`ends vivarium ${args.join(" ")}`, async () => {
      const preload = ["--import", `${root}test/e2e/interrupting-early.ts`];
      const { code, stderr } = await runNode([...preload, `${root}dist/cli/main.js`, ...args], {
        cwd: folder.path,
        env: { ...process.env, XDG_RUNTIME_DIR: folder.at("runtime") },
        timeoutMs: 60_000,
      });
      assert.equal(code, 130, stderr);
      assert.doesNotMatch(stderr, /^\s+at |Error/m);
    });
});
