// structuredClone and performance of guests: as Node has them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { testAlike } from "../../support/alike.ts";
import { assertFailed, failureOf, valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const both = (value: string): string =>
  `((value) => [structuredClone(value), structuredClone(value) === value])(${value})`;

testAlike(runtime, "structuredClone copies", [
  ...["1", "'x'", "true", "null", "undefined", "5n", "NaN", "-0", "Infinity"].map(
    (value) => `structuredClone(${value})`,
  ),
  ...[
    "{ a: 1, b: { c: [1, 2] } }",
    "[1, , 3]",
    "Object.assign([1, 2], { x: 1 })",
    "new Array(5)",
    "new Date(5)",
    "new Date(NaN)",
    "new Map([[1, { a: 1 }], [{}, 2]])",
    "new Set([1, 'x', {}])",
    "/a+/giu",
    "Object.assign(/a/g, { lastIndex: 3 })",
    "new Uint8Array([1, 2, 3])",
    "new Float64Array([1.5, NaN])",
    "new BigInt64Array([1n])",
    "new Float16Array([1.5])",
    "new DataView(new ArrayBuffer(4), 1, 2)",
    "new Uint8Array([1, 2, 3, 4]).buffer",
    "new Uint16Array(new ArrayBuffer(8), 2, 2)",
    "Object(1)",
    "Object('x')",
    "Object(true)",
    "Object(5n)",
    "new Error('m')",
    "new TypeError('m', { cause: { a: 1 } })",
    "new AggregateError([1], 'm')",
    "Object.assign(new Error('m'), { name: 'RangeError' })",
    "Object.assign(new Error('m'), { extra: 1, code: 7 })",
    "new (class Point { x = 1; #y = 2; get z() { return 3; } })()",
    "new (class Own extends Error {})('m')",
    "new (class Own extends Map {})([[1, 2]])",
    "Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 2 } })",
    "{ get a() { return 5; } }",
    "{ [Symbol('s')]: 1, a: 2 }",
    "Object.create(null)",
    "Object.freeze({ a: 1 })",
    "{ '__proto__': 1, ['__proto__']: 2 }",
    "new Error()",
    "Object.assign(new Date(3), { a: 1 })",
    "'\\ud800'",
    "new DOMException('m', 'AbortError')",
  ].map((value) => both(value)),
  "((a) => { a.self = a; a.list = [a]; return structuredClone(a); })({})",
  "((m) => { m.set(m, m); return structuredClone(m); })(new Map())",
  "((e) => { e.cause = e; return structuredClone(e).cause instanceof Error; })(new Error('m'))",
  "((shared) => { const c = structuredClone([shared, shared]); return c[0] === c[1]; })({})",
  "((buffer) => { const c = structuredClone([new Uint8Array(buffer, 1), new Uint8Array(buffer)]); return c[0].buffer === c[1].buffer; })(new ArrayBuffer(4))",
  "structuredClone(new RangeError('m')) instanceof RangeError",
  "structuredClone(new Error('m')).stack.split('\\n')[0]",
]);

testAlike(runtime, "structuredClone refuses", [
  ...[
    "() => 1",
    "class {}",
    "Symbol('s')",
    "Object(Symbol('s'))",
    "Promise.resolve(1)",
    "new WeakMap()",
    "new WeakSet()",
    "(function* () {})()",
    "new WeakRef({})",
    "new FinalizationRegistry(() => {})",
    "{ a: [() => 1] }",
    "new Intl.NumberFormat()",
    "new URL('http://a.example')",
    "new TextEncoder().encode",
  ].map((value) => `structuredClone(${value})`),
  "structuredClone()",
  "structuredClone({ get a() { throw new RangeError('mine'); } })",
  "structuredClone(((buffer) => (buffer.transfer(), buffer))(new ArrayBuffer(4)))",
  "structuredClone(((view) => (view.buffer.transfer(), view))(new Uint8Array(4)))",
]);

testAlike(runtime, "structuredClone transfers", [
  "((b) => { const c = structuredClone(b, { transfer: [b] }); return [c, b.byteLength, b.detached]; })(new Uint8Array([1, 2]).buffer)",
  "((v) => { const c = structuredClone({ v }, { transfer: [v.buffer] }); return [c.v, v.length]; })(new Uint8Array([1, 2]))",
  "((b) => { structuredClone(1, { transfer: [b] }); return b.detached; })(new ArrayBuffer(4))",
  "((b) => { try { structuredClone(() => 1, { transfer: [b] }); } catch {} return b.detached; })(new ArrayBuffer(4))",
  "((b) => structuredClone(b, { transfer: [b, b] }))(new ArrayBuffer(4))",
  "structuredClone(1, { transfer: [{}] })",
  "structuredClone(1, { transfer: 5 })",
  "structuredClone(1, {})",
  "structuredClone(1, null)",
  "structuredClone(1, undefined)",
]);

suite("structuredClone", () => {
  test("of what is nested too deep, or too large, fails with the guest alone", async () => {
    const source = `export const deep = () => { let v = 1; for (let i = 0; i < 1e5; i++) v = [v]; structuredClone(v); };
      export const large = () => { const all = []; const v = Array.from({ length: 1e4 }, (_, i) => ({ i })); for (;;) all.push(structuredClone(v)); };
      export const f = () => structuredClone([1]);`;
    await using sandbox = await createMain(runtime, source, { memoryBytes: 32 * 2 ** 20 });
    assert.match(failureOf(await sandbox.call("main.deep")).message, /RangeError/);
    assertFailed(await sandbox.call("main.large"), "memory", "memoryBytes");
    assert.deepEqual(valueOf(await sandbox.call("main.f")), [1]);
  });

  test("refuses what is of the runtime, as browsers do", async () => {
    const source = `export const f = () => [new AbortController().signal, new Event("x"), crypto, new URLSearchParams("a=1")].map((value) => {
      try { return structuredClone(value); } catch (error) { return error.name; }
    });`;
    await using sandbox = await createMain(runtime, source);
    assert.deepEqual(
      valueOf(await sandbox.call("main.f")),
      Array.from({ length: 4 }, () => "DataCloneError"),
    );
  });

  test("copies a proxy as what it shows", async () => {
    const source = `export const f = () => structuredClone(new Proxy({}, { ownKeys: () => ["a"], get: () => 5,
      getOwnPropertyDescriptor: () => ({ value: 5, enumerable: true, configurable: true }) }));`;
    await using sandbox = await createMain(runtime, source);
    assert.deepEqual(valueOf(await sandbox.call("main.f")), { a: 5 });
  });
});

testAlike(runtime, "performance works", [
  "[typeof performance.now(), typeof performance.timeOrigin, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 60_000, String(performance)]",
  "((m) => [m.name, m.entryType, m.startTime, m.duration, m.detail])(performance.mark('a', { startTime: 5, detail: { x: 1 } }))",
  "(performance.mark('b', { startTime: 5 }), performance.mark('c', { startTime: 9 }), ((m) => [m.name, m.entryType, m.startTime, m.duration, m.detail])(performance.measure('d', 'b', 'c')))",
  "((m) => [m.startTime, m.duration])(performance.measure('e', { start: 2, duration: 5 }))",
  "((m) => [m.startTime, m.duration])(performance.measure('e', { end: 7, duration: 5 }))",
  "performance.measure('f', 'nowhere')",
  "(performance.mark('g', { startTime: 3 }), performance.mark('g', { startTime: 1 }), performance.getEntriesByName('g').map((m) => m.startTime))",
  "(performance.mark('h'), performance.clearMarks('h'), performance.getEntriesByName('h').length)",
  "Object.keys(performance.mark('i', { startTime: 1 }).toJSON()).sort()",
]);

test("performance keeps the latest thousand entries", async () => {
  const source = `export const f = () => { for (let i = 0; i < 3_000; i++) performance.mark("m" + i); return performance.getEntries().length; };`;
  await using sandbox = await createMain(runtime, source);
  assert.equal(valueOf(await sandbox.call("main.f")), 1_000);
});
