// resultBytes: the result of one run, encoded. What is longer does not leave the sandbox.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const source = `
let count = 0;
export const bump = () => ++count;
export const text = (bytes) => "x".repeat(bytes - 2);
export const wide = (bytes) => "é".repeat((bytes - 2) / 2);
export const inObject = (bytes) => ({ a: "x".repeat(bytes - 8) });
export const numbers = (bytes) => Array.from({ length: (bytes - 1) / 2 }, () => 1);
export const later = async (bytes) => text(bytes);
export const inMap = (bytes) => new Map([["k", "x".repeat(bytes - 32)]]);
export const buffer = (bytes) => new Uint8Array(bytes);
export const sparse = () => { const list = []; list.length = 4_000_000_000; return list; };
export const doubling = () => { let value = ["x".repeat(1_000)]; for (let i = 0; i < 40; i++) value = [value, value]; return value; };
export const many = () => { const list = []; for (let i = 0; i < 200_000; i++) list.push({ i, text: "some text" }); return list; };
export function* endless() { for (;;) yield 1; }
export const thrown = (n) => { throw new Error("x".repeat(n)); };`;

for (const name of ["text", "wide", "inObject", "later"] as const) {
  suite(name, () => {
    test(`a result of exactly resultBytes arrives (${name})`, async () => {
      await using sandbox = await createMain(runtime, source, { resultBytes: 1_024 });
      const value = valueOf(await sandbox.call(`main.${name}`, { args: [1_024] }));
      assert.equal(Buffer.byteLength(JSON.stringify(value)), 1_024);
    });

    test(`a result a little over resultBytes ends with output-limit (${name})`, async () => {
      await using sandbox = await createMain(runtime, source, { resultBytes: 1_024 });
      const outcome = await sandbox.call(`main.${name}`, { args: [1_026] });
      assertFailed(outcome, "output-limit", "resultBytes");
      assert.match(outcome.error.message, /resultBytes, 1024/);
    });

    test(`a result far over resultBytes ends with output-limit (${name})`, async () => {
      await using sandbox = await createMain(runtime, source, { resultBytes: 1_024 });
      assertFailed(await sandbox.call(`main.${name}`, { args: [1_000_000] }), "output-limit", "resultBytes");
    });
  });
}

test("a list of digits is measured as it is encoded, to the byte", async () => {
  await using sandbox = await createMain(runtime, source, { resultBytes: 1_025 });
  assert.equal(valueOf(await sandbox.call<number[]>("main.numbers", { args: [1_025] })).length, 512);
  assertFailed(await sandbox.call("main.numbers", { args: [1_027] }), "output-limit", "resultBytes");
});

for (const target of ["main.sparse", "main.many"] as const) {
  test(`${target}() returns more than it may and ends with output-limit, keeping its isolate`, async () => {
    await using sandbox = await createMain(runtime, source, { resultBytes: 10_000 });
    assert.equal(valueOf(await sandbox.call("main.bump")), 1);
    assertFailed(await sandbox.call(target), "output-limit", "resultBytes");
    assert.equal(valueOf(await sandbox.call("main.bump")), 2);
  });
}

test("a part that is returned many times is measured once, as it travels once", async () => {
  await using sandbox = await createMain(runtime, source, { resultBytes: 2_048 });
  let value = valueOf(await sandbox.call<unknown[]>("main.doubling"));
  for (let level = 0; level < 40; level++) {
    assert.equal(value[0], value[1]);
    value = value[0] as unknown[];
  }
  assert.deepEqual(value, ["x".repeat(1_000)]);
});

test("bytes are measured as the text that carries them", async () => {
  await using sandbox = await createMain(runtime, source, { resultBytes: 10_000 });
  assert.equal(valueOf(await sandbox.call<Uint8Array>("main.buffer", { args: [7_000] })).length, 7_000);
  assertFailed(await sandbox.call("main.buffer", { args: [7_500] }), "output-limit", "resultBytes");
});

test("a result up to the default of 8 MiB arrives", async () => {
  await using sandbox = await createMain(runtime, source);
  assert.equal(
    valueOf(await sandbox.call<string>("main.text", { args: [8 * 2 ** 20] })).length,
    8 * 2 ** 20 - 2,
  );
  assertFailed(await sandbox.call("main.text", { args: [8 * 2 ** 20 + 1] }), "output-limit", "resultBytes");
});

test("what a guest throws is cut short, whatever resultBytes is", async () => {
  await using sandbox = await createMain(runtime, source, { resultBytes: 64 * 2 ** 20 });
  const outcome = await sandbox.call("main.thrown", { args: [10_000_000] });
  assertFailed(outcome, "crashed");
  assert.ok(outcome.error.message.length < 3_000);
  assert.ok((outcome.error.thrown?.stack.length ?? 0) < 10_000);
});

test("resultBytes can be changed while the sandbox is running", async () => {
  await using sandbox = await createMain(runtime, source, { resultBytes: 1_024 });
  assertFailed(await sandbox.call("main.text", { args: [5_000] }), "output-limit", "resultBytes");
  await sandbox.updateLimits({ resultBytes: 5_000 });
  assert.equal(valueOf(await sandbox.call<string>("main.text", { args: [5_000] })).length, 4_998);
  await sandbox.updateLimits({ resultBytes: 4_999 });
  assertFailed(await sandbox.call("main.text", { args: [5_000] }), "output-limit", "resultBytes");
});
