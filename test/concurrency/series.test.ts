// A suite is under way, as series of cases, when something else happens to its sandbox: it is settled once, and repeated where that
// makes no difference.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { BatchEvaluation, Sandbox } from "../../src/index.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
// Each case takes a few milliseconds, so that there are several series.
const busy = (answer: string): string =>
  `export const f = (n) => { const end = Date.now() + 3; while (Date.now() < end); return ${answer}; };`;
const size = 40;

/** Evaluates a suite, and acts once the first of its series has ended. */
async function during(
  sandbox: Sandbox,
  act: () => unknown,
  options: { readonly signal?: AbortSignal } = {},
): Promise<{ readonly answers: readonly unknown[]; readonly result: BatchEvaluation }> {
  const answers: unknown[] = [];
  const tests = Array.from({ length: size }, (_, n) => ({
    name: String(n),
    call: "main.f" as const,
    args: [n],
    check: (answer: unknown) => answers.push(answer) > 0,
  }));
  let acted: unknown;
  const end = runtime.events.on("sandbox.run.stop", ({ sandboxId }) => {
    if (sandboxId !== sandbox.id || acted !== undefined) return;
    acted = act() ?? null;
  });
  const results = await runtime.batch.evaluate([sandbox.id], { tests }, options);
  end();
  await acted;
  assert.equal(results.length, 1);
  return { answers, result: results[0] as BatchEvaluation };
}

const scoreOf = (result: BatchEvaluation): unknown => (result.ok ? result.score : result.error);

suite("a suite that is under way", () => {
  test("ends once, without a score, when its sandbox is destroyed", async () => {
    const sandbox = await createMain(runtime, busy("n"));
    const { result, answers } = await during(sandbox, () => sandbox.destroy());
    assert.ok(!result.ok && ["not-running", "cancelled"].includes(result.error.kind), JSON.stringify(result));
    assert.ok(answers.length < size);
  });

  test("ends once as cancelled when its signal is aborted, and leaves the sandbox to others", async () => {
    const sandbox = await createMain(runtime, busy("n"));
    const controller = new AbortController();
    const { result } = await during(sandbox, () => controller.abort(), { signal: controller.signal });
    assert.ok(!result.ok);
    assert.equal(result.error.kind, "cancelled");
    assert.ok((await sandbox.call("main.f", { args: [1] })).ok);
  });

  test("has all its answers, in their order, when its cell is killed", async () => {
    const sandbox = await createMain(runtime, busy("n"));
    const { cells } = await runtime.metrics();
    const { result, answers } = await during(sandbox, () =>
      cells.map(({ pid }) => process.kill(pid, "SIGKILL")),
    );
    assert.equal(scoreOf(result), 1);
    assert.deepEqual(
      answers,
      Array.from({ length: size }, (_, n) => n),
    );
  });

  test("goes on with the new code after a reload, and has old code no more", async () => {
    const sandbox = await createMain(runtime, busy("1"));
    const { result, answers } = await during(sandbox, () => sandbox.hotReload({ main: busy("2") }));
    assert.equal(scoreOf(result), 1);
    assert.equal(answers.length, size);
    const old = answers.lastIndexOf(1) + 1;
    assert.deepEqual(answers, [...Array<number>(old).fill(1), ...Array<number>(size - old).fill(2)]);
    assert.equal(answers.at(-1), 2);
  });

  test("waits while its sandbox is suspended, and goes on when it is resumed", async () => {
    const sandbox = await createMain(runtime, busy("n"));
    const { result, answers } = await during(sandbox, async () => {
      await sandbox.suspend();
      await sandbox.resume();
    });
    assert.equal(scoreOf(result), 1);
    assert.equal(answers.length, size);
  });

  test("goes on in a new isolate when its sandbox is restarted", async () => {
    const sandbox = await createMain(runtime, busy("n"));
    const { result, answers } = await during(sandbox, () => sandbox.restart());
    assert.equal(scoreOf(result), 1);
    assert.equal(answers.length, size);
  });
});
