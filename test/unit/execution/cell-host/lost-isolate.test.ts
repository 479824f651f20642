// An isolate that is gone: whoever finds out, all that was accepted for it is reported, and each operation once.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Dice } from "../../../fuzz/dice.ts";
import { usual, type FakeIsolate } from "../../../support/fake-isolate.ts";
import { HandlerBench } from "../../../support/handler-bench.ts";

/** A sandbox, loaded, whose runs on lanes of their own wait for the test. */
async function bench(): Promise<{ readonly at: HandlerBench; readonly isolate: FakeIsolate }> {
  const at = new HandlerBench();
  const isolate = at.load(1);
  await at.settle();
  return { at, isolate };
}

/** Starts a run on a lane of its own and lets it get as far as the guest's function. */
async function enter(at: HandlerBench, isolate: FakeIsolate): Promise<number> {
  const op = at.run(1, { lane: "async", timeoutMs: 300 });
  await at.settle();
  isolate.inside.shift()?.answer(undefined);
  await at.settle();
  assert.deepEqual(
    isolate.inside.map(({ name }) => name),
    ["call"],
  );
  return op;
}

suite("the engine ends an isolate", () => {
  test("whoever is inside ends with memory, and all that waits goes back", async () => {
    const { at, isolate } = await bench();
    const inside = at.run(1, { lane: "async" });
    const waiting = [at.run(1), at.reload(1), at.run(1, { lane: "async" }), at.order(1, "settle"), at.run(1)];
    await at.settle();
    isolate.die();
    await at.settle();
    assert.deepEqual([at.item(inside)?.verdict, at.item(inside)?.isLost], ["memory", true]);
    const ends = at.ends();
    assert.deepEqual(
      waiting.map((op) => ends.get(op)),
      waiting.map(() => ["gone"]),
    );
  });

  for (const [meter, before] of [
    ["processor time is asked for", (isolate: FakeIsolate) => (isolate.beforeMeter = () => isolate.die())],
    [
      "heap is asked for",
      (isolate: FakeIsolate) => {
        // Processor time is asked for after it.
        let asked = 0;
        isolate.beforeMeter = () => void (++asked === 1 && isolate.die());
      },
    ],
  ] as const) {
    for (const lane of ["sync", "async"] as const) {
      test(`a run on the ${lane} lane that has answered is reported when the ${meter}, and others with it`, async () => {
        const { at, isolate } = await bench();
        isolate.guest = (name) => (name === "call" ? "P" : usual[name]);
        const pending = at.run(1);
        isolate.guest = (name) => usual[name];
        const op = at.run(1, { lane });
        const behind = lane === "async" ? at.run(1) : undefined;
        await at.settle();
        before(isolate);
        for (const each of isolate.inside.splice(0)) each.answer(1);
        if (lane === "sync") at.run(1);
        await at.settle();
        const ends = at.ends();
        assert.deepEqual(ends.get(op), ["answered"]);
        assert.deepEqual(ends.get(pending), ["memory"]);
        if (behind !== undefined) assert.deepEqual(ends.get(behind), ["gone"]);
        for (const [, each] of ends) assert.equal(each.length, 1);
        assert.equal(ends.size, at.lastOp);
      });
    }
  }

  test("a load whose isolate is gone when it has answered ends with memory", async () => {
    const at = new HandlerBench();
    const isolate = at.load(1, { lane: "async" });
    const behind = at.run(1);
    await at.settle();
    for (let each = isolate.inside.shift(); each !== undefined; each = isolate.inside.shift()) {
      if (each.name === "load") isolate.beforeMeter = () => isolate.die();
      each.answer(usual[each.name]);
      await at.settle();
    }
    assert.deepEqual(Object.fromEntries(at.ends()), { 1: ["memory"], [behind]: ["gone"] });
  });

  test("the orchestrator is told where no operation tells it", async () => {
    const { at, isolate } = await bench();
    isolate.die();
    at.order(1, "sample");
    await at.settle();
    const told = at.reports.filter((report) => report.t === "background");
    assert.deepEqual(
      told.map(({ key, verdict, isLost }) => ({ key, verdict, isLost })),
      [{ key: 1, verdict: "memory", isLost: true }],
    );
  });
});

suite("a main thread that is held up", () => {
  test("an entry that came back in time is not taken for one that did not", async () => {
    const { at, isolate } = await bench();
    const op = await enter(at, isolate);
    // Both the clock and the entry's end are due when the thread is free again; the clock's turn comes first.
    at.clock.advance(1_000);
    isolate.inside.shift()?.answer(1);
    await at.settle();
    assert.equal(isolate.isDisposed, false);
    assert.deepEqual(at.ends().get(op), ["answered"]);
  });

  test("an entry that did not come back costs its isolate", async () => {
    const { at, isolate } = await bench();
    const op = await enter(at, isolate);
    at.clock.advance(1_000);
    await at.settle();
    // The thread has its turns again, and the entry is still inside.
    at.clock.advance(1_000);
    await at.settle();
    assert.deepEqual([isolate.isDisposed, at.ends().get(op)], [true, ["timeout"]]);
  });
});

suite("what waits for a sandbox", () => {
  test("a timer that comes due during the turn of another is let in while modules still load", async () => {
    const at = new HandlerBench();
    const isolate = at.load(1, { lane: "async" });
    await at.settle();
    while (isolate.inside[0]?.name !== "load") {
      const each = isolate.inside.shift();
      each?.answer(usual[each.name]);
      await at.settle();
    }
    isolate.inside.shift()?.answer("P");
    await at.settle();
    isolate.inside.shift()?.answer("P");
    await at.settle();
    isolate.host.arm(1, 10);
    isolate.host.arm(2, 10);
    at.clock.advance(10);
    await at.settle();
    const fired: unknown[] = [];
    for (let each = isolate.inside.shift(); each !== undefined; each = isolate.inside.shift()) {
      if (each.name === "tick") fired.push(each.args[0]);
      each.answer(each.name === "collect" && fired.length === 2 ? "V[]" : usual[each.name]);
      await at.settle();
    }
    assert.deepEqual(fired, [1, 2]);
    assert.deepEqual(at.ends().get(1), ["answered"]);
  });

  test("a run for a sandbox whose modules failed to load goes back", async () => {
    const at = new HandlerBench();
    const isolate = at.load(1, { lane: "async" });
    await at.settle();
    for (let each = isolate.inside.shift(); each !== undefined; each = isolate.inside.shift()) {
      each.answer(each.name === "load" ? `T["Error","",""]` : usual[each.name]);
      await at.settle();
    }
    const op = at.run(1);
    await at.settle();
    assert.deepEqual(at.ends().get(op), ["gone"]);
  });
});

const seeds = 100;

test(`every operation is reported exactly once, whatever comes between (${seeds} seeds)`, async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const at = new HandlerBench();
    await playAtRandom(at, new Dice(seed));
    const ends = at.ends();
    for (let op = 1; op <= at.lastOp; op++)
      assert.equal(ends.get(op)?.length, 1, `seed ${seed}: operation ${op} ended as ${ends.get(op)}`);
  }
});

const keys = [1, 2, 3];
const roundsMax = 200;

async function playAtRandom(at: HandlerBench, dice: Dice): Promise<void> {
  const living = new Map<number, FakeIsolate>();
  const answer = (name: string): unknown => {
    if (name === "call" || name === "collect" || name === "reload") return dice.chance(0.5) ? "P" : "V[]";
    return usual[name];
  };
  const load = (key: number): void => {
    const processes = dice.chance(0.3) ? { supervisor: null, capture: "", isCheckpointed: true } : null;
    const isolate = at.load(key, { lane: dice.pick(["sync", "async"]), processes });
    isolate.guest = answer;
    living.set(key, isolate);
  };
  const comeBack = (): void => {
    const each = dice.pick([...living.values()]).inside.shift();
    if (each !== undefined) each.answer(answer(each.name));
  };
  const moves: readonly (() => void)[] = [
    () => load(dice.pick(keys)),
    () => void at.run(dice.pick(keys)),
    () => void at.run(dice.pick(keys), { lane: "async" }),
    () => void at.run(dice.pick(keys), { lane: "slice" }),
    () => void at.run(dice.pick(keys), { lane: "async", tell: "ask" }),
    () => void at.reload(dice.pick(keys)),
    () => void at.order(dice.pick(keys), dice.pick(["manage", "settle", "sample"])),
    () => at.handler.handle({ t: "cancel", key: dice.pick(keys), op: 1 + dice.below(at.lastOp) }),
    () => at.handler.handle({ t: "hold", key: dice.pick(keys), isHeld: dice.chance(0.3) }),
    () => dice.pick([...living.values()]).host.arm(1 + dice.below(3), 1 + dice.below(200)),
    () => dice.pick([...living.values()]).host.wake(),
    () => void dice.pick([...living.values()]).host.request(1 + dice.below(5), "name", "[]"),
    () => at.handler.handle({ t: "answer", key: dice.pick(keys), id: 1 + dice.below(5), code: "", text: "" }),
    () => at.clock.advance(dice.below(400)),
    () => dice.chance(0.3) && dice.pick([...living.values()]).die(),
    () => {
      const isolate = dice.pick([...living.values()]);
      if (dice.chance(0.3)) isolate.beforeMeter = () => isolate.die();
    },
    () => dice.chance(0.2) && at.handler.handle({ t: "drop", keys: [dice.pick(keys)] }),
    comeBack,
    comeBack,
    comeBack,
  ];
  for (const key of keys) load(key);
  for (let move = 0; move < 60; move++) {
    dice.pick(moves)();
    if (dice.chance(0.6)) await at.settle();
  }
  // In the end time passes, and what is inside comes back.
  for (let round = 0; round < roundsMax && at.ends().size < at.lastOp; round++) {
    at.clock.advance(500);
    for (const isolate of at.isolates) for (const each of isolate.inside.splice(0)) each.answer("V[]");
    await at.settle();
  }
}
