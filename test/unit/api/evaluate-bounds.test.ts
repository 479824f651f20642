// batch.evaluate(): every evaluation ends, in time, is told, and wrong options are answered at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unwrap, type BatchEvaluation } from "../../../src/index.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";
import { mistakeOf } from "../../support/errors.ts";

const runtime = await startRuntime();
const good = "export const square = (x: number) => x * x;";
const wrong = "export const square = (x: number) => x + x;";
const looping = "export const square = () => { while (true); };";

async function idsOf(...sources: readonly string[]): Promise<string[]> {
  const sandboxes = await Promise.all(sources.map((source) => createMain(runtime, source)));
  return sandboxes.map(({ id }) => id);
}

const scoreOf = (result: BatchEvaluation | undefined): number | string | undefined =>
  result === undefined ? undefined : result.ok ? result.score : result.error.kind;

test("evaluate() ends a candidate at its own deadline, also when the fitness function never ends", async () => {
  const ids = await idsOf(good, looping);
  const signals: AbortSignal[] = [];
  const results = await runtime.batch.evaluate(
    ids,
    async (candidate, { signal }) => {
      signals.push(signal);
      await candidate.call("main.square", { args: [1] });
      return new Promise<number>(() => {});
    },
    { itemDeadlineMs: 150 },
  );
  for (const result of results) {
    assert.ok(!result.ok);
    assert.deepEqual([result.error.kind, result.error.failure?.reason], ["cancelled", "deadline"]);
    assert.match(result.error.message, /itemDeadlineMs, 150/);
  }
  assert.ok(signals.every(({ aborted }) => aborted));
  // The runs have ended with their evaluations: the sandbox that looped is free again or made anew.
  assert.equal((await runtime.metrics()).runsUnderway, 0);
});

test("evaluate() gives every item a result when the batch comes to its deadline or its signal is aborted", async () => {
  const ids = await idsOf(good, good, good);
  const options = { concurrency: 1, deadlineMs: 100 };
  const late = await runtime.batch.evaluate(ids, () => new Promise<number>(() => {}), options);
  assert.deepEqual(late.map(scoreOf), ["cancelled", "cancelled", "cancelled"]);
  const controller = new AbortController();
  const cut = runtime.batch.evaluate(
    ids,
    () => {
      controller.abort();
      return new Promise<number>(() => {});
    },
    { signal: controller.signal, concurrency: 1 },
  );
  assert.deepEqual(
    (await cut).map((result) => (result.ok ? 0 : result.error.failure?.reason)),
    ["signal", "signal", "signal"],
  );
});

test("evaluate() gives results as they finish, so that a slow candidate holds up no other", async () => {
  const ids = await idsOf(looping, good);
  const order: string[] = [];
  const batch = runtime.batch.evaluate(
    ids,
    async (candidate) => unwrap(await candidate.call<number>("main.square", { args: [2] })),
    { timeoutMs: 500 },
  );
  for await (const { sandboxId: id } of batch) order.push(id);
  assert.deepEqual(order, ids.toReversed());
});

test("evaluate() emits fitness.computed with score, revision and generation, and info has the latest", async () => {
  const heard: unknown[] = [];
  const stop = runtime.events.on("fitness.computed", (event) => heard.push({ ...event, durationMs: 0 }));
  const sandbox = await runtime.create({ modules: { main: good }, ancestry: { generation: 4 } });
  await sandbox.hotReload({ main: wrong });
  const [result] = await runtime.batch.evaluate([sandbox.id], async (candidate) =>
    unwrap(await candidate.call<number>("main.square", { args: [5] })),
  );
  stop();
  const common = {
    sandboxId: sandbox.id,
    result: "ok",
    population: "default",
    components: {},
    durationMs: 0,
    message: null,
    tests: [],
    createdAt: (await sandbox.info()).createdAt,
  };
  const evaluatedAt = result?.evaluatedAt;
  assert.deepEqual(heard, [{ ...common, score: 10, revision: 2, generation: 4, evaluatedAt }]);
  const { fitness } = await sandbox.info();
  const latest = { score: 10, result: "ok", revision: 2, components: {}, tests: [], message: null };
  assert.deepEqual(fitness, { ...latest, evaluatedAt, evaluationMs: result?.evaluationMs });
});

test("evaluate() fails an unknown id as not running", async () => {
  const [result] = await runtime.batch.evaluate(["nobody"], () => 1);
  assert.equal(scoreOf(result), "not-running");
});

test("evaluate() settles every item when the runtime is closed under it", async () => {
  const own = await startRuntime();
  const { id } = await createMain(own, good);
  const begun = Promise.withResolvers<void>();
  const batch = own.batch.evaluate([id, id], () => {
    begun.resolve();
    return new Promise<number>(() => {});
  });
  await begun.promise;
  await own.close();
  assert.deepEqual(
    (await batch).map((result) => (result.ok ? 0 : result.error.failure?.reason)),
    ["closed", "closed"],
  );
});

for (const [what, fitness, options, option] of [
  ["no fitness", undefined, {}, "fitness"],
  ["an empty suite", { tests: [] }, {}, "fitness.tests"],
  ["a test without a verdict", { tests: [{ name: "a", call: "main.f" }] }, {}, "fitness.tests[0]"],
  [
    "a test with two verdicts",
    { tests: [{ name: "a", call: "main.f", expected: 1, check: () => true }] },
    {},
    "fitness.tests[0]",
  ],
  [
    "a cascade within a cascade",
    { stages: [{ name: "a", fitness: { stages: [] } }] },
    {},
    "fitness.stages[0].fitness",
  ],
  ["an unknown option", () => 1, { repeat: 2 }, "options.repeat"],
  [
    "a failure score that is no number",
    () => 1,
    { onFailure: { score: Number.NaN } },
    "options.onFailure.score",
  ],
  ["a population without a name", () => 1, { population: "" }, "options.population"],
  ["a population with too long a name", () => 1, { population: "x".repeat(129) }, "options.population"],
  ["no repeats", () => 1, { repeats: 0 }, "options.repeats"],
] as const) {
  test(`evaluate() refuses ${what} with INVALID_OPTIONS`, async () => {
    const error = await mistakeOf(
      () => runtime.batch.evaluate([], fitness as never, options as never),
      "INVALID_OPTIONS",
    );
    assert.equal((error as { option?: string }).option, option);
  });
}

test("evaluate() and call() in a batch hold each run to its fuel, in sandboxes that count it", async () => {
  const source = "export const f = (n: number) => { for (let i = 0; i < n; i++); return n; };";
  const { id } = await createMain(runtime, source, { fuel: 1_000_000 });
  const tests = [10, 10_000].map((n) => ({ name: `${n}`, call: "main.f" as const, args: [n], expected: n }));
  const [result] = await runtime.batch.evaluate([id], { tests }, { fuel: 1_000 });
  assert.ok(result?.ok === false);
  assert.deepEqual([result.error.kind, result.error.test], ["fuel", "10000"]);
  const outcomes = await runtime.batch.call([id, id], "main.f", {
    fuel: 1_000,
    args: (_, index) => [index === 0 ? 10 : 10_000],
  });
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.error.kind)),
    [10, "fuel"],
  );
});
