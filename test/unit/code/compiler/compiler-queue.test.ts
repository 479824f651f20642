// The time of a compilation: cut when the compiler had it, and not when the machine did not let it work.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { suite, test } from "node:test";
import { processorMsOf } from "../../../../src/std/processor-time.ts";
import { CompilerStage, nextTurn } from "../../../support/compiler-stage.ts";

const compileMs = 40;

/** A queue whose compiler has this pid, is ready at once, and has one module to compile. */
function stageWith(pid: number | undefined): CompilerStage {
  const stage = new CompilerStage({ pid });
  stage.ask("first", { compileMs });
  stage.ready(0);
  return stage;
}

const answered = (id: number) => ({ id, ok: false, diagnostics: [] });
const late = { unanswered: "late" };

test("the kernel is asked for the processor time of a compiler once in each of its ticks, however many answers come", async (t) => {
  const stage = stageWith(process.pid);
  for (let n = 0; n < 20; n++) stage.ask(`${n}`, { compileMs });
  const asked = t.mock.method(fs, "readFileSync");
  syncBuiltinESMExports();
  t.after(() => {
    asked.mock.restore();
    syncBuiltinESMExports();
  });
  const answerSome = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      stage.process(0).answer(name);
      await nextTurn();
    }
  };
  await answerSome(["first", "0", "1", "2"]);
  const before = asked.mock.callCount();
  stage.clock.advance(10);
  await answerSome(["3", "4", "5", "6"]);
  assert.ok(before <= 1, `asked ${before} times within a tick`);
  assert.equal(asked.mock.callCount(), before + 1);
  await stage.close();
});

suite("a compilation", () => {
  test("is sent when there is at most one before it, and is blamed for a crash that comes before its answer", async () => {
    const stage = stageWith(undefined);
    for (const name of ["second", "third", "fourth"]) stage.ask(name, { compileMs });
    const process = stage.process(0);
    assert.deepEqual(process.written, ["first", "second"]);
    process.answer("first");
    await nextTurn();
    assert.deepEqual(process.written, ["first", "second", "third"]);
    process.die("SIGSEGV");
    await nextTurn();
    assert.deepEqual(stage.results, [
      ["first", answered(1)],
      ["second", { unanswered: "crashed", how: "SIGSEGV" }],
    ]);
    stage.ready(1);
    assert.deepEqual(stage.process(1).written, ["third", "fourth"]);
    await stage.close();
  });

  test("is late when its time is over and nothing is known of the processor", async () => {
    const stage = stageWith(undefined);
    await stage.pass(compileMs);
    assert.deepEqual(stage.results, [["first", late]]);
    assert.equal(stage.process(0).isKilled, true);
    await stage.close();
  });

  test("whose process gets nothing of the processor keeps its time, for half a minute and no longer", async () => {
    const idle = spawn("sleep", ["600"], { stdio: "ignore" });
    const stage = stageWith(idle.pid);
    for (let passedMs = 0; passedMs < 30_000; passedMs += 1_000) await stage.pass(1_000);
    assert.deepEqual(stage.results, []);
    await stage.pass(1_000);
    assert.deepEqual(stage.results, [["first", late]]);
    idle.kill("SIGKILL");
    await stage.close();
  });

  test("that did use the processor is late after its time", async () => {
    const stage = stageWith(process.pid);
    const startMs = processorMsOf(process.pid) ?? assert.fail("the system does not tell");
    while ((processorMsOf(process.pid) ?? 0) < startMs + compileMs);
    await stage.pass(compileMs);
    assert.deepEqual(stage.results, [["first", late]]);
    await stage.close();
  });

  test("whose answer is there and only our thread came late to it is not late", async () => {
    const stage = stageWith(undefined);
    stage.clock.advance(compileMs);
    stage.process(0).answer("first");
    await nextTurn();
    assert.deepEqual(stage.results, [["first", answered(1)]]);
    assert.equal(stage.process(0).isKilled, false);
    await stage.close();
  });

  test("is at fault when its process answers to another source", async () => {
    const stage = stageWith(undefined);
    stage.process(0).say(answered(17));
    await nextTurn();
    const how = "an answer to another source";
    assert.deepEqual(stage.results, [["first", { unanswered: "crashed", how }]]);
    assert.equal(stage.process(0).isKilled, true);
    await stage.close();
  });
});
