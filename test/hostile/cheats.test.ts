// Candidates that attack the scorer, the clock or the data instead of the problem get no score for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unwrap, type BatchEvaluation, type Fitness } from "../../src/index.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime({ limits: { timeoutMs: 300 } });
const secret = [9, 16, 25];
const questions = [3, 4, 5].map((x) => ({ call: "main.square" as const, args: [x] }));

/** Each gives a wrong answer, 0 or what it could find, after it has tried something. */
const cheats: Readonly<Record<string, string>> = {
  "patches the intrinsics that a scorer uses": `
    Math.abs = () => 0; Math.sqrt = () => 0; Object.is = () => true; Number.isFinite = () => true;
    Array.prototype.filter = function () { return { length: 3 }; };
    Array.prototype.every = () => true; Array.prototype.reduce = () => 3; Array.prototype.map = () => [9, 16, 25];
    JSON.stringify = () => "[9,16,25]"; JSON.parse = () => 9;
    export const square = () => 0;`,
  "patches the prototypes of what it answers": `
    Object.prototype.score = 3; Number.prototype.valueOf = () => 9; Object.prototype.toString = () => "9";
    export const square = () => 0;`,
  "stops the clock": `
    Date.now = () => 0; performance.now = () => 0;
    globalThis.Date = class { static now() { return 0; } };
    export const square = () => 0;`,
  "looks for the scorer and its data from every name it has": `
    for (const name of ["score", "judge", "expected", "secret", "scorer", "process", "require", "module"])
      try { globalThis[name] = () => 3; } catch {}
    export const square = () => globalThis.expected?.[0] ?? globalThis.process?.env ?? 0;`,
  "imports the scorer": `
    export const square = async () => {
      for (const name of ["judge", "./judge.ts", "scorer", "node:fs", "vivarium"])
        try { return (await import(name)).expected[0]; } catch {}
      return 0;
    };`,
  "answers with an object that claims to be equal": `
    export const square = () => ({ valueOf: 9, score: 3, length: 3, ok: true, passed: true, points: 1 });`,
  "answers with a getter and a proxy": `
    export const square = (x) => x === 4
      ? new Proxy({}, { get: () => 16, has: () => true, ownKeys: () => [] })
      : { get score() { return 3; } };`,
  "answers with something that can be awaited": `
    export const square = () => ({ then(resolve) { resolve({ score: 3 }); } });`,
  "climbs the stack": `
    Error.prepareStackTrace = (_, frames) => frames;
    export const square = () => {
      const frames = new Error().stack;
      try { for (const frame of frames) frame.getFunction().caller.score = 3; } catch {}
      return 0;
    };`,
  "throws what looks like a verdict": `
    export const square = () => { throw { ok: true, score: 3, kind: "ok" }; };`,
};

const byFunction: Fitness = async (candidate) => {
  let right = 0;
  for (const [index, { call, args }] of questions.entries())
    if (unwrap(await candidate.call(call, { args })) === secret[index]) right++;
  return right;
};
const bySuite: Fitness = {
  tests: questions.map((question, index) => ({ ...question, name: `${index}`, expected: secret[index] })),
};
const byScorer: Fitness = {
  questions,
  scorer: {
    modules: {
      judge: `export const expected = ${JSON.stringify(secret)};
        export const score = (answers) => answers.filter((answer, index) => Object.is(answer, expected[index])).length;`,
    },
    call: "judge.score",
  },
};

for (const [how, fitness] of Object.entries({ byFunction, bySuite, byScorer })) {
  test(`no cheat gets a point, nor moves an honest neighbour's score, when scored ${how}`, async () => {
    const honest = await createMain(runtime, "export const square = (x) => x * x;");
    const created = await Promise.all(Object.values(cheats).map((source) => createMain(runtime, source)));
    const ids = [honest.id, ...created.map(({ id }) => id), honest.id];
    const results = await runtime.batch.evaluate(ids, fitness, { repeats: 2 });
    const full = how === "bySuite" ? 1 : 3;
    assert.deepEqual([shown(results[0]), shown(results.at(-1))], [full, full]);
    for (const [index, what] of Object.keys(cheats).entries()) {
      const result = results[index + 1];
      assert.ok(result?.ok !== true || result.score === 0, `a candidate that ${what} got ${shown(result)}`);
    }
    await runtime.batch.destroy([honest.id, ...created.map(({ id }) => id)]);
  });
}

test("a candidate that changes the time and randomness of its sandbox changes no other clock", async () => {
  const source =
    "Date.now = () => 0; performance.now = () => 0; export const square = () => { for (let i = 0; i < 1e5; i++); return 0; };";
  const { id } = await createMain(runtime, source);
  const [result] = await runtime.batch.evaluate([id], async (candidate) => {
    const outcome = await candidate.call("main.square");
    return outcome.usage.wallMs > 0 ? 1 : 0;
  });
  assert.equal(shown(result), 1);
  assert.ok(result !== undefined && result.evaluationMs > 0 && result.evaluatedAt > 1e12);
});

function shown(result: BatchEvaluation | undefined): number | string {
  return result === undefined ? "nothing" : result.ok ? result.score : result.error.kind;
}
