// How the kernel schedules a thread that said that nobody waits for its first answer.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { openKernel } from "../../../src/std/kernel.ts";

const policyField = 38;
const other = "0";
const batch = "3";

test("a thread that says so is scheduled as one that computes, where system calls can be made", async () => {
  const program = `
    import { readFileSync } from "node:fs";
    import { runAsBatch } from ${JSON.stringify(new URL("../../../src/std/scheduling.ts", import.meta.url).href)};
    const policy = () => readFileSync("/proc/thread-self/stat", "latin1").split(") ").at(-1).split(" ")[${policyField}];
    const before = policy();
    runAsBatch();
    console.log(before, policy());`;
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  assert.equal(stdout.trim(), `${other} ${openKernel() === undefined ? other : batch}`);
});
