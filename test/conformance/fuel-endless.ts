// Programs that would never end, and do their best not to: each is the body of an exported function `main`.

export interface EndlessProgram {
  readonly name: string;
  readonly body: string;
  /** Code before the function. */
  readonly before?: string;
  /** It loops in the engine itself, where nothing is counted: its time ends it. */
  readonly isUncounted?: true;
}

/** Loops in one turn of the engine. */
const loops: readonly EndlessProgram[] = [
  { name: "in a loop without a body", body: `for (;;);` },
  { name: "in a labelled loop", body: `again: for (;;) continue again;` },
  { name: "in try, caught again and again", body: `for (;;) try { for (;;); } catch {}` },
  { name: "in finally", body: `try { return 1; } finally { for (;;); }` },
  { name: "in try and in finally", body: `try { for (;;); } finally { for (;;); }` },
  { name: "in a catch that goes on", body: `try { for (;;); } catch { for (;;); }` },
  {
    name: "in a finally that throws its error away",
    body: `for (;;) { try { for (;;); } finally { continue; } }`,
  },
  {
    name: "in functions that call themselves in finally",
    before: `const f = (): void => { try { f(); } finally { f(); } };`,
    body: `for (;;) try { f(); } catch {}`,
  },
  {
    name: "in functions that call each other without end",
    before: `const ping = (): void => pong(), pong = (): void => ping();`,
    body: `for (;;) try { ping(); } catch {}`,
  },
  { name: "in a getter", body: `return ({ get x() { for (;;); } }).x;` },
  { name: "in a setter", body: `({ set x(_: number) { for (;;); } }).x = 1;` },
  { name: "in the callback of a regular expression", body: `return "a".replace(/a/g, () => { for (;;); });` },
  {
    name: "in a callback that is called for every letter",
    body: `return "a".repeat(1e6).replace(/a/g, () => "b");`,
  },
  { name: "in toString", body: "return `${{ toString() { for (;;); } }}`;" },
  { name: "in valueOf", body: `return { valueOf() { for (;;); } } as unknown as number > 1;` },
  { name: "in Symbol.toPrimitive", body: `return Number({ [Symbol.toPrimitive]() { for (;;); } });` },
  {
    name: "in Symbol.hasInstance",
    body: `return {} instanceof ({ [Symbol.hasInstance]() { for (;;); } } as never);`,
  },
  { name: "in a proxy's trap", body: `return (new Proxy({}, { get() { for (;;); } }) as { x: 1 }).x;` },
  {
    name: "in a proxy's trap for keys",
    body: `return Object.keys(new Proxy({}, { ownKeys() { for (;;); } }));`,
  },
  { name: "in a comparison", body: `return [2, 1].sort(() => { for (;;); });` },
  { name: "in toJSON", body: `return JSON.stringify({ toJSON() { for (;;); } });` },
  { name: "in what revives JSON", body: `return JSON.parse("[1]", () => { for (;;); });` },
  { name: "in a constructor", body: `return new (class { constructor() { for (;;); } })();` },
  { name: "in a static block", body: `return class { static { for (;;); } };` },
  {
    name: "in a field's initial value",
    body: `return new (class { x = ((): never => { for (;;); })(); })();`,
  },
  { name: "in a default parameter", body: `return ((a = ((): never => { for (;;); })()) => a)();` },
  {
    name: "in a pattern's default",
    body: `const { a = ((): never => { for (;;); })() } = {} as { a?: never }; return a;`,
  },
  { name: "in a tag of a template", body: "return ((_: unknown): never => { for (;;); })`text`;" },
  {
    name: "in an iterator",
    body: `for (const _ of { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) });`,
  },
  {
    name: "in an iterator of the engine's own functions",
    body: `for (const _ of { [Symbol.iterator]: () => ({ next: Object }) } as never);`,
  },
  {
    name: "in an iterator's return",
    body: `for (const _ of { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }), return() { for (;;); } }) }) break;`,
  },
  {
    name: "in what disposes",
    body: `{ using thing = { [Symbol.dispose]() { for (;;); } }; void thing; }`,
  },
  {
    name: "in a generator",
    before: `function* endless() { for (;;) yield 1; }`,
    body: `for (const _ of endless());`,
  },
  {
    name: "in a generator that is spread",
    before: `function* endless(): Generator<number> { yield 1; yield* endless(); }`,
    body: `return Math.max(...endless());`,
  },
  {
    name: "in a generator's finally",
    before: `function* endless() { try { yield 1; } finally { for (;;); } }`,
    body: `for (const _ of endless()) break;`,
  },
  { name: "in a getter of what it returns", body: `return { get x() { for (;;); } };` },
  { name: "in a proxy that it returns", body: `return new Proxy({}, { ownKeys() { for (;;); } });` },
  { name: "in a getter of what it throws", body: `throw { get message() { for (;;); } };` },
  {
    name: "in a proxy that it throws",
    body: `throw new Proxy({}, { get() { for (;;); }, getPrototypeOf() { for (;;); } });`,
  },
  {
    name: "in the error that tells it of its end",
    before: `globalThis.RangeError = class extends Error { constructor() { super(); for (;;); } } as never;`,
    body: `for (;;) try { for (;;); } catch {}`,
  },
  {
    name: "in what writes stacks",
    before: `(Error as { prepareStackTrace?: unknown }).prepareStackTrace = () => { for (;;); };`,
    body: `for (;;) try { null!.x; } catch (error) { String((error as Error).stack); }`,
  },
  {
    name: "in a regular expression",
    body: `return /^(a+)+$/.test("a".repeat(60) + "b");`,
    isUncounted: true,
  },
];

/** Loops that wait between their turns. */
const waits: readonly EndlessProgram[] = [
  { name: "in async code", body: `return (async () => { for (;;) await null; })();` },
  {
    name: "in async code that catches",
    body: `return (async () => { for (;;) try { await null; for (;;); } catch {} })();`,
  },
  {
    name: "in async code's finally",
    body: `return (async () => { try { await null; } finally { for (;;); } })();`,
  },
  {
    name: "in what follows a promise",
    body: `const again = (): Promise<void> => Promise.resolve().then(again, again); return again();`,
  },
  { name: "in what a promise makes", body: `return new Promise(() => { for (;;); });` },
  { name: "in a thenable that it returns", body: `return { then() { for (;;); } };` },
  {
    name: "in a thenable that settles with itself",
    body: `const then = (settle: (value: object) => void): void => settle({ then }); return { then };`,
  },
  { name: "in a microtask, with its answer given", body: `queueMicrotask(() => { for (;;); }); return 1;` },
  {
    name: "in microtasks that follow each other",
    body: `const again = (): void => queueMicrotask(again); again(); return 1;`,
  },
  {
    name: "in a generator that waits",
    body: `return (async () => { for await (const _ of (async function* () { for (;;) yield 1; })()); })();`,
  },
  { name: "in a timer", body: `return new Promise((settle) => setTimeout(() => { for (;;); settle(1); }));` },
  {
    name: "in a timer that catches",
    body: `return new Promise((settle) => setTimeout(() => { try { for (;;); } catch { settle(1); } }));`,
  },
  {
    name: "in timers that set the next one",
    body: `return new Promise(() => { const again = () => { setTimeout(again); }; again(); });`,
  },
  { name: "in a timer that repeats", body: `return new Promise(() => { setInterval(() => {}, 1); });` },
  {
    name: "in many timers at once",
    body: `return new Promise(() => { for (let i = 0; i < 10; i++) setInterval(() => { try { for (;;); } catch {} }, 1); });`,
  },
];

export const endlessPrograms: readonly EndlessProgram[] = [...loops, ...waits];
