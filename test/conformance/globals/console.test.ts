// The console of guests: formats, groups, tables, counters and timers, and how each is bounded.
import assert from "node:assert/strict";
import { Console } from "node:console";
import { PassThrough } from "node:stream";
import { suite, test } from "node:test";
import { format } from "node:util";
import { assertFailed, valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();

/** What a sandbox's console gets from these statements. */
async function linesOf(statements: string): Promise<string[]> {
  await using sandbox = await createMain(runtime, `export const write = () => { ${statements} };`);
  const outcome = await sandbox.call("main.write");
  valueOf(outcome);
  return outcome.logs.map(({ text }) => text);
}

test("formats are those of Node, where values are shown alike", async () => {
  const cases: readonly (readonly unknown[])[] = [
    ["%s is %d years and %i days, %f", "Bob", 42, 3.9, "1.25"],
    ["%s %s", "one"],
    ["%s"],
    ["100%", 5],
    ["%% %s", "x"],
    ["%%"],
    ["%x %s", "x"],
    ["%d %d %d", "12", "x", {}],
    ["%i %i", "12.9", "x"],
    ["%f", "x"],
    ["%j", { a: [1, "x"] }],
    ["%j", undefined],
    ["%c styled", "color: red"],
    ["%s %s %s", null, undefined, true],
    ["%s", -0],
    ["%d", -0],
    ["a", 1, "b"],
    ["%s", "x", "y", 1],
    ["%d", ""],
    ["%s", new Date(0)],
  ];
  const literal = (value: unknown): string =>
    value instanceof Date
      ? `new Date(${value.getTime()})`
      : Object.is(value, -0)
        ? "-0"
        : (JSON.stringify(value) ?? "undefined");
  const calls = cases.map((parts) => `console.log(${parts.map(literal).join(", ")});`);
  assert.deepEqual(
    await linesOf(calls.join("\n")),
    cases.map((parts) => format(...parts)),
  );
});

test("values that Node shows in other words are shown as the console shows them", async () => {
  assert.deepEqual(
    await linesOf(`console.log("%o|%O|%s", { a: [1] }, { b: 1 }, { c: { d: 1 } });
      console.log("%s|%d|%i", 5n, 5n, 5n); console.log("%s", Symbol("x")); console.log("%s", { toString: () => "own words" });
      const round = {}; round.self = round; console.log("%j", round); console.log("%s", { toString() { throw 1; } });
      console.log("%d", Symbol("x")); console.log("%s", () => 1);`),
    [
      "{ a: [1] }|{ b: 1 }|{ c: [object] }",
      "5n|5n|5n",
      "Symbol(x)",
      "own words",
      "[Circular]",
      "[unprintable]",
      "NaN",
      "[function (anonymous)]",
    ],
  );
});

test("tables are drawn as Node draws them", async () => {
  const stream = new PassThrough({ encoding: "utf8" });
  const own = new Console(stream);
  const values = [
    [1, 2],
    [
      { a: 1, b: 2 },
      { a: 3, c: 4 },
    ],
    { x: { n: 1 }, y: { n: 2 } },
    [
      [1, 2],
      [3, 4],
    ],
    [1, { a: 2 }],
    [],
    {},
  ];
  const calls = values.map((value) => `console.table(${JSON.stringify(value)});`);
  for (const value of values) own.table(value);
  own.table([{ a: 1, b: 2 }], ["b"]);
  own.table(5);
  const expected = String(stream.read());
  const got = await linesOf(`${calls.join("")} console.table([{ a: 1, b: 2 }], ["b"]); console.table(5);`);
  assert.equal(`${got.join("\n")}\n`, expected);
});

test("groups indent every line, and end where they are ended", async () => {
  assert.deepEqual(
    await linesOf(`console.group("a", 1); console.log("x\\ny"); console.groupCollapsed(); console.warn("deep"); console.groupEnd();
      console.groupEnd(); console.groupEnd(); console.log("out");`),
    ["a 1", "  x\n  y", "    deep", "out"],
  );
});

test("counters and timers have labels", async () => {
  const lines =
    await linesOf(`console.count(); console.count("a"); console.count("a"); console.countReset("a"); console.count("a");
    console.countReset("none"); console.time("t"); console.time("t"); console.timeLog("t", "more", 1); console.timeEnd("t"); console.timeEnd("t");`);
  assert.deepEqual(
    lines.map((line) => line.replace(/\d+ms/, "0ms")),
    [
      "default: 1",
      "a: 1",
      "a: 2",
      "a: 1",
      "Cannot reset counter none as there must be one: there is none",
      "Cannot start timer t as there must be none: there is one",
      "t: 0ms more 1",
      "t: 0ms",
      "Cannot read timer t as there must be one: there is none",
    ],
  );
});

test("dir shows as deep as it is told, and trace says where it was called", async () => {
  const [flat, whole, trace] = await linesOf(
    `const v = { a: { b: { c: { d: { e: { f: 1 } } } } } }; console.dir(v, { depth: 0 }); console.dir(v, { depth: null }); console.trace("%s", "here");`,
  );
  assert.equal(flat, "{ a: [object] }");
  assert.equal(whole, "{ a: { b: { c: { d: { e: { f: 1 } } } } } }");
  assert.match(trace ?? "", /^here\n {4}at write \(main:1:\d+\)$/);
});

test("virtual time is that of the console's timers", async () => {
  const main = `export const f = async () => { console.time("t"); await new Promise((resolve) => setTimeout(resolve, 5_000)); console.timeEnd("t"); };`;
  await using sandbox = await runtime.create({ modules: { main }, deterministic: { seed: 1, now: 0 } });
  const { logs } = await sandbox.call("main.f");
  assert.deepEqual(
    logs.map(({ text }) => text),
    ["t: 5000ms"],
  );
});

suite("a console that is abused", () => {
  test("draws tables of bounded size, whatever they are of", async () => {
    const lines = await linesOf(`
      console.table(Array.from({ length: 1e5 }, (_, i) => ({ ["k" + i]: "x".repeat(1e4) })));
      const round = []; round.push(round, { round }); console.table(round);
      console.table(new Proxy({}, { ownKeys() { throw 1; } }));
      console.table([new Proxy({}, { get() { throw 1; } })]);
      console.table(new Proxy([1], { ownKeys: () => { const keys = ["length"]; for (let i = 0; i < 1e5; i++) keys.push("k" + i); return keys; } }));
      console.table({ get a() { throw 1; } });
      console.table([["x".repeat(1e6)]]);`);
    assert.equal(lines.length, 7);
    for (const line of lines) assert.ok(line.length <= 65_537, `${line.length}`);
    assert.match(lines[1] ?? "", /circular/);
    assert.equal(lines[2], "[unprintable]");
  });

  test("indents groups of any depth by a bounded width", async () => {
    const [line] = await linesOf(
      `for (let i = 0; i < 1e5; i++) console.group(); console.log("x\\n".repeat(10)); for (let i = 0; i < 1e5; i++) console.groupEnd();`,
    );
    assert.equal(line?.split("\n")[0], " ".repeat(40) + "x");
  });

  test("formats no more than a line", async () => {
    const lines =
      await linesOf(`console.log("%s".repeat(1e5), ...Array.from({ length: 1e5 }, () => "x".repeat(1e3)));
      console.log("%j", Array.from({ length: 1e4 }, () => "x".repeat(100))); let v = [1]; for (let i = 0; i < 40; i++) v = [v, v]; console.dir(v, { depth: 50 });`);
    for (const line of lines) assert.ok(line.length <= 65_537, `${line.length}`);
  });

  test("keeps no more than a thousand labels", async () => {
    const source = `export const many = () => {
      for (let i = 0; i < 100_000; i++) console.time("x".repeat(200) + i);
      console.timeEnd("x".repeat(300));
    };
    export const few = () => { for (let i = 0; i < 1_001; i++) console.time("t" + i); console.timeEnd("t0"); console.timeEnd("t1000"); };`;
    await using sandbox = await createMain(runtime, source, {
      memoryBytes: 16 * 2 ** 20,
      outputBytes: 2 ** 26,
    });
    const { logs } = await sandbox.call("main.few");
    assert.match(logs.at(-2)?.text ?? "", /^Cannot read timer t0/);
    const outcome = await sandbox.call("main.many", { timeoutMs: 20_000 });
    valueOf(outcome);
  });

  test("ends with the run's output", async () => {
    await using sandbox = await createMain(
      runtime,
      "export const f = () => { for (;;) console.table([{ a: 1 }]); };",
      { outputBytes: 10_000 },
    );
    assertFailed(await sandbox.call("main.f"), "output-limit", "outputBytes");
  });
});
