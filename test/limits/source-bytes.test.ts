// sourceBytes: the source of one module, in bytes of UTF-8. What is longer is not compiled.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LoadError } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { functionOf } from "../support/guests.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const head = "export const f = () => 1; //";
const sourceOf = (bytes: number, letter = "x"): string =>
  head + letter.repeat((bytes - head.length) / Buffer.byteLength(letter));

async function assertRefused(act: () => unknown, sourceBytes: number): Promise<void> {
  const error = await errorOf(act, "COMPILE_FAILED");
  assert.ok(error instanceof LoadError);
  assert.equal(error.phase, "compile");
  assert.match(error.message, new RegExp(`at most sourceBytes, ${sourceBytes}: got \\d+`));
}

for (const letter of ["x", "é", "😀"]) {
  suite(`a source of the letter ${letter}`, () => {
    const bytes = head.length + 400;
    const more = Buffer.byteLength(letter);

    test("is compiled when it takes exactly sourceBytes", async () => {
      const source = sourceOf(bytes, letter);
      assert.equal(Buffer.byteLength(source), bytes);
      await using sandbox = await createMain(runtime, source, { sourceBytes: bytes });
      assert.equal(valueOf(await sandbox.call("main.f")), 1);
    });

    test("is refused when it takes one letter more", async () => {
      const source = sourceOf(bytes + more, letter);
      await assertRefused(() => createMain(runtime, source, { sourceBytes: bytes }), bytes);
    });

    test("is refused when it takes far more", async () => {
      const source = sourceOf(bytes + more * 1_000_000, letter);
      await assertRefused(() => createMain(runtime, source, { sourceBytes: bytes }), bytes);
    });
  });
}

test("a source that is in the cache is refused all the same where it is too long", async () => {
  const source = sourceOf(500);
  await using sandbox = await createMain(runtime, source);
  assert.equal(valueOf(await sandbox.call("main.f")), 1);
  await assertRefused(() => createMain(runtime, source, { sourceBytes: 499 }), 499);
});

test("a module that was compiled before is held to sourceBytes too", async () => {
  const artifact = await runtime.compile.source(sourceOf(500));
  await using sandbox = await runtime.create({ modules: { main: artifact }, limits: { sourceBytes: 500 } });
  assert.equal(valueOf(await sandbox.call("main.f")), 1);
  await assertRefused(
    () => runtime.create({ modules: { main: artifact }, limits: { sourceBytes: 499 } }),
    499,
  );
});

test("each module has its own sourceBytes, and the one that is too long is named", async () => {
  const modules = { a: sourceOf(500), b: sourceOf(500), c: sourceOf(501) };
  const error = await errorOf(
    () => runtime.create({ modules, limits: { sourceBytes: 500 } }),
    "COMPILE_FAILED",
  );
  assert.match(error.message, /module "c"/);
});

test("compile.source() and compile.check() are held to the sourceBytes that they are given", async () => {
  assert.equal(
    (await runtime.compile.source(sourceOf(500), { limits: { sourceBytes: 500 } })).source.length,
    500,
  );
  await assertRefused(() => runtime.compile.source(sourceOf(501), { limits: { sourceBytes: 500 } }), 500);
  await assertRefused(() => runtime.compile.check(sourceOf(501), { limits: { sourceBytes: 500 } }), 500);
});

test("a function that is shipped is held to its sandbox's sourceBytes", async () => {
  await using sandbox = await createMain(runtime, head, { sourceBytes: 200 });
  assert.equal(valueOf(await sandbox.run(() => 1)), 1);
  const outcome = await sandbox.run(functionOf<number>(`() => "${"x".repeat(300)}".length`));
  assertFailed(outcome, "compile");
  assert.match(outcome.error.message, /sourceBytes, 200/);
});

test("the default of 1 MiB is enough for a source of exactly that, and no byte more", async () => {
  assert.equal((await runtime.compile.check(sourceOf(2 ** 20))).length, 0);
  await assertRefused(() => runtime.compile.check(sourceOf(2 ** 20 + 1)), 2 ** 20);
});
