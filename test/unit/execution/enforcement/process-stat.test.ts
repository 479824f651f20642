// What the kernel says of a process.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Worker } from "node:worker_threads";
import {
  closeProcess,
  openProcess,
  readProcess,
  rssBytesOf,
} from "../../../../src/execution/enforcement/process-stat.ts";

suite("what the kernel says of a process", () => {
  test("is its memory, its threads and its processor time, that of its main thread apart", async () => {
    const files = openProcess(process.pid);
    const before = readProcess(files);
    assert.ok(before.rssBytes > 2 ** 20 && before.threads > 1, JSON.stringify(before));
    assert.equal(before.processState, "R");
    // A worker computes until this file says that it has used 200 ms; this thread sleeps meanwhile.
    const worker = new Worker(
      `const { user } = process.threadCpuUsage(); while (process.threadCpuUsage().user - user < 200_000);`,
      { eval: true },
    );
    await new Promise((resolve) => worker.once("exit", resolve));
    const after = readProcess(files);
    closeProcess(files);
    const grown = {
      all: (after.cpuMs ?? assert.fail("unknown")) - (before.cpuMs ?? assert.fail("unknown")),
      main: (after.mainCpuMs ?? assert.fail("unknown")) - (before.mainCpuMs ?? assert.fail("unknown")),
    };
    assert.ok(grown.all >= 190, JSON.stringify(grown));
    assert.ok(grown.main >= 0 && grown.main <= grown.all - 150, JSON.stringify(grown));
  });

  test("is nothing where there is none", () => {
    const files = openProcess(2 ** 30);
    assert.deepEqual(readProcess(files), {
      rssBytes: 0,
      threads: 0,
      processState: "?",
      cpuMs: undefined,
      mainCpuMs: undefined,
    });
    closeProcess(files);
    assert.equal(rssBytesOf(2 ** 30), 0);
  });

  test("is as much as can be read where only its first line can", () => {
    const files = openProcess(process.pid);
    const { rssBytes, mainCpuMs } = readProcess({ ...files, schedstat: undefined });
    closeProcess(files);
    assert.ok(rssBytes > 0);
    assert.equal(mainCpuMs, undefined);
  });
});
