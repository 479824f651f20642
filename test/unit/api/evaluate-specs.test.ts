// batch.evaluate() of specs: candidates are made, measured and destroyed as their turns come.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  unwrap,
  type BatchEvaluation,
  type BatchSpec,
  type Candidate,
  type Kept,
  type Runtime,
} from "../../../src/index.ts";
import { mistakeOf } from "../../support/errors.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();

function specOf(value: number | string, id?: string): BatchSpec {
  const source = typeof value === "string" ? value : `export const score = () => ${value};`;
  return { modules: { main: source }, ...(id === undefined ? {} : { id }) };
}

const score = async (candidate: Candidate): Promise<number> =>
  unwrap(await candidate.call<number>("main.score"));

const scoreOf = (result: BatchEvaluation): number | string => (result.ok ? result.score : result.error.kind);

const keptOf = (results: readonly Kept[]): number[] =>
  results.flatMap(({ kept }, index) => (kept ? [index] : []));

/** Nothing is left in a runtime but sandboxes of these ids. */
async function assertLeft(of: Runtime, ids: readonly string[] = []): Promise<void> {
  assert.deepEqual(
    (await of.list()).map(({ id }) => id),
    ids,
  );
  const metrics = await of.metrics();
  assert.equal(metrics.runsUnderway, 0);
  assert.equal(
    metrics.cells.reduce((sum, { sandboxes }) => sum + sandboxes, 0),
    ids.length,
  );
}

test("evaluate() makes the sandboxes of specs, measures them and leaves none of them", async () => {
  const results = await runtime.batch.evaluate([specOf(3), specOf(1, "one"), specOf(2)], score);
  assert.deepEqual(results.map(scoreOf), [3, 1, 2]);
  assert.equal(results[1]?.sandboxId, "one");
  assert.match(results[0]?.sandboxId ?? "", /^sandbox-/);
  assert.deepEqual(keptOf(results), []);
  assert.ok(results.every(({ revision }) => revision === 1));
  await assertLeft(runtime);
  assert.equal((await runtime.info("one")).status, "stopped");
});

test("evaluate() takes ids and specs in one list, and destroys only what it made", async () => {
  await using given = await createMain(runtime, "export const score = () => 7;");
  const results = await runtime.batch.evaluate([specOf(1), given.id, specOf(2)], score, {
    keep: () => false,
  });
  assert.deepEqual(results.map(scoreOf), [1, 7, 2]);
  assert.deepEqual(
    results.map(({ kept }) => kept),
    [false, false, false],
  );
  await assertLeft(runtime, [given.id]);
});

test("evaluate() of ids alone gives results without a word on keeping", async () => {
  await using given = await createMain(runtime, "export const score = () => 7;");
  const [result] = await runtime.batch.evaluate([given.id], score);
  assert.ok(result !== undefined && !("kept" in result));
});

test("evaluate() has at most `concurrency` of its sandboxes alive at a time", async () => {
  let most = 0;
  const specs = Array.from({ length: 12 }, (_, index) => specOf(index));
  await runtime.batch.evaluate(
    specs,
    async (candidate) => {
      const metrics = await runtime.metrics();
      most = Math.max(most, metrics.cells[0]?.sandboxes ?? 0, metrics.sandboxes.running ?? 0);
      return score(candidate);
    },
    { concurrency: 2 },
  );
  assert.equal(most, 2);
});

test("evaluate() gives a candidate whose code fails a result with what is wrong with it", async () => {
  const results = await runtime.batch.evaluate(
    [
      specOf("export const = 1"),
      specOf("import { missing } from 'other'; export const score = () => missing;"),
      specOf("throw new Error('top');"),
      specOf(1),
    ],
    score,
  );
  const failures = results.map((result) => (result.ok ? undefined : result.error));
  assert.deepEqual(
    failures.map((failure) => [failure?.kind, failure?.creation?.code, failure?.creation?.phase]),
    [
      ["not-created", "PARSE_FAILED", "parse"],
      ["not-created", "LOAD_FAILED", "link"],
      ["not-created", "LOAD_FAILED", "evaluate"],
      [undefined, undefined, undefined],
    ],
  );
  assert.equal(failures[0]?.creation?.diagnostics[0]?.module, "main");
  assert.equal(failures[2]?.failure?.thrown?.message, "top");
  await assertLeft(runtime);
});

test("evaluate() gives a candidate that the gate rejects a result", async () => {
  const spec = { ...specOf("export const score = () => eval('1');"), profile: "high" };
  const [result] = await runtime.batch.evaluate([spec], score);
  assert.ok(result?.ok === false);
  assert.deepEqual(
    [result.error.creation?.code, result.error.creation?.phase],
    ["SECURITY_REJECTED", "gate"],
  );
  await assertLeft(runtime);
});

test("evaluate() refuses an id that is in use or given twice, and measures the others", async () => {
  await using used = await createMain(runtime, "export const score = () => 7;");
  const specs = [specOf(1, used.id), specOf(2, "twice"), specOf(3, "twice"), specOf(4)];
  const results = await runtime.batch.evaluate(specs, score, { concurrency: 1 });
  assert.deepEqual(results.map(scoreOf), ["not-created", 2, "not-created", 4]);
  assert.deepEqual(
    results.map((result) => (result.ok ? "" : result.error.creation?.code)),
    ["SANDBOX_EXISTS", "", "SANDBOX_EXISTS", ""],
  );
  assert.equal(unwrap(await used.call("main.score")), 7);
  await assertLeft(runtime, [used.id]);
});

test("evaluate() gives each spec that is none a result of its own", async () => {
  const wrong = [
    { modules: {} },
    { modules: { main: "" }, limits: { timeoutMs: -1 } },
    { id: "", modules: { main: "" } },
  ];
  const results = await runtime.batch.evaluate([...wrong, specOf(1)], score);
  assert.deepEqual(
    results.map((result) => (result.ok ? result.score : result.error.creation?.code)),
    ["INVALID_OPTIONS", "INVALID_LIMITS", "INVALID_ID", 1],
  );
});

test("evaluate() gives what exceeds the capacity a result", async () => {
  const small = await startRuntime({ capacity: { sandboxes: 2 } });
  const specs = [specOf(1), specOf(2), specOf(3)];
  const results = await small.batch.evaluate(specs, score, { keep: 3, concurrency: 1 });
  assert.deepEqual(results.map(scoreOf), [1, 2, "not-created"]);
  assert.ok(results[2]?.ok === false && results[2].error.creation?.code === "CAPACITY_EXCEEDED");
  assert.equal((await small.batch.evaluate([specOf(1)], score, { keep: 0 })).length, 1);
});

test("evaluate() keeps the best, of equal scores the earlier in the list", async () => {
  const specs = [2, 5, 1, 5, 5, 0].map((value, index) => specOf(value, `best-${index}`));
  const results = await runtime.batch.evaluate(specs, score, { keep: 2 });
  assert.deepEqual(keptOf(results), [1, 3]);
  const sandbox = await runtime.get("best-1");
  assert.equal(unwrap(await sandbox.call("main.score")), 5);
  await assertLeft(runtime, ["best-1", "best-3"]);
  await runtime.batch.destroy(["best-1", "best-3"]);
  await assertLeft(runtime);
});

test("evaluate() keeps those with the least scores where that is better", async () => {
  const specs = [2, 5, 1, 0].map((value) => specOf(value));
  const results = await runtime.batch.evaluate(specs, score, { keep: { best: 2, direction: "minimise" } });
  assert.deepEqual(keptOf(results), [2, 3]);
  await runtime.batch.destroy(results.flatMap(({ kept, sandboxId }) => (kept ? [sandboxId] : [])));
});

test("evaluate() has no more sandboxes alive than are kept and measured", async () => {
  const living: number[] = [];
  const specs = Array.from({ length: 10 }, (_, index) => specOf((index * 7) % 10));
  const results = await runtime.batch.evaluate(
    specs,
    async (candidate) => {
      living.push((await runtime.list()).length);
      return score(candidate);
    },
    { concurrency: 1, keep: 2 },
  );
  assert.equal(Math.max(...living), 3);
  assert.deepEqual(
    results.flatMap((result) => (result.kept && result.ok ? [result.score] : [])),
    [8, 9],
  );
  await runtime.batch.destroy(results.flatMap(({ kept, sandboxId }) => (kept ? [sandboxId] : [])));
});

test("evaluate() does not count a failure among the best, also where a score replaces it", async () => {
  const specs = [specOf("export const score = () => { throw new Error('no'); };"), specOf(-1, "lone")];
  const results = await runtime.batch.evaluate(specs, score, { keep: 2, onFailure: { score: 100 } });
  assert.deepEqual(results.map(scoreOf), [100, -1]);
  assert.deepEqual(keptOf(results), [1]);
  await runtime.destroy("lone");
});

test("evaluate() keeps what the caller's function chooses, also a candidate that failed to load", async () => {
  const asked: (number | string)[] = [];
  const specs = [specOf(1), specOf(2, "chosen"), specOf("throw 1;", "broken"), specOf(3, "chosen")];
  const results = await runtime.batch.evaluate(specs, score, {
    concurrency: 1,
    keep: (result) => {
      asked.push(scoreOf(result));
      return result.sandboxId === "chosen" || result.sandboxId === "broken";
    },
  });
  assert.deepEqual(asked, [1, 2, "not-created"]);
  assert.deepEqual(keptOf(results), [1, 2]);
  assert.equal((await runtime.info("broken")).status, "failed");
  await assertLeftIds(["chosen", "broken"]);
  await runtime.batch.destroy(["chosen", "broken"]);
});

async function assertLeftIds(ids: readonly string[]): Promise<void> {
  assert.deepEqual(
    (await runtime.list()).map(({ id }) => id),
    ids,
  );
}

test("evaluate() takes a keep function that throws, or gives no answer, for the caller's mistake in that item", async () => {
  const keep = (result: BatchEvaluation): boolean => {
    if (scoreOf(result) === 1) throw new Error("no idea");
    return (scoreOf(result) === 2 ? undefined : false) as boolean;
  };
  const results = await runtime.batch.evaluate([specOf(1), specOf(2), specOf(3)], score, { keep });
  assert.deepEqual(results.map(scoreOf), ["fitness-failed", "fitness-failed", 3]);
  assert.ok(results[0]?.ok === false && /keep must not throw: .*no idea/.test(results[0].error.message));
  assert.ok(results[1]?.ok === false && /keep must return true or false: got/.test(results[1].error.message));
  await assertLeft(runtime);
});

test("evaluate() refuses a keep that is neither a number nor a function", async () => {
  for (const keep of [-1, 1.5, "best", { best: 1, direction: "up" }, {}, null])
    await mistakeOf(
      () => runtime.batch.evaluate([specOf(1)], score, { keep: keep as never }),
      "INVALID_OPTIONS",
    );
  await mistakeOf(
    () => runtime.batch.call([specOf(1)], "main.score", { keep: 1 as never }),
    "INVALID_OPTIONS",
  );
});

test("evaluate() passes results on as they come, and all are final when it is done", async () => {
  const specs = [1, 3, 2].map((value) => specOf(value));
  const batch = runtime.batch.evaluate(specs, score, { concurrency: 1, keep: 1 });
  assert.deepEqual(batch.progress, { done: 0, size: 3 });
  const seen: (readonly [number | string, boolean])[] = [];
  for await (const result of batch) seen.push([scoreOf(result), result.kept]);
  assert.deepEqual(seen.slice(0, 2), [
    [1, true],
    [3, true],
  ]);
  const results = await batch;
  assert.deepEqual(keptOf(results), [1]);
  assert.deepEqual(batch.progress, { done: 3, size: 3 });
  await runtime.destroy(results[1]?.sandboxId ?? "");
});
