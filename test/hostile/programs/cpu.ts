// Programs that take the processor: loops, and operations that the engine does not interrupt for long.
import { called, whole, type Hostile } from "./program.ts";

const slow = ["timeout", "memory", "crashed"] as const;

export const cpu: readonly Hostile[] = [
  called("spin", ["timeout"], "for (;;);"),
  called("spin-in-finally", ["timeout"], "try { for (;;); } finally { for (;;); }"),
  called("spin-that-catches", ["timeout"], "for (;;) { try { for (;;); } catch {} }"),
  called(
    "spin-with-calls",
    ["timeout"],
    "const f = (n) => n & 1 ? g(n + 1) : n + 1, g = (n) => f(n); for (let n = 0; ; ) n = f(n);",
  ),
  called("generator-without-end", ["timeout"], "function* g() { for (;;) yield 1; } for (const _ of g());"),
  called(
    "iterator-without-end",
    ["timeout", "memory"],
    "Array.from({ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }), length: 1 }).length;",
  ),
  called("regex-nested-plus", ["timeout"], `return /^(?:a+)+$/.test("a".repeat(64) + "!");`),
  called("regex-alternatives", ["timeout"], `return /^(?:(?:a|aa)+)+$/.test("a".repeat(64) + "!");`),
  called("regex-backreference", ["timeout"], String.raw`return /^(a*)*\1*b$/.test("a".repeat(64));`),
  called("regex-replace-callback", ["timeout"], `return "x".replace(/x/g, () => { for (;;); });`),
  called("sort-comparator-spins", ["timeout"], "return [3, 2, 1].sort(() => { for (;;); });"),
  called(
    "sort-inconsistent",
    ["timeout", "ok", "memory", "output-limit"],
    "return Array.from({ length: 2e6 }, (_, i) => i).sort(() => Math.random() - 0.5).length;",
  ),
  called("sort-sparse", [...slow, "ok"], "const a = []; a[2 ** 31] = 1; a[0] = 2; return a.sort().length;"),
  called("bigint-power", slow, "let b = 3n; for (;;) b = b * b;"),
  called("bigint-to-text", [...slow, "ok"], "return String(1n << 60_000_000n).length;"),
  called("bigint-from-text", [...slow, "ok"], `return BigInt("9".repeat(8_000_000)) % 7n;`),
  called(
    "index-of-array-like",
    ["timeout"],
    "return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);",
  ),
  called("reverse-array-like", slow, "return Array.prototype.reverse.call({ length: 2 ** 40 }) === 1;"),
  called(
    "last-index-of-quadratic",
    [...slow, "ok"],
    `const a = "ab".repeat(3e5); return a.lastIndexOf("b" + a.slice(0, 3e5));`,
  ),
  called("locale-compare", slow, `const a = "\\u0439".repeat(2e6); for (;;) a.localeCompare(a + "x");`),
  called("normalize", slow, `const a = "\\u1e9b\\u0323".repeat(1e6); for (;;) a.normalize("NFKD");`),
  called("json-parse-long", ["ok", ...slow], `return JSON.parse("[" + "1,".repeat(6e6) + "1]").length;`),
  called("json-parse-deep", ["ok", ...slow], `JSON.parse("[".repeat(2e6) + "]".repeat(2e6)); return 1;`),
  called("date-parse", slow, `const t = "1".repeat(4e6); for (;;) Date.parse(t + "-");`),
  called(
    "segmenter",
    slow,
    `const s = new Intl.Segmenter("en", { granularity: "word" }); const t = "word ".repeat(1e6); for (;;) for (const _ of s.segment(t));`,
  ),
  called(
    "array-join-cyclic",
    ["ok", ...slow, "crashed"],
    "const a = []; for (let i = 0; i < 5e6; i++) a.push(a); return a.join().length;",
  ),
  called(
    "proxy-that-is-its-own-prototype",
    [...slow],
    "const p = new Proxy({}, { getPrototypeOf: () => p }); return p instanceof Array;",
  ),
  called("to-primitive-spins", ["timeout"], "return `${{ toString() { for (;;); } }}`;"),
  called("spread-of-holes", slow, "return Math.max(...new Array(5e7));"),
  called("date-loop-with-clock", ["timeout"], "while (performance.now() >= 0 && Date.now() > 0);"),
  whole(
    "quick-then-spins",
    ["timeout"],
    "let runs = 0; export const bomb = () => { if (runs++ > 1) for (;;); return runs; };",
    { times: 3 },
  ),
];
