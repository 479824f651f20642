// Populations: one source is compiled once, and a thousand variants are created at a rate that is printed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, unwrap } from "../../src/index.ts";
import { runtimeForTests } from "../support/reloading.ts";

const size = 1_000;
const runtime = runtimeForTests({ limits: { memoryBytes: 16 * 2 ** 20, loadMs: 60_000 } });

// Fifty lines of the kind that people write; the constant makes it another program.
const variant = (n: number): string =>
  [
    "interface Item { readonly weight: number; readonly value: number }",
    `const bias = ${n};`,
    ...Array.from({ length: 46 }, (_, i) => {
      return `export const step${i} = ({ weight, value }: Item): number => (weight * ${i} + value) % (bias + ${i + 2});`;
    }),
    "const all = [step0, step7, step45];",
    `export const score = (item: Item): number => all.reduce((sum, step) => sum + step(item), bias);`,
  ].join("\n");

const expected = (n: number): number => [0, 7, 45].reduce((sum, i) => sum + ((3 * i + 4) % (n + i + 2)), n);

test("1,000 sandboxes with one source compile it once", async () => {
  const before = (await runtime.current.metrics()).compile;
  const specs = Array.from({ length: size }, () => ({ modules: { main: variant(1) } }));
  const made = await runtime.current.batch.create(specs);
  const ids = made.map((item) => (item.ok ? item.sandboxId : assert.fail(item.error.message)));
  const after = (await runtime.current.metrics()).compile;
  console.log(
    `compile counters: misses ${before.misses} → ${after.misses}, hits ${before.hits} → ${after.hits}, entries ${after.entries}, bytes ${after.bytes}`,
  );
  assert.deepEqual([after.misses - before.misses, after.hits - before.hits], [1, size - 1]);
  const scores = await runtime.current.batch.call<number>(ids, "main.score", {
    args: [{ weight: 3, value: 4 }],
  });
  assert.ok(scores.every((outcome) => unwrap(outcome) === expected(1)));
  // A mutant for each of them, the same one: one more.
  const reloads = await runtime.current.batch.hotReload(ids, { main: variant(2) });
  assert.ok(reloads.every((item) => item.ok && item.value.status === "reloaded"));
  const { compile } = await runtime.current.metrics();
  assert.equal(compile.misses - after.misses, 1);
  await runtime.current.batch.destroy(ids);
});

test("1,000 variants of a 50-line module are compiled and loaded, at a rate that is printed", async () => {
  const { compile: before } = await runtime.current.metrics();
  const startedMs = performance.now();
  const compiled = await Promise.all(
    Array.from({ length: size }, (_, n) => runtime.current.compile.source(variant(1_000 + n))),
  );
  const compiledMs = performance.now() - startedMs;
  const loadingMs = performance.now();
  const made = await runtime.current.batch.create(compiled.map((main) => ({ modules: { main } })));
  const loadedMs = performance.now() - loadingMs;
  const ids = made.map((item) => (item.ok ? item.sandboxId : assert.fail(item.error.message)));
  const scores = await runtime.current.batch.call<number>(ids, "main.score", {
    args: [{ weight: 3, value: 4 }],
  });
  scores.forEach((outcome, n) => assert.equal(unwrap(outcome), expected(1_000 + n)));
  const { compile: after } = await runtime.current.metrics();
  assert.equal(after.misses - before.misses, size);
  const perSecond = (ms: number): string => Math.round((size / ms) * 1_000).toLocaleString("en");
  console.log(
    `1,000 variants: compiled ${perSecond(compiledMs)}/s, loaded ${perSecond(loadedMs)}/s, together ${perSecond(compiledMs + loadedMs)}/s`,
  );
  await runtime.current.batch.destroy(ids);
});

test("the compile cache stays within its bytes", async () => {
  const compileCacheBytesMax = 100_000;
  await using small = await createRuntime({ compileCacheBytesMax, cells: { count: 1, spare: 0, warm: 0 } });
  for (let n = 0; n < 20; n++) await small.compile.source(variant(n));
  const { compile } = await small.metrics();
  assert.ok(
    compile.bytes > compileCacheBytesMax / 2 && compile.bytes <= compileCacheBytesMax,
    `${compile.bytes}`,
  );
  assert.deepEqual([compile.misses, compile.hits], [20, 0]);
  await small.compile.source(variant(19));
  await small.compile.source(variant(0));
  const { compile: later } = await small.metrics();
  assert.deepEqual([later.misses, later.hits], [21, 1], "what was used lately is kept, the rest is not");
});
