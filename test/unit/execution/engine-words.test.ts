// The words and the time with which isolated-vm gives up on an entry: the orchestrator knows such a cell by both.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { engineGraceMs, unendedEntry } from "../../../src/execution/protocol/messages.ts";
import { cellFlags } from "../../../src/execution/cell-flags.ts";

// The engine suspends the thread for good, so this is a process that ends itself.
const program = `
import ivm from "isolated-vm";
import { writeSync } from "node:fs";
let startedMs = 0;
const isolate = new ivm.Isolate({ onCatastrophicError: (why) => {
  writeSync(1, JSON.stringify({ why, afterMs: performance.now() - startedMs }));
  process.kill(process.pid, "SIGKILL");
} });
const context = await isolate.createContext();
startedMs = performance.now();
await context.eval("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", { timeout: 1 });`;

test("an entry that cannot be ended is given up by the engine in the words and after the time that are expected", async () => {
  const args = [...cellFlags, "--input-type=module", "--eval", program];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await once(child, "close");
  const { why, afterMs } = JSON.parse(said) as { why: string; afterMs: number };
  assert.equal(why, unendedEntry);
  assert.ok(afterMs >= engineGraceMs, `it gave up after ${afterMs} ms`);
});
