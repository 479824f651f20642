// batch.evaluate(), call() and run() of specs: what ends them in the middle leaves nothing of what they made.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  createRuntime,
  unwrap,
  type BatchSpec,
  type Candidate,
  type EvaluationFailure,
  type Runtime,
} from "../../../src/index.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const never = (): Promise<number> => new Promise(() => {});
const score = async (candidate: Candidate): Promise<number> =>
  unwrap(await candidate.call<number>("main.score"));

const scoring = (value: number): string => `export const score = () => ${value};`;
const specsOf = (...sources: readonly string[]): BatchSpec[] =>
  sources.map((main) => ({ modules: { main } }));
const endless = "while (true);";
const looping = "export const score = () => { while (true); };";

/** How each item ended, by the reason of its cancellation. */
function reasonsOf(
  results: readonly ({ readonly ok: true } | { readonly ok: false; readonly error: EvaluationFailure })[],
): (string | undefined)[] {
  return results.map((result) => (result.ok ? "ok" : (result.error.failure?.reason ?? result.error.kind)));
}

async function assertEmpty(of: Runtime): Promise<void> {
  assert.deepEqual(await of.list(), []);
  const metrics = await of.metrics();
  assert.deepEqual([metrics.runsUnderway, metrics.cells.map(({ sandboxes }) => sandboxes)], [0, [0]]);
}

suite("a batch of specs that is cut short leaves nothing", () => {
  test("while its candidates are compiled", async () => {
    const controller = new AbortController();
    const batch = runtime.batch.evaluate(specsOf(scoring(1), scoring(2), scoring(3)), score, {
      concurrency: 2,
      signal: controller.signal,
      keep: 3,
    });
    controller.abort();
    assert.deepEqual(reasonsOf(await batch), ["signal", "signal", "signal"]);
    await assertEmpty(runtime);
  });

  test("while they are loaded", async () => {
    const controller = new AbortController();
    const stop = runtime.events.on("sandbox.create.start", () => setImmediate(() => controller.abort()));
    const specs = specsOf(endless, endless, endless);
    const batch = runtime.batch.evaluate(specs, score, {
      concurrency: 2,
      signal: controller.signal,
      keep: 3,
    });
    assert.deepEqual(reasonsOf(await batch), ["signal", "signal", "signal"]);
    stop();
    assert.deepEqual(await runtime.list(), []);
  });

  test("while they run, at the deadline of the batch", async () => {
    const batch = runtime.batch.evaluate(specsOf(looping, looping, looping), score, {
      concurrency: 2,
      deadlineMs: 300,
      keep: () => true,
    });
    assert.deepEqual(reasonsOf(await batch), ["deadline", "deadline", "deadline"]);
    assert.deepEqual(await runtime.list(), []);
  });

  test("at the deadline of each, which counts from the start of its creation", async () => {
    const batch = runtime.batch.evaluate(
      specsOf(endless, scoring(1)),
      (candidate) => score(candidate).then(never),
      {
        itemDeadlineMs: 200,
        keep: () => true,
      },
    );
    assert.deepEqual(reasonsOf(await batch), ["deadline", "deadline"]);
    assert.deepEqual(await runtime.list(), []);
  });

  test("by its caller's own fitness function", async () => {
    const controller = new AbortController();
    const specs = specsOf(scoring(1), scoring(2), scoring(3));
    const cut = (): Promise<number> => {
      controller.abort();
      return never();
    };
    const results = await runtime.batch.evaluate(specs, cut, { concurrency: 1, signal: controller.signal });
    assert.deepEqual(reasonsOf(results), ["signal", "signal", "signal"]);
    await assertEmpty(runtime);
  });

  test("but for what was measured before, of which the best are kept", async () => {
    const controller = new AbortController();
    const specs = specsOf(scoring(1), scoring(5), scoring(3), looping, scoring(9));
    const fitness = async (candidate: Candidate, { index }: { readonly index: number }): Promise<number> => {
      if (index === 3) queueMicrotask(() => controller.abort());
      return score(candidate);
    };
    const results = await runtime.batch.evaluate(specs, fitness, {
      concurrency: 1,
      signal: controller.signal,
      keep: 2,
    });
    assert.deepEqual(reasonsOf(results), ["ok", "ok", "ok", "signal", "signal"]);
    assert.deepEqual(
      results.map(({ kept }) => kept),
      [false, true, true, false, false],
    );
    const left = (await runtime.list()).map(({ id }) => id);
    assert.deepEqual(left, [results[1]?.sandboxId, results[2]?.sandboxId]);
    await runtime.batch.destroy(left);
    await assertEmpty(runtime);
  });
});

suite("a batch of specs ends with its runtime", () => {
  for (const [when, sources] of [
    ["loaded", [endless, endless, scoring(1)]],
    ["run", [looping, looping, scoring(1)]],
  ] as const)
    test(`while candidates are ${when}`, async () => {
      const closing = await createRuntime({ cells: { count: 1, spare: 0, warm: 0 } });
      const event = when === "run" ? "sandbox.run.start" : "sandbox.create.start";
      closing.events.on(event, () => void setImmediate(() => void closing.close()));
      const batch = closing.batch.evaluate(specsOf(...sources), score, { concurrency: 2, keep: 2 });
      assert.deepEqual(reasonsOf(await batch), ["closed", "closed", "closed"]);
      assert.ok((await batch).every(({ kept }) => !kept));
      const calls = await closing.batch.call(specsOf(scoring(1)), "main.score").catch(() => "refused");
      assert.equal(calls, "refused");
      await closing.close();
    });

  test("while the sandboxes of calls are made", async () => {
    const closing = await createRuntime({ cells: { count: 1, spare: 0, warm: 0 } });
    closing.events.on("sandbox.create.start", () => void setImmediate(() => void closing.close()));
    const outcomes = await closing.batch.call(specsOf(endless, endless, scoring(1)), "main.score", {
      concurrency: 2,
    });
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.reason)),
      ["closed", "closed", "closed"],
    );
    await closing.close();
  });
});

test("a candidate that its caller destroys in the middle has a result, and the others go on", async () => {
  const specs = [{ id: "doomed", modules: { main: looping } }, ...specsOf(scoring(2))];
  const stop = runtime.events.on("sandbox.run.start", ({ sandboxId }) => {
    if (sandboxId === "doomed") setImmediate(() => void runtime.destroy("doomed"));
  });
  const results = await runtime.batch.evaluate(specs, score, { keep: () => true });
  stop();
  assert.deepEqual(reasonsOf(results), ["destroyed", "ok"]);
  assert.deepEqual(
    results.map(({ kept }) => kept),
    [false, true],
  );
  await runtime.destroy(results[1]?.sandboxId ?? "");
});

test("one of the best that its caller destroys meanwhile is not kept", async () => {
  const specs = specsOf(scoring(3), scoring(2), scoring(1));
  let first = "";
  const results = await runtime.batch.evaluate(
    specs,
    async (candidate, { index }) => {
      if (index === 0) first = candidate.id;
      if (index === 2) await runtime.destroy(first);
      return score(candidate);
    },
    { concurrency: 1, keep: 2 },
  );
  assert.deepEqual(
    results.map(({ kept }) => kept),
    [false, true, false],
  );
  await runtime.destroy(results[1]?.sandboxId ?? "");
  await assertEmpty(runtime);
});

test("a spec's own signal ends its creation alone", async () => {
  const controller = new AbortController();
  const stop = runtime.events.on("sandbox.create.start", () => setImmediate(() => controller.abort()));
  const specs = [{ modules: { main: endless }, signal: controller.signal }, ...specsOf(scoring(2))];
  const results = await runtime.batch.evaluate(specs, score);
  stop();
  assert.deepEqual(reasonsOf(results), ["signal", "ok"]);
  assert.deepEqual(await runtime.list(), []);
});

suite("batch.call() and run() of specs", () => {
  test("make a sandbox for each run and leave none", async () => {
    const args = (id: string, index: number): readonly unknown[] => [`${id} ${index}`];
    const specs = ["a", "b"].map((id) => ({ id, modules: { main: "export const f = (x) => x;" } }));
    const called = await runtime.batch.call<string>(specs, "main.f", { args });
    assert.deepEqual(called.map(unwrap), ["a 0", "b 1"]);
    assert.deepEqual(
      called.map(({ kept }) => kept),
      [false, false],
    );
    const ran = await runtime.batch.run(specs, (_modules, text: string) => text, { args: ["x"] });
    assert.deepEqual(ran.map(unwrap), ["x", "x"]);
    await assertEmpty(runtime);
  });

  test("keep what the caller's function chooses", async () => {
    const outcomes = await runtime.batch.call<number>(specsOf(scoring(1), scoring(2)), "main.score", {
      keep: (outcome) => outcome.ok && outcome.value === 2,
    });
    assert.deepEqual(
      outcomes.map(({ kept }) => kept),
      [false, true],
    );
    const sandbox = await runtime.get(outcomes[1]?.sandboxId ?? "");
    assert.equal(unwrap(await sandbox.call("main.score")), 2);
    await sandbox.destroy();
    await assertEmpty(runtime);
  });

  test("tell why a sandbox could not be made as the outcome of its run", async () => {
    const specs = [
      ...specsOf("export const = 1", "import './nowhere'", "throw new Error('top')"),
      { id: "twice", modules: { main: scoring(1) } },
      { id: "twice", modules: { main: scoring(2) } },
      { modules: {} },
    ];
    const outcomes = await runtime.batch.call(specs, "main.score", { keep: () => false });
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.error.kind)),
      ["compile", "load", "crashed", 1, "not-running", "not-running"],
    );
    await assertEmpty(runtime);
  });

  test("leave nothing when they are cut short", async () => {
    const options = { concurrency: 2, deadlineMs: 300, keep: () => true };
    const outcomes = await runtime.batch.call(specsOf(endless, looping, looping), "main.score", options);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.reason)),
      ["deadline", "deadline", "deadline"],
    );
    assert.deepEqual(await runtime.list(), []);
  });
});
