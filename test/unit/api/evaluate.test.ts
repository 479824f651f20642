// batch.evaluate(): a score for what was measured, a failure for what was not, and never the one for the other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unwrap, type BatchEvaluation } from "../../../src/index.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";
import { until } from "../../support/waiting.ts";

const runtime = await startRuntime();
const good = "export const square = (x: number) => x * x;";
const wrong = "export const square = (x: number) => x + x;";
const looping = "export const square = () => { while (true); };";
const throwing = 'export const square = () => { throw new RangeError("no"); };';

async function idsOf(...sources: readonly string[]): Promise<string[]> {
  const sandboxes = await Promise.all(sources.map((source) => createMain(runtime, source)));
  return sandboxes.map(({ id }) => id);
}

const scoreOf = (result: BatchEvaluation | undefined): number | string | undefined =>
  result === undefined ? undefined : result.ok ? result.score : result.error.kind;

test("evaluate() scores by a function on the host over each candidate, in input order", async () => {
  const ids = await idsOf(good, wrong, looping, throwing);
  const results = await runtime.batch.evaluate(
    ids,
    async (candidate) => unwrap(await candidate.call<number>("main.square", { args: [5] })),
    { timeoutMs: 500 },
  );
  assert.deepEqual(results.map(scoreOf), [25, 10, "timeout", "crashed"]);
  assert.deepEqual(
    results.map(({ sandboxId }) => sandboxId),
    ids,
  );
  assert.equal(results[0]?.usage.runs, 1);
});

test("evaluate() takes components beside the score, and calls by run and by module too", async () => {
  const [result] = await runtime.batch.evaluate(await idsOf(good), async (candidate) => {
    const main = candidate.module<{ square(x: number): number }>("main");
    const three = unwrap(await main.square(3));
    const four = unwrap(
      await candidate.run(
        (modules: { main: { square(x: number): number } }, x: number) => modules.main.square(x),
        {
          args: [4],
        },
      ),
    );
    return { score: three + four, components: { three, four } };
  });
  assert.ok(result?.ok);
  assert.deepEqual([result.score, result.components], [25, { three: 9, four: 16 }]);
  assert.equal(result.usage.runs, 2);
});

for (const [what, value] of [
  ["NaN", Number.NaN],
  ["infinity", Infinity],
  ["a text", "7"],
  ["nothing", undefined],
  ["an infinite component", { score: 1, components: { a: -Infinity } }],
] as const) {
  test(`evaluate() takes ${what} for a failure, not for a score`, async () => {
    const [result] = await runtime.batch.evaluate(await idsOf(good), () => value as number);
    assert.equal(scoreOf(result), "invalid-score");
  });
}

test("evaluate() tells a fitness function's own error from a candidate's failure", async () => {
  const heard: string[] = [];
  const stop = runtime.events.on("sandbox.evaluate.exception", ({ message }) => heard.push(message));
  const [result] = await runtime.batch.evaluate(await idsOf(good), () => {
    throw new TypeError("mine");
  });
  stop();
  assert.equal(scoreOf(result), "fitness-failed");
  assert.deepEqual(heard, ["Cannot score as the fitness function threw: TypeError: mine"]);
});

test("evaluate() gives a suite's share of the points, and what was wrong with each test that is not hidden", async () => {
  const suite = {
    tests: [
      { name: "two", call: "main.square", args: [2], expected: 4 },
      { name: "three", call: "main.square", args: [3], expected: 9, points: 2 },
      { name: "near", call: "main.square", args: [0.1], expected: 0.01, tolerance: 0.2 },
      {
        name: "checked",
        call: "main.square",
        args: [7],
        check: (answer: unknown) => answer === 49,
        hidden: true,
      },
    ],
  } as const;
  const [right, half] = await runtime.batch.evaluate(await idsOf(good, wrong), suite);
  assert.equal(scoreOf(right), 1);
  assert.equal(scoreOf(half), 2 / 5);
  assert.deepEqual(
    half?.tests.map(({ name, passed, message }) => [name, passed, message]),
    [
      ["two", true, undefined],
      ["three", false, "the answer is not as expected: got 6"],
      ["near", true, undefined],
      ["checked", false, undefined],
    ],
  );
});

test("evaluate() fails a candidate at the first run of a suite that fails, unless that is to cost points only", async () => {
  const partly = "export const square = (x: number) => { if (x > 2) throw new Error(); return x * x; };";
  const tests = [1, 2, 3, 4].map((x) => ({
    name: `square of ${x}`,
    call: "main.square" as const,
    args: [x],
    expected: x * x,
  }));
  const [strict] = await runtime.batch.evaluate(await idsOf(partly), { tests });
  assert.ok(strict?.ok === false);
  assert.deepEqual([strict.error.kind, strict.error.test], ["crashed", "square of 3"]);
  const [lenient] = await runtime.batch.evaluate(await idsOf(partly), { tests, failedRun: "no-points" });
  assert.equal(scoreOf(lenient), 0.5);
  assert.equal(lenient?.tests[3]?.failure?.kind, "crashed");
});

test("evaluate() holds each test to its own time", async () => {
  const slow = { name: "slow", call: "main.square", expected: 1, timeoutMs: 30 } as const;
  const [result] = await runtime.batch.evaluate(await idsOf(looping), { tests: [slow] });
  assert.ok(result?.ok === false);
  assert.equal(result.error.kind, "timeout");
  assert.match(result.error.message, /^Cannot finish within timeoutMs, 30:/);
});

/** How many sandboxes the cells hold. */
const held = async (): Promise<number> =>
  (await runtime.metrics()).cells.reduce((sum, { sandboxes }) => sum + sandboxes, 0);

test("evaluate() asks a scorer in a sandbox of its own, which sees the answers, goes with the batch, and is no individual", async () => {
  const told = new Set<string>();
  const stop = runtime.events.onAny(({ name, event }) => {
    if (String((event as { sandboxId?: string }).sandboxId).startsWith("scorer")) told.add(name);
  });
  const ids = await idsOf(good, wrong, throwing);
  const before = await held();
  const results = await runtime.batch.evaluate(ids, {
    questions: [
      { call: "main.square", args: [3] },
      { call: "main.square", args: [4] },
    ],
    scorer: {
      modules: {
        judge: `const expected = [9, 16];
          export const score = (answers: number[]) => ({
            score: answers.filter((answer, index) => answer === expected[index]).length,
            components: { asked: answers.length },
          });`,
      },
      call: "judge.score",
    },
  });
  assert.deepEqual(results.map(scoreOf), [2, 0, "crashed"]);
  assert.deepEqual(results[0]?.ok === true && results[0].components, { asked: 2 });
  await until("the scorer is gone", async () => (await held()) === before);
  stop();
  assert.deepEqual([...told].sort(), ["sandbox.run.start", "sandbox.run.stop"]);
  assert.deepEqual(await runtime.list({ labels: { role: "scorer" } }), []);
});

test("evaluate() fails every candidate as fitness-failed when the scorer is broken, and leaves no record of it", async () => {
  const [result] = await runtime.batch.evaluate(await idsOf(good), {
    questions: [{ call: "main.square", args: [3] }],
    scorer: { modules: { judge: "export const score = (" }, call: "judge.score" },
  });
  assert.equal(scoreOf(result), "fitness-failed");
  assert.deepEqual(await runtime.list({ labels: { role: "scorer" } }), []);
});

test("evaluate() lets only those into a later stage that reached what the one before asks for", async () => {
  const asked: string[] = [];
  const results = await runtime.batch.evaluate(await idsOf(good, wrong, throwing), {
    stages: [
      {
        name: "quick",
        fitness: { tests: [{ name: "five", call: "main.square", args: [5], expected: 25 }] },
        atLeast: 1,
      },
      {
        name: "slow",
        fitness: async (candidate) => {
          asked.push(candidate.id);
          return unwrap(await candidate.call<number>("main.square", { args: [10] }));
        },
      },
    ],
  });
  assert.deepEqual(results.map(scoreOf), [100, "stage", "crashed"]);
  assert.deepEqual(asked, [results[0]?.sandboxId]);
  assert.deepEqual(
    results.map(({ stages }) => stages.map(({ name, score, passed }) => [name, score, passed])),
    [
      [
        ["quick", 1, true],
        ["slow", 100, true],
      ],
      [["quick", 0, false]],
      [],
    ],
  );
  assert.ok(results[2]?.ok === false && results[2].error.stage === "quick");
});

test("evaluate() measures repeatedly and tells the noise", async () => {
  const counting = "let calls = 0; export const next = () => ++calls;";
  const [result] = await runtime.batch.evaluate(
    await idsOf(counting),
    async (candidate, { repeat }) => ({
      score: unwrap(await candidate.call<number>("main.next")),
      components: { repeat },
    }),
    { repeats: 5, summary: "median" },
  );
  assert.ok(result?.ok);
  assert.deepEqual([result.score, result.components], [3, { repeat: 2 }]);
  assert.deepEqual(result.noise?.samples, [1, 2, 3, 4, 5]);
  assert.equal(result.noise?.constant, false);
});

test("evaluate() turns failures into scores only when told so, and still says what they were", async () => {
  const ids = await idsOf(throwing);
  const [result] = await runtime.batch.evaluate(
    ids,
    { tests: [{ name: "two", call: "main.square", args: [2], expected: 4 }] },
    { onFailure: { score: -1 } },
  );
  assert.ok(result?.ok);
  assert.deepEqual([result.score, result.mapped?.kind], [-1, "crashed"]);
  const { fitness } = await runtime.info(ids[0] as string);
  assert.deepEqual([fitness?.score, fitness?.result], [null, "crashed"]);
});
