// outputBytes: what one run may write to the console. What is more is cut, marked, and ends the run with output-limit.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();

// A line takes its text and one byte for the newline. `quietly` goes on when the console refuses to write.
const source = `
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
function writeAll(lines, length) {
  for (let i = 0; i < lines; i++) console.log("x".repeat(length));
  return lines;
}
export const write = writeAll;
export const writeLater = async (lines, length) => { await pause(); return writeAll(lines, length); };
export const quietly = (lines, length) => { try { writeAll(lines, length); } catch {} return "went on"; };
export const quietlyLater = async (lines, length) => { await pause(); return quietly(lines, length); };
export const wide = (letters) => console.log("日".repeat(letters));
export const silent = () => "silent";
export const silentLater = async () => { await pause(); return "silent"; };
export const forever = () => { for (;;) console.log("and on and on"); };
export const foreverCaught = () => { for (let i = 0; i < 20_000; i++) try { console.log("and on"); } catch {} return 1; };`;

const create = (outputBytes: number): Promise<Sandbox> => createMain(runtime, source, { outputBytes });

for (const [what, write, quietly] of [
  ["at once", "main.write", "main.quietly"],
  ["later", "main.writeLater", "main.quietlyLater"],
] as const) {
  suite(`a run that writes ${what}`, () => {
    test("gives its value when it writes exactly outputBytes, and reports how much that was", async () => {
      await using sandbox = await create(100);
      const outcome = await sandbox.call(write, { args: [10, 9] });
      assert.equal(valueOf(outcome), 10);
      assert.equal(outcome.usage.outputBytes, 100);
      assert.equal(outcome.logs.length, 10);
    });

    test("ends with output-limit when it writes one byte more, with the line cut and marked", async () => {
      await using sandbox = await create(99);
      const outcome = await sandbox.call(write, { args: [10, 9] });
      assertFailed(outcome, "output-limit", "outputBytes");
      assert.match(outcome.error.message, /outputBytes, 99/);
      assert.equal(outcome.logs.at(-1)?.text, "x".repeat(9) + "… (output cut at 99 bytes)");
      assert.equal(outcome.usage.outputBytes, 99);
    });

    test("ends with output-limit when it goes on after it was refused", async () => {
      await using sandbox = await create(50);
      assertFailed(await sandbox.call(quietly, { args: [100, 9] }), "output-limit", "outputBytes");
    });

    test("writes nothing where nothing may be written", async () => {
      await using sandbox = await create(0);
      for (let round = 0; round < 2; round++)
        for (const target of [write, quietly])
          assertFailed(await sandbox.call(target, { args: [1, 5] }), "output-limit", "outputBytes");
    });
  });
}

test("a run that writes nothing is fine after one that wrote too much, whatever the bound and the way in", async () => {
  for (const outputBytes of [0, 1, 50]) {
    await using sandbox = await create(outputBytes);
    for (const target of ["main.silent", "main.silentLater"] as const) {
      assertFailed(await sandbox.call("main.write", { args: [100, 9] }), "output-limit", "outputBytes");
      assert.equal(valueOf(await sandbox.call(target)), "silent");
    }
  }
});

test("each run may write as much again", async () => {
  await using sandbox = await create(100);
  for (let round = 0; round < 5; round++) valueOf(await sandbox.call("main.write", { args: [10, 9] }));
  assert.equal((await sandbox.usage()).outputBytes, 500);
});

test("bytes are counted, not characters", async () => {
  await using sandbox = await create(31);
  valueOf(await sandbox.call("main.wide", { args: [10] }));
  assertFailed(await sandbox.call("main.wide", { args: [11] }), "output-limit", "outputBytes");
});

test("a run that writes without end is ended by its output, and the sandbox stays", async () => {
  await using sandbox = await create(10_000);
  const outcome = await sandbox.call("main.forever");
  assertFailed(outcome, "output-limit", "outputBytes");
  assert.equal(valueOf(await sandbox.call("main.silent")), "silent");
});

test("of a run that writes thousands of refused lines none is retained", async () => {
  await using sandbox = await create(1_000);
  assertFailed(await sandbox.call("main.foreverCaught"), "output-limit", "outputBytes");
  const bytes = (await sandbox.logs()).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  assert.ok(bytes < 1_100, `${bytes} bytes were kept`);
});

test("modules that write too much while they load fail to load by outputBytes", async () => {
  const chatty = `for (let i = 0; i < 100; i++) try { console.log("loading"); } catch {} export const f = () => 1;`;
  await assert.rejects(createMain(runtime, chatty, { outputBytes: 100 }), {
    code: "LOAD_FAILED",
    failure: {
      kind: "output-limit",
      limit: "outputBytes",
      message: "Cannot write more than outputBytes, 100, while loading",
    },
  });
});

test("outputBytes can be changed while the sandbox is running", async () => {
  await using sandbox = await create(10);
  assertFailed(await sandbox.call("main.write", { args: [10, 9] }), "output-limit", "outputBytes");
  await sandbox.updateLimits({ outputBytes: 100 });
  assert.equal(valueOf(await sandbox.call("main.write", { args: [10, 9] })), 10);
});
