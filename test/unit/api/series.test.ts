// Suites are asked as series of cases, many in one entry. What a candidate gets for each case is what it gets by calls one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unwrap, type BatchEvaluation, type SandboxSpec } from "../../../src/index.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();

interface Asked {
  readonly call?: `${string}.${string}`;
  readonly args: readonly unknown[];
  readonly timeoutMs?: number;
}

type Limits = SandboxSpec["limits"];

async function make(main: string, limits: Limits = {}): Promise<string> {
  const [made] = await runtime.batch.create([{ modules: { main }, limits }]);
  assert.ok(made?.ok);
  return made.sandboxId;
}

const count = (size: number): readonly Asked[] => Array.from({ length: size }, (_, n) => ({ args: [n] }));

// What each case comes to: its value, or the kind and the message of its failure.
async function bySuite(
  id: string,
  cases: readonly Asked[],
): Promise<{ seen: unknown[]; result: BatchEvaluation }> {
  const values: unknown[] = [];
  const tests = cases.map(({ call = "main.f", args, timeoutMs }, index) => ({
    name: String(index),
    call,
    args,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    check: (answer: unknown) => {
      values[index] = { value: answer };
      return true;
    },
  }));
  const [result] = await runtime.batch.evaluate([id], { tests, failedRun: "no-points" });
  assert.ok(result?.ok, JSON.stringify(result));
  const seen = result.tests.map(({ failure }, index) =>
    failure === undefined ? values[index] : [failure.kind, failure.message],
  );
  return { seen, result };
}

async function oneByOne(
  id: string,
  cases: readonly Asked[],
): Promise<{ seen: unknown[]; result: BatchEvaluation }> {
  const seen: unknown[] = [];
  const [result] = await runtime.batch.evaluate([id], async (candidate) => {
    for (const { call = "main.f", args, timeoutMs } of cases) {
      const bound = timeoutMs === undefined ? {} : { timeoutMs };
      const outcome = await candidate.call(call, { args, ...bound });
      seen.push(outcome.ok ? { value: outcome.value } : [outcome.error.kind, outcome.error.message]);
    }
    return 1;
  });
  assert.ok(result?.ok, JSON.stringify(result));
  return { seen, result };
}

const text = "x".repeat(3_000);
const programs: readonly (readonly [what: string, main: string, cases: readonly Asked[], limits?: Limits])[] =
  [
    ["numbers", "export const f = (n) => n / 3;", count(600)],
    ["a variable that counts", "let c = 0; export const f = (n) => [n, ++c];", count(300)],
    [
      "what JSON cannot say",
      "export const f = (n) => [-0, NaN, undefined, 1n, new Map([[n, new Date(n)]])];",
      count(40),
    ],
    ["texts that fill a series", `export const f = (n) => ${JSON.stringify(text)} + n;`, count(60)],
    ["answers of any length", "export const f = (n) => '\\u0001\"'.repeat(n * 700);", count(30)],
    ["promises", "export const f = async (n) => { await null; return n * 2; };", count(50)],
    [
      "promises between values",
      "export const f = (n) => (n % 3 === 0 ? Promise.resolve(-n) : n);",
      count(50),
    ],
    [
      "timers between values",
      "export const f = (n) => (n % 4 === 0 ? new Promise((go) => setTimeout(go, 1, n)) : n);",
      count(20),
    ],
    [
      "rejections that nobody handles",
      "export const f = (n) => { if (n % 5 === 0) Promise.reject(new Error('left')); return n; };",
      count(30),
    ],
    [
      "throws of several kinds",
      "export const f = (n) => { if (n % 2) throw n % 3 ? new TypeError('odd ' + n) : new RangeError('three'); return n; };",
      count(40),
    ],
    ["results that are no data", "export const f = (n) => (n % 7 === 0 ? () => n : n);", count(30)],
    ["a promise without an end", "export const f = (n) => (n === 3 ? new Promise(() => {}) : n);", count(6)],
    [
      "several exports, one of which is missing",
      "export const f = (n) => n; export const g = (n) => -n;",
      count(40).map(({ args }, n) => ({
        args,
        call: (["main.f", "main.g", "main.h", "other.f"] as const)[n % 4] ?? "main.f",
      })),
    ],
    [
      "cases with times of their own",
      "export const f = (n) => { if (n % 10 === 9) for (;;); return n; };",
      count(20).map(({ args }, n) => ({ args, timeoutMs: n < 10 ? 100 : 40 })),
    ],
    [
      "a loop in the middle",
      "let c = 0; export const f = (n) => { c++; if (n === 13) for (;;); return c; };",
      count(30),
      { timeoutMs: 100 },
    ],
    [
      "fuel that some use up",
      "export const f = (n) => { let s = 0; for (let i = 0; i < n * 20; i++) s += i; return s; };",
      count(60),
      { fuel: 1_000 },
    ],
    [
      "what a guest patched",
      "Array.prototype.toJSON = () => 'mine'; JSON.parse = () => 'mine'; Array.prototype[Symbol.iterator] = null;" +
        "Object.defineProperty(Array.prototype, 0, { set() {}, get: () => 'mine', configurable: true });" +
        "Date.now = () => 0; export const f = (n) => ({ n });",
      count(50),
    ],
  ];

for (const [what, main, cases, limits] of programs) {
  test(`a suite has the answers and failures of calls one by one: ${what}`, async () => {
    const [first, second] = await Promise.all([make(main, limits), make(main, limits)]);
    const expected = await oneByOne(first, cases);
    const { seen, result } = await bySuite(second, cases);
    assert.deepEqual(seen, expected.seen);
    assert.equal(result.usage.runs, cases.length);
    assert.equal(result.usage.fuel, expected.result.usage.fuel);
    assert.equal((await (await runtime.get(second)).usage()).runs, cases.length);
  });
}

test("a suite has each of its runs in the events, with its own target and number", async () => {
  const id = await make("export const f = (n) => n; export const g = (n) => -n;");
  const started = new Set<number>();
  const stopped: string[] = [];
  const ends = [
    runtime.events.on("sandbox.run.start", ({ runId, sandboxId }) => sandboxId === id && started.add(runId)),
    runtime.events.on("sandbox.run.stop", ({ runId, sandboxId, target, result }) => {
      if (sandboxId === id && started.delete(runId)) stopped.push(`${target} ${result}`);
    }),
  ];
  await bySuite(id, [{ args: [1] }, { args: [2], call: "main.g" }, { args: [3] }]);
  for (const end of ends) end();
  assert.deepEqual(stopped.toSorted(), ["main.f ok", "main.f ok", "main.g ok"]);
  assert.equal(started.size, 0);
});

test("a suite costs a case that uses up its memory that case alone, and later cases have a new isolate", async () => {
  const main =
    "export const f = (n) => { const all = []; while (n === 37) all.push(new Array(10_000).fill(n)); return n; };";
  const id = await make(main, { memoryBytes: 16 * 2 ** 20 });
  const { seen } = await bySuite(id, count(60));
  const failed = seen.flatMap((each, n) => (Array.isArray(each) ? [[n, each[0] as unknown]] : []));
  assert.deepEqual(failed, [[37, "memory"]]);
});

test("a suite ends a candidate that keeps more and more as one that uses too much memory", async () => {
  const id = await make(
    "const all = []; export const f = (n) => { all.push(new Array(60_000).fill(n)); return n; };",
    { memoryBytes: 16 * 2 ** 20 },
  );
  const tests = count(200).map(
    ({ args }, n) => ({ name: String(n), call: "main.f", args, expected: n }) as const,
  );
  const [result] = await runtime.batch.evaluate([id], { tests });
  assert.ok(result?.ok === false);
  assert.equal(result.error.kind, "memory");
});

test("a suite leaves each console line with its case, and ends one that writes too much", async () => {
  const main =
    "export const f = (n) => { if (n % 4 === 1) console.log('line ' + n); if (n === 10) console.log('y'.repeat(2000)); return n; };";
  const id = await make(main, { outputBytes: 1_000 });
  const { seen } = await bySuite(id, count(14));
  assert.deepEqual(
    seen.flatMap((each, n) => (Array.isArray(each) ? [[n, each[0] as unknown]] : [])),
    [[10, "output-limit"]],
  );
  const lines = (await (await runtime.get(id)).logs()).map((line) => line.text.slice(0, 7));
  assert.deepEqual(lines, ["line 1", "line 5", "line 9", "yyyyyyy", "line 13"]);
});

test("a suite gives every candidate and every repeat arguments of its own", async () => {
  const main = "export const f = (list) => { list.push(0); return list.length; };";
  const ids = await Promise.all([make(main), make(main)]);
  const long = Array.from({ length: 500 }, (_, n) => n);
  const tests = [
    { name: "short", call: "main.f", args: [[1, 2]], expected: 3 },
    { name: "long", call: "main.f", args: [long], expected: 501 },
  ] as const;
  const results = await runtime.batch.evaluate(ids, { tests }, { repeats: 3 });
  assert.deepEqual(
    results.map((result) => result.ok && result.score),
    [1, 1],
  );
});

test("a suite whose arguments are longer than one of its sandboxes takes fails there alone", async () => {
  const main = "export const f = (text) => text.length;";
  const ids = await Promise.all([make(main, { argsBytes: 2_000 }), make(main)]);
  const tests = [10, 1_500, 3_000].map(
    (length) =>
      ({ name: `of ${length}`, call: "main.f", args: ["z".repeat(length)], expected: length }) as const,
  );
  const [short, long] = await runtime.batch.evaluate(ids, { tests });
  assert.ok(short?.ok === false && long?.ok === true);
  assert.equal(short.error.test, "of 3000");
  assert.match(short.error.message, /argsBytes, 2000/);
});

test("a strict suite runs no case after the one that fails", async () => {
  const id = await make(
    "let c = 0; export const seen = () => c; export const f = (n) => { c++; if (n === 5) throw 1; };",
  );
  const tests = count(50).map(
    ({ args }, n) => ({ name: String(n), call: "main.f", args, check: () => true }) as const,
  );
  const [result] = await runtime.batch.evaluate([id], { tests });
  assert.ok(result?.ok === false);
  assert.deepEqual([result.error.test, result.usage.runs], ["5", 6]);
  assert.equal(unwrap(await (await runtime.get(id)).call("main.seen")), 6);
});

test("a scorer gets the answers to all questions, in their order", async () => {
  const id = await make("export const f = (n) => n * n;");
  const questions = count(300).map(({ args }) => ({ call: "main.f", args }) as const);
  const scorer = {
    modules: {
      judge: "export const sum = (answers) => answers.reduce((s, a, n) => s + (a === n * n ? 1 : 0), 0);",
    },
    call: "judge.sum",
  } as const;
  const [result] = await runtime.batch.evaluate([id], { questions, scorer });
  assert.ok(result?.ok);
  assert.equal(result.score, 300);
});
