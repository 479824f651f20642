// Stacks of code that came with different runs of one sandbox: each place is in the lines of the code that it belongs to.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome, Sandbox } from "../../../src/index.ts";
import { functionOf } from "../../support/guests.ts";
import { valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";
import { until } from "../../support/waiting.ts";

const runtime = await startRuntime();
const late = "interface X { a: number }\n\n\nsetTimeout(() => { throw new Error('late') }, 1); 1";
const lateLine = "Uncaught in a timer: Error: late\n    at script:4:26";

const textsOf = async (sandbox: Sandbox): Promise<string[]> => (await sandbox.logs()).map(({ text }) => text);

function stackOf(outcome: Outcome): string {
  assert.ok(!outcome.ok);
  return outcome.error.thrown?.stack ?? "";
}

test("what a script's timer throws after its run is told in its own lines where another script ran before", async () => {
  await using sandbox = await createMain(runtime, "");
  valueOf(await sandbox.run("0"));
  valueOf(await sandbox.run(late));
  await until("its line is there", async () => (await textsOf(sandbox)).length === 1);
  assert.deepEqual(await textsOf(sandbox), [lateLine]);
});

test("what a script's timer throws during the run of another script is told in its own lines", async () => {
  await using sandbox = await createMain(runtime, "");
  const source = `interface X { a: number }\n
globalThis.later = (done) => setTimeout(() => { done(); throw new Error("late"); }, 1); 1`;
  valueOf(await sandbox.run(source));
  valueOf(await sandbox.run("await new Promise((done) => later(done)); 2"));
  await until("its line is there", async () => (await textsOf(sandbox)).length === 1);
  assert.deepEqual(await textsOf(sandbox), ["Uncaught in a timer: Error: late\n    at script:3:63"]);
});

test("a function that an earlier script left behind throws in the lines of that script", async () => {
  await using sandbox = await createMain(runtime, "");
  const left = "interface X { a: number }\n\n\nglobalThis.boom = () => { throw new Error('left') }; 1";
  valueOf(await sandbox.run(left));
  const stack = stackOf(await sandbox.run("\nboom()"));
  assert.equal(stack, "Error: left\n    at script:4:33\n    at script:2:1");
});

test("what an earlier function left behind throws in the lines of that function", async () => {
  await using sandbox = await createMain(runtime, "");
  const leave = functionOf("() => {\n\n  globalThis.fail = () => { throw new Error('left'); };\n}");
  valueOf(await sandbox.run(leave));
  const stack = stackOf(await sandbox.run(functionOf("() => fail()")));
  assert.match(stack, /^Error: left\n    at #run:3:\d+\n    at default \(#run:1:\d+\)$/);
});
