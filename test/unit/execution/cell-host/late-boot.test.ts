// A sandbox whose isolate is booted on another thread: what comes for it meanwhile waits, and nothing is lost or reported twice.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { HandlerBench } from "../../../support/handler-bench.ts";

async function bootingBench(): Promise<HandlerBench> {
  const at = new HandlerBench();
  at.load(1);
  at.bootsLate = true;
  at.load(2);
  await at.settle();
  return at;
}

suite("while an isolate is being booted", () => {
  test("runs of its sandbox wait for it, and those of others do not", async () => {
    const at = await bootingBench();
    const [own, other] = [at.run(2), at.run(1)];
    await at.settle();
    assert.deepEqual([at.ends().get(own), at.ends().get(other)], [undefined, ["answered"]]);
    at.booting.shift()?.();
    await at.settle();
    assert.deepEqual(at.ends().get(own), ["answered"]);
  });

  test("the slate says that operations sent later may have begun, once it is there", async () => {
    const at = await bootingBench();
    const later = at.run(1, { lane: "async" });
    await at.settle();
    at.booting.shift()?.();
    await at.settle();
    assert.deepEqual(at.begunUpTo, [later]);
  });

  test("a sandbox that is dropped is not loaded, and its load and runs are reported as gone", async () => {
    const at = await bootingBench();
    const load = at.lastOp;
    const run = at.run(2);
    at.handler.handle({ t: "drop", keys: [2] });
    at.booting.shift()?.();
    await at.settle();
    assert.deepEqual([at.ends().get(load), at.ends().get(run)], [["gone"], ["gone"]]);
    assert.equal(at.isolates.at(-1)?.isDisposed, true);
    assert.deepEqual(at.isolates.at(-1)?.inside, []);
  });
});
