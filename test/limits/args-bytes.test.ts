// argsBytes: the arguments of one run, encoded. What is longer is refused before it is sent.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { InvalidOptionsError } from "../../src/index.ts";
import { mistakeOf } from "../support/errors.ts";
import { stopwatch } from "../support/machine.ts";
import { valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const source = `
export const size = (...args) => JSON.stringify(args).length;
export const lengthOf = (value) => value.length ?? value.byteLength ?? value.size;`;

// Arguments that take exactly so many bytes when they are encoded.
const shapes: Readonly<Record<string, (bytes: number) => unknown[]>> = {
  "one text": (bytes) => ["x".repeat(bytes - 4)],
  "one text of two-byte letters": (bytes) => ["é".repeat((bytes - 4) / 2)],
  "one text of escapes": (bytes) => ["\u0001".repeat((bytes - 4) / 6)],
  "three texts": (bytes) => ["a".repeat(300), "b".repeat(300), "x".repeat(bytes - 610)],
  "a text in an object": (bytes) => [{ a: "x".repeat(bytes - 10) }],
  "four arguments": (bytes) => [1, 2, 3, "x".repeat(bytes - 10)],
};

for (const [what, make] of Object.entries(shapes)) {
  suite(what, () => {
    test(`${what} of exactly argsBytes arrives`, async () => {
      await using sandbox = await createMain(runtime, source, { argsBytes: 1_024 });
      const args = make(1_024);
      assert.equal(Buffer.byteLength(JSON.stringify(args)), 1_024);
      assert.equal(valueOf(await sandbox.call("main.size", { args })), JSON.stringify(args).length);
    });

    test(`${what} a little over argsBytes is refused, and the sandbox is not called`, async () => {
      await using sandbox = await createMain(runtime, source, { argsBytes: 1_024 });
      const args = make(1_036);
      assert.equal(Buffer.byteLength(JSON.stringify(args)), 1_036);
      const error = await mistakeOf(() => sandbox.call("main.size", { args }), "INVALID_OPTIONS");
      assert.ok(error instanceof InvalidOptionsError);
      assert.equal(error.option, "args");
      assert.match(error.message, /argsBytes, 1024/);
      assert.equal((await sandbox.usage()).runs, 0);
    });
  });
}

test("one byte decides, also among three small texts", async () => {
  await using sandbox = await createMain(runtime, source, { argsBytes: 1_024 });
  for (const [extra, isFine] of [
    [0, true],
    [1, false],
  ] as const) {
    const args = ["é".repeat(200), "b".repeat(200), "x".repeat(1_024 - 610 + extra)];
    if (isFine) assert.ok(valueOf(await sandbox.call<number>("main.size", { args })) > 0);
    else await mistakeOf(() => sandbox.call("main.size", { args }), "INVALID_OPTIONS");
  }
});

test("arguments far over argsBytes are refused at once, without being encoded", async () => {
  await using sandbox = await createMain(runtime, source);
  const text = "x".repeat(2 ** 20);
  const took = stopwatch();
  for (const args of [
    Array.from({ length: 2_000 }, () => text),
    [new ArrayBuffer(2 ** 28)],
    ["x".repeat(2 ** 28)],
  ])
    await mistakeOf(() => sandbox.call("main.size", { args }), "INVALID_OPTIONS");
  took.assertWithin(10_000, "it took too long");
});

test("arguments up to the default of 8 MiB arrive, whatever they are made of", async () => {
  await using sandbox = await createMain(runtime, source);
  const length = 6_000_000;
  assert.equal(valueOf(await sandbox.call("main.lengthOf", { args: ["x".repeat(length)] })), length);
  assert.equal(valueOf(await sandbox.call("main.lengthOf", { args: [new Uint8Array(length)] })), length);
});

test("argsBytes holds for shipped functions and for every item of a batch", async () => {
  await using sandbox = await createMain(runtime, source, { argsBytes: 1_024 });
  const args: [string] = ["x".repeat(1_021)];
  await mistakeOf(() => sandbox.run((_, text: string) => text.length, { args }), "INVALID_OPTIONS");
  const [result] = await runtime.batch.call([sandbox.id], "main.size", { args });
  assert.ok(result?.ok === false);
  assert.match(result.error.message, /argsBytes, 1024/);
});

test("argsBytes can be changed while the sandbox is running", async () => {
  await using sandbox = await createMain(runtime, source, { argsBytes: 1_024 });
  const args = ["x".repeat(5_000)];
  await mistakeOf(() => sandbox.call("main.size", { args }), "INVALID_OPTIONS");
  await sandbox.updateLimits({ argsBytes: 10_000 });
  assert.equal(valueOf(await sandbox.call("main.size", { args })), 5_004);
});
