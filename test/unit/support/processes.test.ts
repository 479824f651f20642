// What tests hear of the kernel about processes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { childrenOf } from "../../support/processes.ts";

test("a child is found while threads of its parent end", async (t) => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  const threads = { left: 80 };
  const runSome = async (): Promise<void> => {
    for (let count = 0; count < 20; count++) {
      await once(new Worker("", { eval: true }), "exit");
      threads.left--;
    }
  };
  const ended = Promise.all([0, 1, 2, 3].map(runSome));
  let looks = 0;
  for (; threads.left > 0; looks++) {
    assert.deepEqual(childrenOf(process.pid), [child.pid]);
    await new Promise(setImmediate);
  }
  await ended;
  assert.ok(looks > 20, `there were ${looks} looks`);
});
