// What guests write to their console: levels, formats, where it can be read, and that every line is there once.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../../../src/index.ts";
import { valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";
import { until } from "../../support/waiting.ts";

const runtime = await startRuntime();
const texts = (lines: readonly LogLine[]): string[] => lines.map(({ text }) => text);
const slowly = "{ const end = Date.now() + 120; while (Date.now() < end); }";

test("the console's functions write lines of their level", async () => {
  const source = `export const write = () => {
    for (const level of ["debug", "log", "info", "warn", "error", "trace"]) console[level](level, 1);
  };`;
  await using sandbox = await createMain(runtime, source);
  const { logs } = await sandbox.call("main.write");
  assert.deepEqual(
    logs.map(({ level, text }) => `${level}: ${text}`),
    [
      "debug: debug 1",
      "log: log 1",
      "info: info 1",
      "warn: warn 1",
      "error: error 1",
      "debug: trace 1\n    at write (main:2:91)",
    ],
  );
  for (const { at } of logs) assert.ok(Math.abs(at - Date.now()) < 60_000);
});

test("assert, count, dir and table write what they are asked to", async () => {
  const source = `export const write = () => {
    console.assert(true, "not this");
    console.assert(1 > 2, "one is", 1);
    console.count(); console.count("a"); console.count();
    console.dir({ a: 1 }); console.table([1, 2]);
  };`;
  await using sandbox = await createMain(runtime, source);
  const { logs } = await sandbox.call("main.write");
  assert.deepEqual(texts(logs), [
    "Assertion failed one is 1",
    "default: 1",
    "a: 1",
    "default: 2",
    "{ a: 1 }",
    "┌─────────┬────────┐\n│ (index) │ Values │\n├─────────┼────────┤\n│ 0       │ 1      │\n│ 1       │ 2      │\n└─────────┴────────┘",
  ]);
  assert.equal(logs[0]?.level, "error");
});

const formats: Readonly<Record<string, string>> = {
  '"text", "and more"': "text and more",
  '["text"]': '["text"]',
  "1, -0, 1.5, NaN": "1 -0 1.5 NaN",
  "5n, true, null, undefined": "5n true null undefined",
  "Symbol('s')": "Symbol(s)",
  "{}": "{}",
  "{ a: 1, b: { c: [1, 2] } }": "{ a: 1, b: { c: [1, 2] } }",
  "new Map([['a', 1]])": 'Map {"a" => 1}',
  "new Set([1, 'x'])": 'Set {1, "x"}',
  "new Date(0), new Date(NaN)": "1970-01-01T00:00:00.000Z Invalid Date",
  "/a+/g": "/a+/g",
  "new Uint8Array([1, 2])": "[1, 2]",
  "(() => { const a = {}; a.a = a; return a; })()": "{ a: [circular] }",
  "function named() {}": "[function named]",
  "new (class Point { x = 1 })()": "Point { x: 1 }",
  "{ get a() { throw 1; } }": "[unprintable]",
  "new Proxy({}, { ownKeys() { throw 1; } })": "[unprintable]",
};

test("values are shown on one line, whatever they are", async () => {
  const source = `export const write = () => {\n${Object.keys(formats)
    .map((values) => `console.log(${values});`)
    .join("\n")}\n};`;
  await using sandbox = await createMain(runtime, source);
  assert.deepEqual(texts((await sandbox.call("main.write")).logs), Object.values(formats));
});

test("an error is shown with its message, and a long line is cut", async () => {
  const source = `export const write = () => { console.log(new TypeError("odd")); console.log("x".repeat(100_000)); };`;
  await using sandbox = await createMain(runtime, source);
  const [error, long] = texts((await sandbox.call("main.write")).logs);
  assert.match(error ?? "", /^TypeError: odd/);
  assert.equal(long, "x".repeat(65_536) + "…");
});

test("an outcome has the last hundred lines of its run, and the sandbox keeps them all", async () => {
  await using sandbox = await createMain(
    runtime,
    "export const write = () => { for (let i = 0; i < 150; i++) console.log(i); };",
  );
  const { logs } = await sandbox.call("main.write");
  assert.deepEqual([logs.length, logs[0]?.text, logs.at(-1)?.text], [100, "50", "149"]);
  assert.equal((await sandbox.logs()).length, 150);
  assert.deepEqual(await runtime.logs(sandbox.id), await sandbox.logs());
});

test("each outcome has the lines of its own run only", async () => {
  await using sandbox = await createMain(runtime, "export const write = (text) => console.log(text);");
  for (const text of ["first", "second"])
    assert.deepEqual(texts((await sandbox.call("main.write", { args: [text] })).logs), [text]);
});

test("a run that fails has its lines too", async () => {
  await using sandbox = await createMain(
    runtime,
    `export const f = () => { console.warn("before"); throw 1; };`,
  );
  const outcome = await sandbox.call("main.f");
  assert.equal(outcome.ok, false);
  assert.deepEqual(texts(outcome.logs), ["before"]);
});

test("the lines of a first run that takes long are there once", async () => {
  const source = `export const f = (n) => { for (let i = 0; i < n; i++) console.log(i); ${slowly} };`;
  for (const lines of [1, 5_000]) {
    await using sandbox = await createMain(runtime, source);
    const outcome = await sandbox.call("main.f", { args: [lines] });
    valueOf(outcome);
    assert.deepEqual(
      texts(await sandbox.logs()),
      Array.from({ length: lines }, (_, n) => String(n)),
    );
  }
});

test("the lines of modules that take long to load are there once", async () => {
  await using sandbox = await createMain(runtime, `console.log("loading"); ${slowly} export {};`);
  assert.deepEqual(texts(await sandbox.logs()), ["loading"]);
});

test("the lines of code that runs once and takes long are told once", async () => {
  const told: string[] = [];
  const { output } = await runtime.once(`export default () => { console.log("once"); ${slowly} };`, {
    onOutput: ({ text }) => told.push(text),
  });
  assert.deepEqual([texts(output), told], [["once"], ["once"]]);
});

test("what timers write between runs is kept, and an error in one is told there", async () => {
  const source = `setTimeout(() => { console.info("tick"); throw new RangeError("in a timer"); }, 5); export {};`;
  await using sandbox = await createMain(runtime, source);
  const lines = await until("both lines are there", async () => {
    const kept = await sandbox.logs();
    return kept.length >= 2 ? kept : undefined;
  });
  assert.deepEqual([lines[0]?.level, lines[0]?.text, lines[1]?.level], ["info", "tick", "error"]);
  assert.match(lines[1]?.text ?? "", /^Uncaught in a timer: RangeError: in a timer/);
});

test("a rejection that nobody handles is told in the logs of the run and of the sandbox, in the source's lines", async () => {
  const source = `
    interface Odd { readonly what: string }
    export const atOnce = (): number => { void Promise.reject(new TypeError("at once")); return 1; };
    export const later = async (): Promise<number> => {
      void (async () => { await null; throw new RangeError("later"); })();
      await new Promise((done) => setTimeout(done, 5));
      return 2;
    };
    export const plain = (): number => { void Promise.reject({ what: "odd" } satisfies Odd); return 3; };
    export const worded = (): number => { void Promise.reject({ message: "worded", stack: 5 }); return 3; };
    export const text = (): number => { void Promise.reject("a text"); return 4; };
    export const handled = (): number => { Promise.reject(new Error("handled")).catch(() => {}); return 5; };`;
  await using sandbox = await createMain(runtime, source);
  const linesOf = async (name: string): Promise<unknown[]> => {
    const { ok, logs } = await sandbox.call(`main.${name}`);
    return [ok, ...logs.map(({ level, text }) => `${level} ${text}`)];
  };
  const told = "error Unhandled rejection:";
  assert.deepEqual(await linesOf("atOnce"), [true, `${told} TypeError: at once\n    at atOnce (main:3:63)`]);
  assert.deepEqual(await linesOf("later"), [true, `${told} RangeError: later\n    at main:5:45`]);
  assert.deepEqual(await linesOf("plain"), [true, `${told} a value that is no Error`]);
  // Without a frame of the cell's.
  assert.deepEqual(await linesOf("worded"), [true, `${told} Error: worded`]);
  assert.deepEqual(await linesOf("text"), [true, `${told} a text`]);
  assert.deepEqual(await linesOf("handled"), [true]);
  assert.equal((await sandbox.logs()).length, 5);
});

test("rejections that nobody handles never make a run fail for its output", async () => {
  const source = `export const f = (): number => { void Promise.reject(new Error("x".repeat(500))); return 1; };`;
  await using sandbox = await createMain(runtime, source, { outputBytes: 1_024 });
  for (let run = 0; run < 5; run++) assert.ok((await sandbox.call("main.f")).ok);
});

test("what a timer throws is told in the lines of the source", async () => {
  const source = `
    interface Unused { readonly a: number }
    export const f = async (): Promise<void> => {
      setTimeout(() => { throw new Error("late"); }, 1);
      await new Promise((done) => setTimeout(done, 5));
      console.error(new Error("own"));
    };`;
  await using sandbox = await createMain(runtime, source);
  const { logs } = await sandbox.call("main.f");
  assert.deepEqual(
    logs.map(({ text }) => text),
    ["Uncaught in a timer: Error: late\n    at main:4:32", "Error: own\n    at f (main:6:21)"],
  );
});

test("what timers of scripts and functions throw after their run is told in the lines of their source", async () => {
  await using session = await runtime.session();
  const linesOf = async (): Promise<string[]> => (await session.sandbox.logs()).map(({ text }) => text);
  const source = `const fail = (text: string): never => {
      throw new Error(text);
    };
    setTimeout(fail, 1, "late");`;
  await session.run(source);
  await until("its line is there", async () => (await linesOf()).length === 1);
  await session.sandbox.run(source.replace("late", "later"));
  await until("both lines are there", async () => (await linesOf()).length === 2);
  assert.deepEqual(await linesOf(), [
    "Uncaught in a timer: Error: late\n    at fail (script-1:2:13)",
    "Uncaught in a timer: Error: later\n    at fail (script:2:13)",
  ]);
});

test("what a module calls of a session is named as its script in stacks", async () => {
  const modules = { main: "export const f = () => globalThis.fail();" };
  await using session = await runtime.session({ modules });
  await session.run("\nconst fail = () => { throw new Error('there'); }");
  const outcome = await session.sandbox.call("main.f");
  assert.ok(!outcome.ok);
  assert.match(outcome.error.thrown?.stack ?? "", /at fail \(script-1:2:\d+\)\n    at f \(main:1:/);
});
