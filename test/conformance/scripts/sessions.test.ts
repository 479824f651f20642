// Sessions keep what scripts declare, as a console or a notebook does.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptOutcome, Session } from "../../../src/index.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();

/** A script, and what it gives: its value, or the failure's message and first place. */
type Step = readonly [source: string, value: unknown, output?: readonly string[]];

const summaryOf = (outcome: ScriptOutcome): unknown =>
  outcome.ok ? outcome.value : [outcome.error.message, outcome.error.thrown?.stack.split("\n    at ")[1]];

async function follow(session: Session, steps: readonly Step[]): Promise<void> {
  for (const [source, value, output = []] of steps) {
    const outcome = await session.run(source);
    assert.deepEqual(summaryOf(outcome), value, `${outcome.script}: ${source}`);
    assert.deepEqual(
      outcome.output.map(({ text }) => text),
      output,
    );
    assert.equal(outcome.fresh, false);
  }
}

test("an analysis of data over several cells, with awaits in between", async () => {
  await using session = await runtime.session({
    modules: { stats: "export const mean = (xs) => xs.reduce((a, b) => a + b, 0) / xs.length;" },
  });
  await follow(session, [
    [
      `const csv = "city,temp\\nOslo,4\\nCairo,29\\nLima,19\\nOslo,6";
const [header, ...lines] = csv.split("\\n");
const rows = lines.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [header.split(",")[i], cell])));
rows.length`,
      4,
    ],
    [`const temps = rows.map(({ temp }) => Number(temp))`, undefined],
    [`import { mean } from "./stats"\nmean(temps)`, 14.5],
    [
      `const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let byCity: Record<string, number[]> = {};
for (const { city, temp } of rows) { await pause(1); (byCity[city] ??= []).push(Number(temp)) }
console.log(Object.keys(byCity).join())
byCity.Oslo`,
      [4, 6],
      ["Oslo,Cairo,Lima"],
    ],
    [`const means = Object.entries(byCity).map(([city, xs]) => [city, mean(xs)])`, undefined],
    [
      `means.toSorted((a, b) => b[1] - a[1])`,
      [
        ["Cairo", 29],
        ["Lima", 19],
        ["Oslo", 5],
      ],
    ],
    [`const rows = temps.filter((t) => t > 10); rows`, [29, 19]],
  ]);
});

test("a student who declares things again", async () => {
  await using session = await runtime.session();
  await follow(session, [
    [`const greet = (name) => "Hello " + name`, undefined],
    [`function welcome(names) { return names.map(greet).join(", ") }`, undefined],
    [`welcome(["Ann", "Bob"])`, "Hello Ann, Hello Bob"],
    [`const greet = (name) => "Hi " + name + "!"`, undefined],
    [`welcome(["Ann", "Bob"])`, "Hi Ann!, Hi Bob!"],
    [`let count = 0; function next() { return ++count }`, undefined],
    [`next(); next()`, 2],
    [`count = 10; next()`, 11],
    [`class Dog { speak() { return "Woof" } }\nconst rex = new Dog()`, undefined],
    [`class Dog { speak() { return "Wau" } }\nrex.speak() + new Dog().speak()`, "WoofWau"],
    [`function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }\nconst plain = fib\nfib.name`, "fib"],
    [`const seen = {}; fib = (n) => (seen[n] ??= plain(n)); fib(30)`, 832040],
    [`plain.toString()`, "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }"],
    [`for (var i = 0; i < 3; i++) {}\nvar j`, undefined],
    [`[i, typeof j, Object.keys(globalThis).includes("count")]`, [3, "undefined", true]],
    [`let [first, ...rest] = [1, 2, 3], { length: size = 0 } = rest`, undefined],
    [`[first, rest, size]`, [1, [2, 3], 2]],
  ]);
});

test("errors in the middle, and it goes on", async () => {
  await using session = await runtime.session();
  await follow(session, [
    [
      `const parse = (text) => {\n  const n = Number(text)\n  if (Number.isNaN(n)) throw new TypeError("not a number: " + text)\n  return n\n}`,
      undefined,
    ],
    [
      `let sum = 0\nfor (const text of ["1", "2", "x", "4"]) sum += parse(text)`,
      ["TypeError: not a number: x", "parse (script-1:3:30)"],
    ],
    [`sum`, 3],
    [`let value = parse("y")`, ["TypeError: not a number: y", "parse (script-1:3:30)"]],
    [`typeof value`, "undefined"],
    [`value = 5; value`, 5],
    [
      `const total: number = sum +;`,
      ["Cannot compile script-7 as it must be a program: Unexpected token (script-7:1:28)", undefined],
    ],
    [`\n\n  missing + 1`, ["ReferenceError: missing is not defined", "script-8:3:3"]],
    [`const parse = Number`, undefined],
    [`await Promise.reject(new Error("later"))`, ["Error: later", "script-10:1:22"]],
    [`parse("0x10") + sum`, 19],
    [
      `parse = 1`,
      ["TypeError: Cannot assign to read only property 'parse' of object '#<Object>'", "script-12:1:7"],
    ],
    [`return sum * 2`, 6],
  ]);
});

test("scripts of a session run one after the other, in the order in which they were given", async () => {
  await using session = await runtime.session();
  const outcomes = await Promise.all([
    session.run(`const log = []; await new Promise((go) => setTimeout(go, 20)); log.push("a")`),
    session.run(`log.push("b")`),
    session.run(`log.push("c"); log`),
  ]);
  assert.deepEqual(outcomes.map(summaryOf), [1, 2, ["a", "b", "c"]]);
  assert.deepEqual(
    outcomes.map(({ script }) => script),
    ["script-1", "script-2", "script-3"],
  );
});

test("arguments are there in the script that they were given to, and after it", async () => {
  await using session = await runtime.session();
  assert.deepEqual(summaryOf(await session.run("args")), []);
  assert.deepEqual(summaryOf(await session.run("args[0] + 1", { args: [1] })), 2);
  assert.deepEqual(summaryOf(await session.run("args")), [1]);
  assert.deepEqual(summaryOf(await session.run("const args = 5; args")), 5);
  assert.deepEqual(summaryOf(await session.run("args")), 5);
});

test("imports stay current when the modules of a session are reloaded", async () => {
  await using session = await runtime.session({
    modules: { main: "export const f = () => 1; export let n = 1;" },
  });
  assert.deepEqual(
    summaryOf(
      await session.run(`import { f, n as number } from "main"\nconst call = () => f();\n[call(), number]`),
    ),
    [1, 1],
  );
  await session.sandbox.hotReload({ main: "export const f = () => 2; export let n = 2;" });
  assert.deepEqual(summaryOf(await session.run("[call(), f(), number]")), [2, 2, 2]);
  assert.match(String(summaryOf(await session.run("number = 3"))), /Assignment to constant variable/);
});

test("what is lost with the isolate is said", async () => {
  await using session = await runtime.session({ limits: { memoryBytes: 16 * 2 ** 20 } });
  assert.equal((await session.run("let kept = 1")).fresh, false);
  const bomb = await session.run("const all = []; while (true) all.push(new Array(1000).fill(all.length))");
  assert.equal(bomb.ok ? "ok" : bomb.error.kind, "memory");
  const after = await session.run("typeof kept");
  assert.deepEqual([summaryOf(after), after.fresh], ["undefined", true]);
  assert.equal((await session.run("let kept = 2; kept")).fresh, false);
  await session.sandbox.restart();
  const restarted = await session.run("typeof kept");
  assert.deepEqual([summaryOf(restarted), restarted.fresh], ["undefined", true]);
});
