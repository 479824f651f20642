// compileMs: the compilation of one module. One that takes longer ends its compiler process; others are unaffected.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoadError } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { functionOf } from "../support/guests.ts";
import { stopwatch } from "../support/machine.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime({ limits: { sourceBytes: 16 * 2 ** 20 } });

// Takes the compiler hundreds of milliseconds; each one is another source, so that none is in the cache.
let made = 0;
const slowSource = (functions = 30_000): string =>
  `export const f = () => ${++made};\n` +
  Array.from(
    { length: functions },
    (_, n) => `function f${n}(a: number, b: string) { return [a + ${n}, b]; }`,
  ).join("\n");

async function assertTooSlow(act: () => unknown, compileMs: number): Promise<void> {
  const error = await errorOf(act, "COMPILE_FAILED");
  assert.ok(error instanceof LoadError);
  assert.equal(error.phase, "compile");
  assert.match(error.message, new RegExp(`within compileMs, ${compileMs}: it was not`));
}

test("a source that compiles within compileMs is compiled", async () => {
  const { exports } = await runtime.compile.source(slowSource(), { limits: { compileMs: 60_000 } });
  assert.deepEqual(exports, ["f"]);
});

for (const compileMs of [1, 20]) {
  test(`a source that takes longer than ${compileMs} ms is refused, and the next one is compiled`, async () => {
    await assertTooSlow(() => createMain(runtime, slowSource(), { compileMs }), compileMs);
    await using sandbox = await createMain(runtime, `export const f = () => ${compileMs};`);
    assert.equal(valueOf(await sandbox.call("main.f")), compileMs);
  });
}

test("a source that takes far longer is refused in a moment", async () => {
  const took = stopwatch();
  await assertTooSlow(() => runtime.compile.source(slowSource(150_000), { limits: { compileMs: 20 } }), 20);
  took.assertWithin(10_000, "it took too long");
});

test("sources that wait behind one that takes too long are compiled all the same", async () => {
  const slow = assertTooSlow(() => runtime.compile.source(slowSource(), { limits: { compileMs: 5 } }), 5);
  const quick = Array.from({ length: 20 }, (_, n) => runtime.compile.source(`export const g = ${n};`));
  for (const { exports } of await Promise.all(quick)) assert.deepEqual(exports, ["g"]);
  await slow;
});

test("waiting behind others is not counted", async () => {
  const before = Array.from({ length: 3 }, () =>
    runtime.compile.source(slowSource(), { limits: { compileMs: 60_000 } }),
  );
  const behind = await runtime.compile.source(`export const h = ${performance.now()};`, {
    limits: { compileMs: 400 },
  });
  assert.deepEqual(behind.exports, ["h"]);
  await Promise.all(before);
});

test("a source that was refused for its time is compiled for a request with more time", async () => {
  const source = slowSource();
  await assertTooSlow(() => runtime.compile.source(source, { limits: { compileMs: 1 } }), 1);
  assert.deepEqual((await runtime.compile.source(source, { limits: { compileMs: 60_000 } })).exports, ["f"]);
});

test("a request with less time than another for the same source gets it too, as it is compiled once", async () => {
  const source = slowSource();
  const [first, second] = await Promise.all([
    runtime.compile.source(source, { limits: { compileMs: 60_000 } }),
    runtime.compile.source(source, { limits: { compileMs: 60_000 } }),
  ]);
  assert.equal(first, second);
});

test("a function that is shipped has its sandbox's compileMs", async () => {
  await using sandbox = await createMain(runtime, "export const f = () => 1;", { compileMs: 1 });
  const body = Array.from({ length: 20_000 }, (_, n) => `const c${n} = ${n} + arguments.length;`).join("\n");
  const outcome = await sandbox.run(functionOf<number>(`function () { ${body}\nreturn 1; }`));
  assertFailed(outcome, "compile");
  assert.match(outcome.error.message, /compileMs, 1/);
});

test("the compiler's process is replaced each time, and that is counted", async () => {
  // A process that answers has taken the place of whichever was killed before.
  await runtime.compile.source(`export const i = ${performance.now()};`);
  const before = (await runtime.metrics()).compile.restarts;
  await assertTooSlow(() => runtime.compile.source(slowSource(), { limits: { compileMs: 1 } }), 1);
  await runtime.compile.source(`export const i = ${performance.now()};`);
  assert.equal((await runtime.metrics()).compile.restarts, before + 1);
});
