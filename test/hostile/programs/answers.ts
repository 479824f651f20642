// Programs whose result is the weapon: what they return runs when it is read, has no end, or is no data.
import { called, type Hostile } from "./program.ts";

const big: readonly ("output-limit" | "memory" | "timeout")[] = ["output-limit", "memory", "timeout"];

export const answers: readonly Hostile[] = [
  called("result-getter-spins", ["timeout"], "return { get x() { for (;;); } };"),
  called("result-getter-throws", ["crashed"], `return { get x() { throw new TypeError("no"); } };`),
  called(
    "result-getter-grows",
    [...big, "crashed", "unserializable"],
    `let n = 0; const make = () => ({ get next() { return n++ < 1e9 ? make() : 1; } }); return make();`,
  ),
  called("result-proxy-get-spins", ["timeout"], "return new Proxy({ a: 1 }, { get() { for (;;); } });"),
  called("result-proxy-keys-spin", ["timeout"], "return new Proxy({}, { ownKeys() { for (;;); } });"),
  called(
    "result-proxy-prototype-spins",
    ["timeout"],
    "return new Proxy({}, { getPrototypeOf() { for (;;); } });",
  ),
  called(
    "result-proxy-without-end",
    [...big, "ok"],
    "return new Proxy({}, { ownKeys: () => Array.from({ length: 1e6 }, (_, i) => `k${i}`), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (t, k) => (k === 'then' || k === 'toJSON' ? undefined : 1) });",
  ),
  called(
    "result-array-length-lies",
    [...big],
    "return new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 31 : k === 'then' || k === 'toJSON' ? undefined : 1) });",
  ),
  called(
    "result-array-length-grows",
    [...big],
    "let n = 1; return new Proxy([], { get: (t, k) => (k === 'length' ? ++n : k === 'then' || k === 'toJSON' ? undefined : 1) });",
  ),
  called("result-to-json-spins", ["timeout", "unserializable"], "return { toJSON() { for (;;); } };"),
  called("result-to-json-getter-spins", ["timeout"], "return { get toJSON() { for (;;); } };"),
  called("result-then-getter-spins", ["timeout"], "return { get then() { for (;;); } };"),
  called("result-then-spins", ["timeout"], "return { then() { for (;;); } };"),
  called("result-then-never", ["timeout"], "return { then() {} };"),
  called("result-then-itself", ["timeout"], "const t = { then(resolve) { resolve(t); } }; return t;"),
  called(
    "result-then-twice",
    ["ok"],
    "return { then(resolve, reject) { resolve(1); resolve(2); reject(3); throw 4; } };",
    { value: 1 },
  ),
  called("result-promise-of-getter", ["timeout"], "return Promise.resolve({ get x() { for (;;); } });"),
  called("result-cyclic", ["ok"], "const a = { list: [] }; a.self = a; a.list.push(a, [a]); return a;"),
  called("result-cyclic-map", ["ok"], "const m = new Map(); m.set(m, new Set([m])); return m;"),
  called(
    "result-deep",
    ["unserializable", "crashed"],
    "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a;",
  ),
  called(
    "result-wide",
    ["ok", ...big],
    "const o = {}; for (let i = 0; i < 4e5; i++) o[`key${i}`] = i; return o;",
  ),
  called(
    "result-diamonds",
    ["ok", ...big],
    "let a = [1]; for (let i = 0; i < 100; i++) a = [a, a]; return a;",
  ),
  called("result-long-text", ["output-limit"], `return "x".repeat(5e7);`),
  called("result-long-list", [...big], "return new Array(1e7).fill(1);"),
  called("result-many-objects", [...big, "ok"], "return Array.from({ length: 3e5 }, () => new Map());"),
  called("result-holes", ["output-limit"], "return new Array(2 ** 32 - 1);"),
  called("result-long-bigint", ["ok", ...big], "return 1n << 100_000_000n;"),
  called("result-many-bytes", ["output-limit"], "return new Uint8Array(2e7);"),
  called(
    "result-detached-bytes",
    ["ok", "crashed", "unserializable"],
    "const a = new Uint8Array(8); a.buffer.transfer(); return a;",
  ),
  called("result-function", ["unserializable"], "return () => 1;"),
  called("result-symbol", ["unserializable"], "return { s: Symbol('x') };"),
  called("result-promise-inside", ["unserializable"], "return [Promise.resolve(1)];"),
  called("result-generator", ["unserializable"], "return (function* () { yield 1; })();"),
  called(
    "result-key-of-megabytes",
    ["unserializable", "output-limit"],
    `return { ["k".repeat(3e7)]: () => 1 };`,
  ),
  called(
    "result-own-proto-key",
    ["ok"],
    `return JSON.parse('{"__proto__":{"polluted":1},"constructor":2}');`,
  ),
  called("result-looks-like-an-answer", ["ok"], `return "T[\\"Error\\",\\"forged\\",\\"\\"]";`, {
    value: 'T["Error","forged",""]',
  }),
  called(
    "result-error-with-causes",
    ["ok", "unserializable"],
    `const e = new Error("a"); e.cause = new Error("b", { cause: e }); return e;`,
  ),
  called("result-error-long", ["output-limit", "memory"], `return new Error("x".repeat(3e7));`),
  called(
    "result-regexps",
    ["unserializable", ...big],
    "return Array.from({ length: 1e5 }, (_, i) => new RegExp(`(?<n${i}>${i})`));",
  ),
  called("result-dates-invalid", ["ok"], "return [new Date(NaN), new Date(8.64e15)];"),
  called(
    "result-boxed",
    ["ok"],
    "return [Object(1), Object('x'), Object(1n), Object(true), Object(Symbol.iterator)].slice(0, 4);",
  ),
];
