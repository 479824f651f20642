// Programs that go deep.
import { called, type Hostile } from "./program.ts";

export const stack: readonly Hostile[] = [
  called("recursion", ["crashed"], "const f = () => f() + 1; return f();"),
  called("recursion-mutual", ["crashed"], "const f = () => g() + 1, g = () => f() + 1; return f();"),
  called("recursion-that-catches", ["timeout"], "function f() { try { f(); } catch { f(); } } f();"),
  called("recursion-in-getter", ["crashed"], "const o = { get x() { return this.x; } }; return o.x;"),
  called(
    "recursion-in-to-text",
    ["crashed"],
    "const o = { toString() { return `${this}`; } }; return `${o}`;",
  ),
  called(
    "recursion-in-proxy",
    ["crashed"],
    "const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x;",
  ),
  called(
    "recursion-in-json",
    ["crashed"],
    "const o = { toJSON: () => JSON.stringify(o) }; return JSON.stringify(o);",
  ),
  called(
    "recursion-async",
    ["crashed", "timeout", "memory"],
    "const f = async () => { await f(); }; return f();",
  ),
  called(
    "recursion-near-its-end",
    ["crashed", "ok"],
    `const f = () => { try { return f(); } catch { return JSON.stringify({ a: [new Date(0), /x/g] }) + new Intl.NumberFormat("en").format(1); } }; return f();`,
  ),
  called(
    "recursion-in-constructor",
    ["crashed"],
    "class A { constructor() { this.a = new A(); } } return new A();",
  ),
  called(
    "recursion-by-regex",
    ["crashed", "ok", "timeout"],
    `return /(?:(?:(?:a?)*)*)*b/.test("a".repeat(1e5));`,
  ),
  called(
    "arguments-beyond-count",
    ["crashed", "memory"],
    "return Function.prototype.apply.call(() => 1, null, new Array(2e7));",
  ),
  called(
    "flat-cyclic",
    ["crashed", "timeout", "memory"],
    "const a = []; a.push(a, a); return a.flat(Infinity);",
  ),
  called(
    "console-near-the-end",
    ["crashed", "ok", "output-limit"],
    "const f = () => { try { return f(); } catch { console.log({ a: { b: [1] } }); return 1; } }; return f();",
  ),
];
