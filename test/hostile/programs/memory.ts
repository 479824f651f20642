// Programs that take all memory, inside the heap and outside of it.
import { called, whole, type End, type Hostile } from "./program.ts";

const full = ["memory", "crashed"] as const;
const slowly: readonly End[] = ["memory", "crashed", "timeout"];

export const memory: readonly Hostile[] = [
  // The loop whose unrolled form ignores both deadline and limit.
  called("heap-unrolled-loop", full, "let a = []; while (true) a.push(new Array(1000).fill(1));", {
    timeoutMs: 3_000,
  }),
  called("heap-objects", slowly, "const a = []; for (let i = 0; ; i++) a.push({ i, self: a });"),
  called("heap-map", slowly, "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i });"),
  called("heap-strings", slowly, `const a = []; for (let i = 0; ; i++) a.push("x".repeat(1000) + i);`),
  called("heap-closures", slowly, "let f = () => 1; for (;;) { const g = f; f = () => g; }"),
  called("heap-symbols", slowly, `for (let i = 0; ; i++) Symbol.for("s" + i);`),
  called("heap-one-array", slowly, "return new Array(2e8).fill(0).length;"),
  called(
    "heap-grows-by-recursion",
    slowly,
    "const f = (n) => [new Array(1000).fill(n), f(n + 1)]; return f(0);",
  ),
  called(
    "heap-error-stacks",
    slowly,
    `Error.stackTraceLimit = Infinity; const a = []; const f = (n) => (n === 0 ? a.push(new Error("x").stack) : f(n - 1)); for (;;) f(5000);`,
  ),
  called(
    "heap-regexes",
    slowly,
    "const a = []; for (let i = 0; ; i++) a.push(new RegExp(`(${i}){1,50}x`).exec(`${i}x`));",
  ),
  whole(
    "heap-kept-over-runs",
    ["ok", ...full],
    "const kept = []; export const bomb = () => { for (let i = 0; i < 40; i++) kept.push(new Array(1e5).fill(i)); return kept.length; };",
    {
      calm: ["ok", ...full],
    },
  ),
  called("string-doubles", slowly, `let s = "x"; for (;;) s += s;`),
  called(
    "string-two-bytes-flat",
    [...slowly, "ok"],
    `const s = "\\u0439".repeat(2 ** 28); return s.charCodeAt(s.length - 1);`,
  ),
  called(
    "string-pads",
    slowly,
    `const a = []; for (let i = 0; ; i++) a.push("x".padEnd(2 ** 20 + i).trimStart());`,
  ),
  called("string-split", slowly, `return "x".repeat(2 ** 26).split("").length;`),
  called("string-upper", slowly, `let s = "\\u00df".repeat(2 ** 26); for (;;) s = s.toUpperCase();`),
  called("buffers-large", slowly, "const a = []; for (;;) a.push(new Uint8Array(2 ** 24).fill(1));"),
  called("buffers-small", slowly, "const a = []; for (;;) a.push(new ArrayBuffer(4096));"),
  called("buffer-one", full, "return new Uint8Array(2 ** 31).fill(7).length;", { timeoutMs: 3_000 }),
  called("buffer-resizable", ["crashed"], "return new ArrayBuffer(8, { maxByteLength: 2 ** 30 });"),
  called(
    "buffer-resizable-by-reflection",
    ["crashed"],
    "return Reflect.construct(Object.getPrototypeOf(class extends ArrayBuffer {}), [8, { maxByteLength: 2 ** 30 }], Object);",
  ),
  called(
    "buffer-species",
    ["ok", ...full],
    "const b = new ArrayBuffer(8); b.constructor = { [Symbol.species]: class extends ArrayBuffer { constructor(n) { super(n, { maxByteLength: 2 ** 30 }); } } }; return b.slice(0).resizable;",
  ),
  called("memory-shared", ["crashed"], "return new SharedArrayBuffer(2 ** 30).byteLength;"),
  called("memory-wasm", ["crashed"], "return new WebAssembly.Memory({ initial: 20000 }).buffer.byteLength;"),
  called(
    "intl-objects",
    slowly,
    `const a = []; for (;;) a.push(new Intl.DateTimeFormat("de", { dateStyle: "full" }).formatToParts(0), new Intl.Collator("sv"));`,
  ),
  called(
    "weak-references",
    slowly,
    "const a = []; for (;;) { const o = { big: new Array(100) }; a.push(o, new WeakRef(o)); }",
  ),
  called(
    "clone-of-much",
    [...slowly, "ok"],
    "const a = Array.from({ length: 3e5 }, (_, i) => ({ i })); const kept = []; for (let i = 0; i < 50; i++) kept.push(structuredClone(a)); return kept.length;",
  ),
  called("url-long", [...slowly, "ok"], `return new URL("http://host/" + "x".repeat(2 ** 26)).href.length;`),
  called(
    "text-encoder-long",
    [...slowly, "ok"],
    `return new TextEncoder().encode("x".repeat(2 ** 27)).length;`,
  ),
  called("split-beyond-limit", slowly, `return "x".repeat(2 ** 27 + 9).split("").length;`),
  called("match-beyond-limit", slowly, `return "x".repeat(2 ** 28).match(/x/g).length;`),
  called(
    "concat-spreadable",
    [...slowly, "ok"],
    "return [].concat(...Array.from({ length: 40 }, () => ({ length: 2 ** 26, [Symbol.isConcatSpreadable]: true }))).length;",
  ),
];

/** One-liners that end the whole process, each in its own way. */
export const fatal: readonly Hostile[] = [
  called(
    "fatal-to-sorted",
    ["crashed", "memory", "timeout"],
    "return Array.prototype.toSorted.call({ length: 2 ** 27 + 1 });",
  ),
  called("fatal-to-reversed", slowly, "return Array.prototype.toReversed.call({ length: 2 ** 28 });"),
  called("fatal-to-spliced", slowly, "return Array.prototype.toSpliced.call({ length: 2 ** 28 }, 1, 1);"),
  called("fatal-with", slowly, "return Array.prototype.with.call({ length: 2 ** 28 }, 0, 1);"),
  called(
    "fatal-array-length",
    [...slowly, "ok", "output-limit"],
    "const a = [1.5]; a.length = 2 ** 27; for (let i = 0; i < 2 ** 27; i += 4096) a[i] = 1.5; return a.toSorted().length;",
  ),
  called("fatal-entries-of-text", slowly, `return Object.entries(Object("x".repeat(2 ** 25))).length;`),
  whole(
    "fatal-in-a-timer",
    ["crashed", "timeout", "memory"],
    "export const bomb = () => new Promise(() => setTimeout(() => Array.prototype.toSorted.call({ length: 2 ** 27 + 1 }), 5));",
  ),
];
