// What the meters of a cell see above the limit is a verdict, after garbage was collected and not before.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { HeapSample } from "../../../../src/execution/protocol/messages.ts";
import { usual, type FakeIsolate } from "../../../support/fake-isolate.ts";
import { HandlerBench } from "../../../support/handler-bench.ts";

const MiB = 2 ** 20;
const overBytes = 100 * MiB;

async function bench(): Promise<{ readonly at: HandlerBench; readonly isolate: FakeIsolate }> {
  const at = new HandlerBench();
  const isolate = at.load(1);
  await at.settle();
  return { at, isolate };
}

/** The guest's function takes this long and leaves so much behind. */
function holds(
  { at, isolate }: { readonly at: HandlerBench; readonly isolate: FakeIsolate },
  heapBytes: number,
  ms = 2,
): void {
  isolate.guest = (name) => {
    if (name === "call") {
      isolate.heapBytes = heapBytes;
      at.clock.advance(ms);
    }
    return usual[name];
  };
}

function samples(at: HandlerBench): readonly HeapSample[] {
  return at.reports.flatMap((report) => (report.t === "done" ? report.heaps : []));
}

/** Lets entries on lanes of their own come back as they usually do. */
async function answerAll(at: HandlerBench, isolate: FakeIsolate): Promise<void> {
  await at.settle();
  for (let each = isolate.inside.shift(); each !== undefined; each = isolate.inside.shift()) {
    each.answer(isolate.guest(each.name, each.args));
    await at.settle();
  }
}

suite("a sandbox that holds more than its limit", () => {
  for (const lane of ["sync", "slice", "async"] as const) {
    test(`ends its run on the ${lane} lane with memory, and its isolate with it`, async () => {
      const { at, isolate } = await bench();
      holds({ at, isolate }, overBytes);
      const op = at.run(1, { lane });
      await answerAll(at, isolate);
      assert.deepEqual([at.item(op)?.verdict, at.item(op)?.isLost], ["memory", true]);
      assert.deepEqual(at.ends().get(op), ["memory"]);
      assert.equal(isolate.isDisposed, true);
      assert.equal(samples(at).at(-1)?.heapBytes, overBytes);
    });

    test(`goes on after its run on the ${lane} lane where that was garbage, and only what is left is reported`, async () => {
      const { at, isolate } = await bench();
      holds({ at, isolate }, overBytes);
      isolate.onCompile = () => (isolate.heapBytes = MiB);
      const op = at.run(1, { lane });
      await answerAll(at, isolate);
      assert.deepEqual(at.ends().get(op), ["answered"]);
      assert.equal(isolate.isDisposed, false);
      assert.deepEqual([...new Set(samples(at).map(({ heapBytes }) => heapBytes))], [MiB]);
    });
  }

  test("collects no garbage while it is within its limit", async () => {
    const { at, isolate } = await bench();
    let compiled = 0;
    isolate.onCompile = () => void compiled++;
    holds({ at, isolate }, 31 * MiB);
    for (let runs = 0; runs < 10; runs++) at.run(1);
    await at.settle();
    assert.equal(compiled, 0);
  });

  test("is looked at after a millisecond of short runs in all", async () => {
    const { at, isolate } = await bench();
    holds({ at, isolate }, overBytes, 0.4);
    const ops = [at.run(1), at.run(1), at.run(1)];
    await at.settle();
    const ends = at.ends();
    assert.deepEqual(
      ops.map((op) => ends.get(op)),
      [["answered"], ["answered"], ["memory"]],
    );
  });

  test("is ended when its usage is asked for, and the orchestrator is told", async () => {
    const { at, isolate } = await bench();
    isolate.heapBytes = overBytes;
    at.order(1, "sample");
    await at.settle();
    assert.equal(isolate.isDisposed, true);
    const told = at.reports.filter((report) => report.t === "background");
    assert.deepEqual(
      told.map(({ key, verdict, isLost }) => ({ key, verdict, isLost })),
      [{ key: 1, verdict: "memory", isLost: true }],
    );
  });

  test("is ended after a timer's turn between runs", async () => {
    const { at, isolate } = await bench();
    isolate.host.arm(1, 10);
    isolate.heapBytes = overBytes;
    at.clock.advance(10);
    await at.settle();
    at.clock.advance(2);
    await answerAll(at, isolate);
    assert.equal(isolate.isDisposed, true);
    const told = at.reports.filter((report) => report.t === "background");
    assert.deepEqual(
      told.map(({ verdict }) => verdict),
      ["memory"],
    );
  });

  test("ends the runs that wait in it with memory", async () => {
    const { at, isolate } = await bench();
    isolate.guest = (name) => (name === "call" ? "P" : usual[name]);
    const waiting = at.run(1);
    await at.settle();
    holds({ at, isolate }, overBytes);
    const op = at.run(1);
    await at.settle();
    assert.deepEqual([at.ends().get(waiting), at.ends().get(op)], [["memory"], ["memory"]]);
  });
});
