// logBytes: the console output that is retained per sandbox. The newest lines stay; older ones are dropped.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../../src/index.ts";
import { valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const source = `
export const write = (from, to, pad) => { for (let i = from; i < to; i++) console.log(i + " " + pad); };
export const wide = (lines, letters) => { for (let i = 0; i < lines; i++) console.log("日".repeat(letters)); };`;

const bytesOf = (lines: readonly LogLine[]): number =>
  lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

test("lines that fit are retained, oldest first, over many runs", async () => {
  await using sandbox = await createMain(runtime, source);
  valueOf(await sandbox.call("main.write", { args: [0, 50, ""] }));
  valueOf(await sandbox.call("main.write", { args: [50, 100, ""] }));
  const lines = await sandbox.logs();
  assert.deepEqual(
    lines.map(({ text }) => text),
    Array.from({ length: 100 }, (_, n) => `${n} `),
  );
});

test("lines just over logBytes drop the oldest and keep the newest", async () => {
  await using sandbox = await createMain(runtime, source, { logBytes: 1_000 });
  valueOf(await sandbox.call("main.write", { args: [0, 30, "x".repeat(50)] }));
  const lines = await sandbox.logs();
  assert.ok(bytesOf(lines) <= 1_000 && bytesOf(lines) > 500, `${bytesOf(lines)} bytes are kept`);
  assert.match(lines.at(-1)?.text ?? "", /^29 /);
  assert.match(lines[0]?.text ?? "", new RegExp(`^${30 - lines.length} `));
});

test("lines far over logBytes never take more, and bytes are counted, not letters", async () => {
  await using sandbox = await createMain(runtime, source, { logBytes: 10_000 });
  for (let round = 0; round < 5; round++) valueOf(await sandbox.call("main.wide", { args: [500, 100] }));
  const lines = await sandbox.logs();
  assert.ok(bytesOf(lines) <= 10_000, `${bytesOf(lines)} bytes are kept`);
  assert.ok(lines.length > 10);
});

test("nothing is retained where logBytes is 0, but the outcome has its lines", async () => {
  await using sandbox = await createMain(runtime, source, { logBytes: 0 });
  const outcome = await sandbox.call("main.write", { args: [0, 3, ""] });
  assert.equal(outcome.logs.length, 3);
  assert.deepEqual(await sandbox.logs(), []);
});

test("a line that is longer than all of logBytes is not retained", async () => {
  await using sandbox = await createMain(runtime, source, { logBytes: 100 });
  valueOf(await sandbox.call("main.write", { args: [0, 1, "x".repeat(200)] }));
  assert.deepEqual(await sandbox.logs(), []);
});

test("logBytes that is lowered drops at once what no longer fits; raised, it retains more from then on", async () => {
  await using sandbox = await createMain(runtime, source);
  valueOf(await sandbox.call("main.write", { args: [0, 100, "x".repeat(50)] }));
  await sandbox.updateLimits({ logBytes: 1_000 });
  const kept = await sandbox.logs();
  assert.ok(bytesOf(kept) <= 1_000 && kept.length > 5);
  await sandbox.updateLimits({ logBytes: 100_000 });
  valueOf(await sandbox.call("main.write", { args: [0, 100, "x".repeat(50)] }));
  assert.equal((await sandbox.logs()).length, kept.length + 100);
});
