// Several sandboxes in one isolate: one inside at a time, each with its own end, and all of them lost with the isolate.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { usual, type FakeIsolate } from "../../../support/fake-isolate.ts";
import { denseBench, HandlerBench } from "../../../support/handler-bench.ts";

const names = (isolate: FakeIsolate): string[] => isolate.inside.map(({ name }) => name);

/** Lets what is inside on another thread come back, until nothing is. */
async function finish(at: HandlerBench, isolate: FakeIsolate): Promise<void> {
  while (isolate.inside.length > 0) {
    isolate.inside.shift()?.answer(1);
    await at.settle();
  }
}

suite("one inside at a time", () => {
  test("while one is inside on a lane, runs of the others wait, and begin in turn when it is back", async () => {
    const { at, isolate } = await denseBench(1, 2, 3);
    const inside = at.run(1, { lane: "async" });
    await at.settle();
    const waiting = [at.run(2), at.run(3, { lane: "async" }), at.run(2, { lane: "async" })];
    const again = at.run(1, { lane: "async" });
    await at.settle();
    assert.equal(isolate.inside.length, 1);
    for (const op of [...waiting, again]) assert.equal(at.item(op), undefined);
    await finish(at, isolate);
    const ends = at.ends();
    for (const op of [inside, ...waiting, again]) assert.deepEqual(ends.get(op), ["answered"]);
  });

  test("limits and samples of the others wait too, and enter nothing meanwhile", async () => {
    const { at, isolate } = await denseBench(1, 2);
    at.run(1, { lane: "async" });
    await at.settle();
    let entries = 0;
    isolate.guest = (name) => (entries++, usual[name]);
    const sample = at.order(2, "sample");
    await at.settle();
    assert.deepEqual([entries, at.item(sample)?.verdict], [0, "answered"]);
    await finish(at, isolate);
  });

  test("processor time is that of the one that was inside", async () => {
    const { at, isolate } = await denseBench(1, 2);
    const first = at.run(1, { lane: "async" });
    await at.settle();
    isolate.cpuMs += 50;
    await finish(at, isolate);
    isolate.guest = (name) => {
      if (name === "call") isolate.cpuMs += 7;
      return usual[name];
    };
    const second = at.run(2, { fuel: 5 });
    await at.settle();
    const used = [first, second].map((op) => Math.round((at.item(op)?.cpuUs ?? 0) / 1_000));
    assert.deepEqual(used, [50, 7]);
  });
});

test("a reload on a lane of its own is undone before anyone else has the isolate", async () => {
  const { at, isolate } = await denseBench(1, 2);
  const { shared } = isolate;
  const op = at.reload(1);
  await at.settle();
  // Whoever looks for a dense isolate in the next microtask finds this one, and boots another sandbox in it on another thread.
  const release = shared.release.bind(shared);
  shared.release = (holder) => {
    release(holder);
    queueMicrotask(() => shared.hold(isolate));
  };
  const wasHeld: boolean[] = [];
  isolate.guest = (name) => {
    if (name === "settleReload") wasHeld.push(shared.isHeld);
    return usual[name];
  };
  isolate.inside.shift()?.answer('T["Error","refused",""]');
  await at.settle();
  assert.deepEqual([at.ends().get(op), wasHeld], [["answered"], [false]]);
});

suite("a run that waits for its timer while another is inside", () => {
  async function held(): Promise<{
    readonly at: HandlerBench;
    readonly isolate: FakeIsolate;
    readonly op: number;
  }> {
    const { at, isolate } = await denseBench(1, 2);
    isolate.guest = (name) => (name === "call" ? "P" : usual[name]);
    const op = at.run(1, { timeoutMs: 300 });
    isolate.host.arm(1, 10);
    at.run(2, { lane: "async", timeoutMs: 10_000 });
    await at.settle();
    for (const ms of [10, 300, 300, 300]) {
      at.clock.advance(ms);
      await at.settle();
    }
    return { at, isolate, op };
  }

  test("goes on after its time, and the orchestrator is told", async () => {
    const { at, isolate, op } = await held();
    assert.equal(at.ends().get(op), undefined);
    const told = at.reports.filter((report) => report.t === "pending" && report.op === op);
    assert.ok(told.length >= 2, `told ${told.length} times`);
    await finish(at, isolate);
    assert.deepEqual(at.ends().get(op), ["answered"]);
  });

  test("has no more than the rest of its time afterwards", async () => {
    const { at, isolate, op } = await held();
    while (!["collect", undefined].includes(names(isolate)[0])) {
      isolate.inside.shift()?.answer(1);
      await at.settle();
    }
    isolate.inside.shift()?.answer("P");
    await at.settle();
    assert.equal(at.ends().get(op), undefined);
    at.clock.advance(300);
    await at.settle();
    assert.deepEqual(at.ends().get(op), ["timeout"]);
  });
});

suite("one ends", () => {
  test("one that is dropped leaves the others where they are", async () => {
    const { at, isolate } = await denseBench(1, 2);
    at.handler.handle({ t: "drop", keys: [1] });
    const op = at.run(2);
    await at.settle();
    assert.deepEqual([isolate.isDisposed, isolate.released, at.ends().get(op)], [false, 1, ["answered"]]);
  });

  test("one whose run waits until its deadline leaves, whatever another one does inside", async () => {
    const { at, isolate } = await denseBench(1, 2);
    isolate.guest = (name) => (name === "call" ? "P" : usual[name]);
    const pending = at.run(1, { timeoutMs: 100 });
    isolate.guest = (name) => usual[name];
    const inside = at.run(2, { lane: "async" });
    await at.settle();
    at.clock.advance(150);
    await at.settle();
    assert.deepEqual([at.item(pending)?.verdict, at.item(pending)?.isLost], ["timeout", true]);
    await finish(at, isolate);
    assert.deepEqual([at.item(inside)?.verdict, isolate.isDisposed], ["answered", false]);
  });

  test("one that is cut in its slice begins elsewhere, and the others stay where the isolate is quiet", async () => {
    const { at, isolate } = await denseBench(1, 2);
    isolate.guest = (name) => {
      if (name !== "call") return usual[name];
      at.clock.advance(30);
      throw new Error("cut");
    };
    const op = at.run(1, { lane: "slice" });
    await at.settle();
    assert.deepEqual([at.item(op)?.verdict, at.item(op)?.isLost], ["sliced", true]);
    isolate.guest = (name) => usual[name];
    const other = at.run(2);
    await at.settle();
    assert.deepEqual([at.ends().get(other), isolate.isDisposed], [["answered"], false]);
  });
});

suite("the isolate ends", () => {
  test("the one inside has the verdict; what the others wait for inside is lost by a neighbour", async () => {
    const { at, isolate } = await denseBench(1, 2, 3);
    isolate.guest = (name) => (name === "call" ? "P" : usual[name]);
    const pending = at.run(2);
    isolate.guest = (name) => usual[name];
    const inside = at.run(1, { lane: "async" });
    await at.settle();
    const queued = at.run(2);
    isolate.die();
    await at.settle();
    assert.deepEqual([at.item(inside)?.verdict, at.item(inside)?.isLost], ["memory", true]);
    assert.deepEqual([at.item(pending)?.verdict, at.item(pending)?.isLost], ["neighbour", true]);
    assert.equal(at.item(queued)?.verdict, "gone");
    const lost = at.reports.filter(({ t }) => t === "background");
    assert.deepEqual(lost, [{ t: "background", key: 3, verdict: "neighbour", isLost: true }]);
  });

  test("one that does not become quiet after a cut costs the others their isolate", async () => {
    const { at, isolate } = await denseBench(1, 2);
    isolate.guest = (name) => {
      if (name !== "call" && name !== "probe") return usual[name];
      at.clock.advance(400);
      throw new Error("cut");
    };
    const op = at.run(1);
    await at.settle();
    assert.deepEqual(
      [at.item(op)?.verdict, at.item(op)?.isLost, isolate.isDisposed],
      ["timeout", true, true],
    );
    assert.deepEqual(
      at.reports.filter(({ t }) => t === "background"),
      [{ t: "background", key: 2, verdict: "neighbour", isLost: true }],
    );
  });

  test("one that is cancelled while it is inside on another thread costs the others their isolate", async () => {
    const { at, isolate } = await denseBench(1, 2);
    const op = at.run(1, { lane: "async" });
    await at.settle();
    isolate.inside.shift()?.answer(undefined);
    await at.settle();
    assert.deepEqual(names(isolate), ["call"]);
    at.handler.handle({ t: "cancel", key: 1, op });
    await at.settle();
    assert.deepEqual([at.item(op)?.verdict, isolate.isDisposed], ["cancelled", true]);
    assert.equal(at.reports.filter(({ t }) => t === "background").length, 1);
  });
});

suite("an isolate that its sandbox has left", () => {
  const drop = async (change: (at: HandlerBench, isolate: FakeIsolate) => void): Promise<FakeIsolate> => {
    const at = new HandlerBench();
    at.wantsBack = true;
    const isolate = at.load(1);
    await at.settle();
    change(at, isolate);
    await at.settle();
    at.handler.handle({ t: "drop", keys: [1] });
    await at.settle();
    return isolate;
  };

  test("it is there for another one", async () => {
    const isolate = await drop((at) => at.run(1));
    assert.deepEqual([isolate.isDisposed, isolate.released], [false, 1]);
  });

  const spoilt: readonly (readonly [string, (at: HandlerBench, isolate: FakeIsolate) => void])[] = [
    ["nobody wants it", (at) => (at.wantsBack = false)],
    ["a run waits inside", (at, isolate) => ((isolate.guest = () => "P"), at.run(1))],
    ["a run is inside on another thread", (at) => at.run(1, { lane: "async" })],
    [
      "the guest may have finalizers",
      (_, isolate) => (isolate.guest = (name) => name !== "retire" && usual[name]),
    ],
    [
      "an entry was cut, though it is quiet since",
      (at, isolate) => {
        isolate.guest = (name) => {
          if (name !== "call") return usual[name];
          at.clock.advance(400);
          throw new Error("cut");
        };
        at.run(1);
        isolate.guest = (name) => usual[name];
      },
    ],
  ];
  for (const [why, change] of spoilt) {
    test(`it is ended where ${why}`, async () => {
      const isolate = await drop(change);
      assert.deepEqual([isolate.isDisposed, isolate.released], [true, 0]);
    });
  }

  test("it is ended where the sandbox had what may run on without it", async () => {
    const at = new HandlerBench();
    at.wantsBack = true;
    const isolate = at.load(1, { features: ["webAssembly"] });
    await at.settle();
    at.handler.handle({ t: "drop", keys: [1] });
    await at.settle();
    assert.equal(isolate.isDisposed, true);
  });
});
