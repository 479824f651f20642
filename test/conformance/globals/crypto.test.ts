// Randomness, digests and base64 of guests: as Node has them, bounded, and seeded where a sandbox is deterministic.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { suite, test } from "node:test";
import { testAlike } from "../../support/alike.ts";
import { assertFailed, valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();

testAlike(runtime, "crypto works", [
  "String(crypto) + String(crypto.subtle)",
  "crypto.randomUUID().replaceAll(/[0-9a-f]/g, (digit, at) => at === 14 || at === 19 ? (digit === '4' || '89ab'.includes(digit)) : 'x')",
  "new Set(Array.from({ length: 500 }, () => crypto.randomUUID())).size",
  "crypto.getRandomValues(new Uint8Array(65536)).length",
  "crypto.getRandomValues(new Uint8Array(65537))",
  "crypto.getRandomValues(new Uint32Array(16385))",
  "((list) => crypto.getRandomValues(list) === list)(new BigInt64Array(3))",
  "crypto.getRandomValues(new Uint8ClampedArray(3)).length",
  "crypto.getRandomValues(new Float64Array(1))",
  "crypto.getRandomValues(new DataView(new ArrayBuffer(1)))",
  "crypto.getRandomValues(5)",
  "((list) => { crypto.getRandomValues(list.subarray(4, 6)); return [...list].map((n, i) => i < 4 || i > 5 ? n : 0); })(new Uint8Array(10))",
  "crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'))",
  "crypto.subtle.digest('sha-512', new Uint8Array(0))",
  "crypto.subtle.digest({ name: 'SHA-1' }, new ArrayBuffer(3))",
  "crypto.subtle.digest('SHA-384', new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2))",
  "crypto.subtle.digest('SHA-256', new Float64Array([1.5]))",
  "crypto.subtle.digest('MD5', new Uint8Array(1))",
  "crypto.subtle.digest('SHA-256', 'text')",
  "crypto.subtle.digest({}, new Uint8Array(1))",
  "crypto.subtle.digest(undefined, new Uint8Array(1))",
  "crypto.subtle.digest('SHA-1', new Uint8Array(1)) instanceof Promise",
]);

testAlike(runtime, "atob and btoa work", [
  "btoa('')",
  "btoa('a')",
  "btoa('ab')",
  "btoa('abc')",
  "btoa('\\xff\\x00\\x80')",
  "btoa('€')",
  "btoa(null)",
  "btoa(12.5)",
  "btoa()",
  "atob()",
  "atob('')",
  "atob('YQ==')",
  "atob('YQ')",
  "atob('YQ=')",
  "atob('Y')",
  "atob(' Y\\nQ \\t= = ')",
  "atob('YR==')",
  "atob('YWJjZA')",
  "atob('YWI=YWI=')",
  "atob('====')",
  "atob('=')",
  "atob('a-_b')",
  "atob('é')",
  "atob(null)",
  "atob('abcd===')",
  "atob('YWJj\\u00a0')",
  "[...atob(btoa(String.fromCharCode(...Array(256).keys())))].map((letter) => letter.charCodeAt(0))",
  "atob(btoa('x'.repeat(100_001))).length",
  "atob({ toString: () => 'YQ==' })",
]);

testAlike(runtime, "DOMException works", [
  "[new DOMException().name, new DOMException().message, new DOMException().code, String(new DOMException('m', 'AbortError'))]",
  "new DOMException('m', { name: 'DataCloneError', cause: 5 }).cause",
  "new DOMException('m', 'AbortError') instanceof Error",
  "Object.getOwnPropertyNames(new DOMException('m'))",
  "Object.fromEntries(Object.entries(DOMException))",
  "Object.prototype.toString.call(new DOMException('m'))",
  "new DOMException('m', 'AbortError').stack.split('\\n')[0]",
  "[new QuotaExceededError('m', { quota: 5, requested: 7 }).quota, new QuotaExceededError('m').requested, new QuotaExceededError('m').code]",
  "new QuotaExceededError('m') instanceof DOMException",
  "DOMException('m')",
]);

suite("a digest", () => {
  test("is that of Node for every length up to three blocks, and for long inputs", async () => {
    const source = `export const digests = async (name, lengths) => {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 255);
      const all = [];
      for (const length of lengths) {
        const digest = new Uint8Array(await crypto.subtle.digest(name, bytes.subarray(0, length)));
        all.push([...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
      }
      return all;
    };`;
    await using sandbox = await createMain(runtime, source);
    const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 255);
    const lengths = [...Array.from({ length: 400 }, (_, i) => i), 65_536, 299_999];
    for (const name of ["SHA-1", "SHA-256", "SHA-384", "SHA-512"]) {
      const got = valueOf(await sandbox.call<string[]>("main.digests", { args: [name, lengths] }));
      const expected = lengths.map((length) =>
        createHash(name.replace("-", "")).update(bytes.subarray(0, length)).digest("hex"),
      );
      assert.deepEqual(got, expected, name);
    }
  });

  test("of a huge buffer ends with the run's time, and the sandbox goes on", async () => {
    const source = `export const huge = async () => {
      const bytes = new Uint8Array(60 * 2 ** 20);
      for (;;) await crypto.subtle.digest("SHA-512", bytes);
    };
    export const small = async () => (await crypto.subtle.digest("SHA-1", new Uint8Array(1))).byteLength;`;
    await using sandbox = await createMain(runtime, source, { timeoutMs: 300 });
    assertFailed(await sandbox.call("main.huge"), "timeout", "timeoutMs");
    assert.equal(valueOf(await sandbox.call("main.small", { timeoutMs: 300 })), 20);
  });
});

suite("random values", () => {
  const source = `export const draw = () => [crypto.randomUUID(), Math.random(), ...crypto.getRandomValues(new Uint8Array(20)),
    crypto.randomUUID(), crypto.getRandomValues(new Uint32Array(300)).join()];`;

  test("of two sandboxes, and of two runs, differ", async () => {
    await using one = await createMain(runtime, source);
    await using other = await createMain(runtime, source);
    const drawn = [await one.call("main.draw"), await one.call("main.draw"), await other.call("main.draw")];
    assert.equal(new Set(drawn.map((outcome) => JSON.stringify(valueOf(outcome)))).size, 3);
  });

  test("of a deterministic sandbox are those of its seed, in each run and in a replay", async () => {
    const create = (seed: number): Promise<Awaited<ReturnType<typeof createMain>>> =>
      runtime.create({ modules: { main: source }, deterministic: { seed, now: 0 } });
    await using one = await create(1);
    await using same = await create(1);
    await using other = await create(2);
    const first = await one.call("main.draw", { record: true });
    assert.deepEqual(valueOf(await one.call("main.draw")), valueOf(first));
    assert.deepEqual(valueOf(await same.call("main.draw")), valueOf(first));
    assert.notDeepEqual(valueOf(await other.call("main.draw")), valueOf(first));
    assert.equal((await other.replay(first.recording)).difference, null);
  });

  test("do not change the numbers of Math.random under a seed", async () => {
    const both = `export const plain = () => [Math.random(), Math.random()];
      export const mixed = () => [Math.random(), (crypto.randomUUID(), Math.random())];`;
    await using sandbox = await runtime.create({
      modules: { main: both },
      deterministic: { seed: 3, now: 0 },
    });
    assert.deepEqual(valueOf(await sandbox.call("main.mixed")), valueOf(await sandbox.call("main.plain")));
  });

  test("are there for a guest that has replaced the language's functions", async () => {
    const hostile = `Math.random = () => 0; String.fromCharCode = () => "x"; JSON.parse = () => 0;
      export const draw = () => [crypto.randomUUID(), crypto.randomUUID()];`;
    await using sandbox = await createMain(runtime, hostile);
    const [one, other] = valueOf(await sandbox.call<string[]>("main.draw"));
    assert.notEqual(one, other);
  });
});
