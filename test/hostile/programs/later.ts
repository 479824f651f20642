// Programs that do their work later: in microtasks, timers and finalizers, during a run or after it.
import { called, whole, type Hostile } from "./program.ts";

export const later: readonly Hostile[] = [
  called(
    "microtasks-without-end",
    // Each promise waits for the next: on a slow machine there is time for very many.
    ["timeout", "memory"],
    "const f = () => Promise.resolve().then(f); f(); return new Promise(() => {});",
  ),
  called(
    "microtasks-after-the-answer",
    ["ok", "timeout"],
    "const f = () => { Promise.resolve().then(f); }; f(); return 7;",
  ),
  called(
    "microtasks-queued-before-a-cut",
    ["timeout"],
    "const f = () => { Promise.resolve().then(f); }; f(); for (;;);",
  ),
  called(
    "queue-microtask-without-end",
    ["timeout", "ok"],
    "const f = () => queueMicrotask(f); f(); return 7;",
  ),
  called(
    "async-generator-without-end",
    ["timeout"],
    "return (async () => { for await (const _ of (async function* () { for (;;) yield 1; })()); })();",
  ),
  called(
    "promise-all-without-end",
    ["timeout", "memory"],
    "return Promise.all((function* () { for (;;) yield Promise.resolve(1); })());",
  ),
  called(
    "promise-chain-long",
    ["ok", "timeout", "memory"],
    "let p = Promise.resolve(0); for (let i = 0; i < 1e6; i++) p = p.then((n) => n + 1); return p;",
  ),
  called("promise-never", ["timeout"], "return new Promise(() => {});"),
  called("promise-race-of-nothing", ["timeout"], "return Promise.race([]);"),
  called(
    "from-async-without-end",
    ["timeout", "memory"],
    "return Array.fromAsync((async function* () { for (;;) yield 1; })());",
  ),
  called("timer-spins", ["timeout"], "return new Promise(() => setTimeout(() => { for (;;); }, 5));"),
  called("timer-spins-after-the-answer", ["ok"], "setTimeout(() => { for (;;); }, 5); return 7;", {
    value: 7,
    calm: ["ok", "timeout"],
  }),
  called(
    "timer-storm-and-spin",
    ["timeout"],
    "return new Promise(() => setTimeout(() => { const f = () => { Promise.resolve().then(f); }; f(); for (;;); }, 5));",
  ),
  called(
    "timer-grows",
    ["memory", "crashed"],
    "return new Promise(() => setTimeout(() => { const a = []; for (;;) a.push(new Array(1000).fill(1)); }, 5));",
    { timeoutMs: 3_000 },
  ),
  called(
    "timer-throws",
    ["ok"],
    `return new Promise((resolve) => { setTimeout(() => { throw new Proxy({}, { get: () => 1 }); }, 1); setTimeout(resolve, 30, 7); });`,
    { value: 7 },
  ),
  called(
    "timer-throws-proxy-that-spins",
    ["timeout"],
    "return new Promise(() => setTimeout(() => { throw new Proxy({}, { get() { for (;;); } }); }, 5));",
  ),
  called(
    "timers-ten-thousand",
    ["ok", "timeout"],
    "return new Promise((resolve) => { let left = 9000; for (let i = 0; i < 9000; i++) setTimeout(() => --left === 0 && resolve(7), 1); });",
    { timeoutMs: 3_000 },
  ),
  called("timers-too-many", ["crashed", "timeout"], "for (;;) setTimeout(() => 1, 1e6);"),
  called(
    "timers-that-set-timers",
    ["timeout"],
    "const f = () => { setTimeout(f, 0); setTimeout(f, 0); }; f(); return new Promise(() => {});",
    { calm: ["ok", "timeout", "crashed"] },
  ),
  called(
    "intervals",
    ["ok", "timeout"],
    "for (let i = 0; i < 500; i++) setInterval(() => i, 1); return new Promise((resolve) => setTimeout(resolve, 100, 7));",
  ),
  called(
    "timer-delay-odd",
    ["ok"],
    "return new Promise((resolve) => { for (const d of [NaN, -1, Infinity, '5', {}, null, 2 ** 40]) setTimeout(() => 1, d); setTimeout(resolve, 5, 7); });",
    { value: 7 },
  ),
  called("timer-of-text", ["crashed"], `setTimeout("for(;;);", 1);`),
  called(
    "timer-clears-others",
    ["ok"],
    "for (let i = -10; i < 1000; i++) clearTimeout(i); clearInterval({}); clearTimeout('1'); return 7;",
    { value: 7 },
  ),
  called(
    "timer-args-heavy",
    ["ok", "memory", "crashed", "timeout"],
    "for (let i = 0; i < 9000; i++) setTimeout(() => 1, 1e6, new Array(2000).fill(i)); return 7;",
    { calm: ["ok", "memory"] },
  ),
  called(
    "finalizer-spins",
    ["ok", "timeout", "memory"],
    "const r = new FinalizationRegistry(() => { for (;;); }); for (let i = 0; i < 2e5; i++) r.register({ big: new Array(50) }, i); return 7;",
    { calm: ["ok", "timeout", "memory"] },
  ),
  called(
    "finalizer-held-by-proxy",
    ["ok", "timeout", "memory"],
    "const r = new FinalizationRegistry((h) => h.x); const p = new Proxy({}, { get() { for (;;); } }); for (let i = 0; i < 1e5; i++) r.register({ big: new Array(50) }, p); return 7;",
    { calm: ["ok", "timeout", "memory"] },
  ),
  whole(
    "two-waits-one-spins",
    ["timeout"],
    "export const bomb = () => { setTimeout(() => { for (;;); }, 10); return new Promise((resolve) => setTimeout(resolve, 100)); };",
  ),
];

export const output: readonly Hostile[] = [
  called("console-flood", ["output-limit"], `for (;;) console.log("x".repeat(1000));`),
  called(
    "console-flood-caught",
    ["output-limit", "timeout"],
    `for (;;) try { console.log("x".repeat(1000)); } catch {}`,
  ),
  called("console-flood-of-nothing", ["output-limit", "timeout"], "for (;;) console.log();"),
  called("console-long-line", ["ok"], `console.log("x".repeat(5e7)); return 7;`, { value: 7 }),
  called(
    "console-many-arguments",
    ["ok", "output-limit"],
    `console.log(...Array.from({ length: 1e5 }, () => "x")); return 7;`,
  ),
  called("console-getter-spins", ["timeout"], "console.log({ get x() { for (;;); } });"),
  called("console-proxy-spins", ["timeout"], "console.log(new Proxy({}, { ownKeys() { for (;;); } }));"),
  called(
    "console-text-spins",
    ["timeout"],
    "console.log(Object.defineProperty(() => 1, 'name', { get() { for (;;); } }));",
  ),
  called(
    "console-cyclic",
    ["ok"],
    "const a = { list: [] }; a.list.push(a, new Map([[a, a]])); console.log(a); return 7;",
    { value: 7 },
  ),
  called(
    "console-counts",
    ["output-limit", "timeout", "memory"],
    "for (let i = 0; ; i++) console.count(`label ${i}`.repeat(100));",
  ),
  called("console-control-characters", ["ok"], `console.log("\\u001b[2J\\u0000\\u2028\\ud800"); return 7;`, {
    value: 7,
  }),
  called("console-in-a-timer", ["ok"], `setInterval(() => console.log("y".repeat(5000)), 1); return 7;`, {
    value: 7,
  }),
];
