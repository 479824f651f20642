// A source is compiled once for all requests; what is not a success, or not within another's limits, is not shared.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Artifact, Compilation, CompileRequest } from "../../../../src/code/modules/artifact.ts";
import { nobody } from "../../../../src/code/compiler/compile-owner.ts";
import { slicing } from "../../../../src/std/slicing.ts";
import { CompileCache, type CompileParts } from "../../../../src/code/compiler/compile-cache.ts";

const artifactOf = (source: string): Artifact => ({
  metered: false,
  checksum: source,
  source,
  code: source,
  imports: [],
  dynamicImports: [],
  exports: [],
  linkage: { imports: [], locals: [], reexports: [], stars: [], body: "sync" },
  sourceMaps: [],
  findings: [],
  warnings: [],
});
const request = (source: string, more: Partial<CompileRequest> = {}): CompileRequest => ({
  name: "main",
  source,
  compileMs: 1_000,
  sourceBytes: 1_000,
  isMetered: false,
  owner: nobody,
  ...more,
});
const refusal: Compilation = { ok: false, phase: "compile", message: "no", diagnostics: [] };

function cacheWith(
  compile: (request: CompileRequest) => Compilation | Promise<Compilation>,
  bytesMax = 10_000,
) {
  const compiled: string[] = [];
  const joined: (readonly [string, string | null])[] = [];
  const parts: CompileParts = {
    compile: async (each) => {
      compiled.push(each.source);
      await Promise.resolve();
      return compile(each);
    },
    alsoFor: ({ source }, { tenant }) => void joined.push([source, tenant]),
  };
  return { cache: new CompileCache(parts, bytesMax), compiled, joined };
}

const succeed = (each: CompileRequest): Compilation => ({ ok: true, artifact: artifactOf(each.source) });

test("CompileCache compiles a source once, for simultaneous and for later requests", async () => {
  const { cache, compiled } = cacheWith(succeed);
  const results = await Promise.all(Array.from({ length: 50 }, () => cache.compile(request("a"))));
  results.push(await cache.compile(request("a")));
  assert.deepEqual(compiled, ["a"]);
  assert.ok(results.every((result) => result.ok));
  const { bytes, ...counts } = cache.statistics();
  assert.deepEqual(counts, { hits: 50, misses: 1, entries: 1 });
  assert.ok(bytes > 2);
});

test("CompileCache says for whom else a source is wanted that is under way", async () => {
  const { cache, compiled, joined } = cacheWith(succeed);
  const owners = ["a", "b", "c"].map((tenant) => ({ tenant, sandboxId: "one" }));
  await Promise.all(owners.map((owner) => cache.compile(request("x", { owner }))));
  await cache.compile(request("x", { owner: { tenant: "d", sandboxId: "one" } }));
  assert.deepEqual(compiled, ["x"]);
  assert.deepEqual(joined, [
    ["x", "b"],
    ["x", "c"],
  ]);
});

test("CompileCache distinguishes sources and languages, but not names", async () => {
  const { cache, compiled } = cacheWith(succeed);
  await cache.compile(request("a"));
  await cache.compile(request("a", { name: "other" }));
  await cache.compile(request("a", { name: "main.ts" }));
  await cache.compile(request("a", { name: "main.js" }));
  await cache.compile(request("b"));
  assert.deepEqual(compiled, ["a", "a", "a", "b"]);
});

test("CompileCache compiles a source that failed again for the next request", async () => {
  let count = 0;
  const { cache } = cacheWith((each) => (++count === 1 ? refusal : succeed(each)));
  assert.equal((await cache.compile(request("a"))).ok, false);
  assert.equal((await cache.compile(request("a"))).ok, true);
});

test("CompileCache gives no one a hit whose own bound the source is over", async () => {
  const { cache, compiled } = cacheWith((each) => (each.sourceBytes < 2 ? refusal : succeed(each)));
  assert.equal((await cache.compile(request("aé"))).ok, true);
  assert.equal((await cache.compile(request("aé", { sourceBytes: 1 }))).ok, false);
  assert.equal(compiled.length, 2);
});

test("CompileCache compiles again what was lost with a compiler that could not be had", async () => {
  let count = 0;
  const { cache } = cacheWith((each) => {
    if (++count === 1) throw new RangeError("no compiler");
    return succeed(each);
  });
  await assert.rejects(cache.compile(request("a")), RangeError);
  assert.equal((await cache.compile(request("a"))).ok, true);
});

test("CompileCache stays within its bytes, and without any compiles each time", async () => {
  const { cache } = cacheWith(succeed, 10_000);
  for (const letter of "abc") await cache.compile(request(letter.repeat(1_000)));
  const { bytes, entries } = cache.statistics();
  assert.ok(bytes <= 10_000 && entries === 2, `${bytes} bytes, ${entries} entries`);
  const none = cacheWith(succeed, 0);
  await none.cache.compile(request("a"));
  await none.cache.compile(request("a"));
  assert.equal(none.compiled.length, 2);
});

test("CompileCache counts what modules take beside their texts, so that many short ones do not take many times its bytes", async () => {
  const { cache } = cacheWith(succeed, 100_000);
  for (let n = 0; n < 1_000; n++) await cache.compile(request(`${n}`));
  const { entries } = cache.statistics();
  assert.ok(entries <= 100, `${entries} entries of at least 1,000 bytes`);
});

test("whoever shares a compilation takes a turn of its own, and not that of the one who asked first", async (t) => {
  const turns = new Map<string | null | undefined, () => void>();
  t.mock.method(slicing, "turn", (owner: string | null) => {
    return new Promise<void>((resolve) => void turns.set(owner, resolve));
  });
  const { cache } = cacheWith(({ source }) => ({ ok: true, artifact: artifactOf(source) }));
  const done: string[] = [];
  for (const tenant of ["a", "b"]) {
    const asked = cache.compile(request("1", { owner: { tenant, sandboxId: tenant } }));
    void asked.then(() => done.push(tenant));
  }
  for (let n = 0; n < 10; n++) await Promise.resolve();
  assert.deepEqual(new Set(turns.keys()), new Set(["a", "b"]));
  turns.get("b")?.();
  for (let n = 0; n < 10; n++) await Promise.resolve();
  assert.deepEqual(done, ["b"]);
});
