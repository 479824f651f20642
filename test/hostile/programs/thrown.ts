// Programs that throw what harms the code that catches it, now or later.
import { called, whole, type Hostile } from "./program.ts";

export const thrown: readonly Hostile[] = [
  called("throws-proxy-that-spins", ["timeout"], "throw new Proxy({}, { get() { for (;;); } });"),
  called(
    "throws-proxy-prototype-spins",
    ["timeout"],
    "throw new Proxy({}, { getPrototypeOf() { for (;;); } });",
  ),
  called(
    "throws-proxy-of-everything",
    ["timeout"],
    "const h = new Proxy({}, { get: () => () => { for (;;); } }); throw new Proxy(function () {}, h);",
  ),
  called(
    "throws-revoked-proxy",
    ["crashed"],
    "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy;",
  ),
  called("throws-message-getter-spins", ["timeout"], "throw { get message() { for (;;); } };"),
  called(
    "throws-name-that-spins",
    ["timeout"],
    `const e = new Error("x"); e.name = { toString() { for (;;); } }; throw e;`,
  ),
  called(
    "throws-stack-getter-spins",
    ["timeout"],
    `const e = new Error("x"); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e;`,
  ),
  called(
    "throws-prepared-stack-spins",
    ["timeout", "crashed"],
    `Error.prepareStackTrace = () => { for (;;); }; throw new Error("x");`,
  ),
  called(
    "throws-text-that-spins",
    ["timeout", "crashed"],
    "throw { toString() { for (;;); }, [Symbol.toPrimitive]() { for (;;); } };",
  ),
  called("throws-long-message", ["crashed", "memory"], `throw new Error("x".repeat(2e7));`),
  called(
    "throws-long-stack",
    ["crashed", "memory"],
    `const e = new Error("x"); e.stack = "at vivarium:main:1:1\\n".repeat(1e6); throw e;`,
  ),
  called(
    "throws-deep-stack",
    ["crashed"],
    `Error.stackTraceLimit = Infinity; const f = (n) => { if (n === 0) throw new Error("deep"); f(n - 1); }; f(5000);`,
  ),
  called("throws-nothing", ["crashed"], "throw undefined;"),
  called("throws-null", ["crashed"], "throw null;"),
  called("throws-symbol", ["crashed"], `throw Symbol("x");`),
  called("throws-bigint-of-megabytes", ["crashed", "memory", "timeout"], "throw 1n << 30_000_000n;"),
  called(
    "throws-forged-timeout",
    ["crashed"],
    `const e = new Error("Script execution timed out."); e.kind = "timeout"; throw e;`,
  ),
  called(
    "throws-forged-disposal",
    ["crashed"],
    `throw new Error("Isolate was disposed during execution due to memory limit");`,
  ),
  called("throws-function", ["crashed"], "throw () => { for (;;); };"),
  called(
    "rejects-proxy-that-spins",
    ["timeout"],
    "return Promise.reject(new Proxy({}, { get() { for (;;); } }));",
  ),
  called("rejects-later-unheard", ["ok", "crashed"], `Promise.reject(new Error("unheard")); return 7;`, {
    value: 7,
  }),
  called(
    "rejects-proxy-unheard",
    ["ok", "crashed", "timeout"],
    "Promise.reject(new Proxy({}, { get() { for (;;); } })); return 7;",
  ),
  called(
    "rejects-many-unheard",
    ["ok", "crashed"],
    "for (let i = 0; i < 2000; i++) Promise.reject(i); return 7;",
  ),
  called(
    "rejects-again-and-again",
    ["ok", "crashed", "timeout"],
    "const again = () => { Promise.reject(1); setTimeout(again, 0); }; again(); return new Promise((resolve) => setTimeout(resolve, 50, 7));",
  ),
  called(
    "rejects-long-unheard",
    ["ok", "crashed", "memory"],
    `Promise.reject(new Error("x".repeat(2e7))); return 7;`,
  ),
  whole(
    "throws-while-it-is-awaited",
    ["crashed", "timeout"],
    "export const bomb = async () => { await null; throw new Proxy({}, { get(t, k) { if (k === 'then') return undefined; for (;;); } }); };",
  ),
];
