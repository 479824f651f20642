// A runtime in a worker thread of its user: descriptors belong to the process, so that the thread must close its own and no
// other.
import assert from "node:assert/strict";
import { once } from "node:events";
import { closeSync, fstatSync, openSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { fulfilled } from "../support/waiting.ts";

const entry = fileURLToPath(new URL("../../src/index.ts", import.meta.url));
const program = `
const { parentPort } = require("node:worker_threads");
const warnings = [];
process.on("warning", ({ message }) => warnings.push(message));
(async () => {
  const { createRuntime } = await import(${JSON.stringify(entry)});
  for (let round = 0; round < 2; round++) {
    const runtime = await createRuntime({ cells: { count: 1, spare: 1 } });
    const outcome = await runtime.once("export default () => 5");
    if (!outcome.ok) throw new Error(outcome.error.message);
    await runtime.close();
  }
  // Warnings are emitted in a turn of their own.
  setImmediate(() => parentPort.postMessage(warnings));
  parentPort.once("message", () => process.exit());
})();
`;

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}

test("a worker thread in which a runtime was closed ends without closing a descriptor of another thread", async () => {
  const worker = new Worker(program, { eval: true });
  const ended = once(worker, "exit");
  const [warnings] = (await fulfilled("its runtimes are closed", once(worker, "message"))) as [string[]];
  // The numbers that the thread has used are free again, and taken by this one.
  const opened = Array.from({ length: 100 }, () => openSync("/dev/null", "r"));
  worker.postMessage("end");
  await fulfilled("the thread ends", ended);
  const closed = opened.filter((fd) => !isOpen(fd));
  for (const fd of opened) if (isOpen(fd)) closeSync(fd);
  assert.deepEqual(closed, [], "descriptors of this thread that the other one has closed");
  assert.deepEqual(warnings, []);
});
