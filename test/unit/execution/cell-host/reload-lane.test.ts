// A reload in a cell: on the main lane where the orchestrator says so and that is open, and in how many entries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usual, type FakeIsolate } from "../../../support/fake-isolate.ts";
import { HandlerBench } from "../../../support/handler-bench.ts";

/** The names of the entries on other threads until nothing is inside any more. */
async function enteredIn(at: HandlerBench, isolate: FakeIsolate): Promise<string[]> {
  const entered: string[] = [];
  for (await at.settle(); isolate.inside.length > 0; await at.settle()) {
    const inside = isolate.inside.shift();
    entered.push(inside?.name ?? "");
    inside?.answer(usual[inside.name]);
  }
  return entered;
}

test("a reload for the main lane enters no other thread, and one for its own lane only to evaluate its code", async () => {
  const at = new HandlerBench();
  const isolate = at.load(1);
  const quick = at.reload(1, { lane: "sync", modules: [["a", ""]] });
  await at.settle();
  assert.deepEqual([at.ends().get(quick), isolate.inside], [["answered"], []]);
  const slow = at.reload(1, { lane: "async", modules: [["a", "0"]] });
  assert.deepEqual(await enteredIn(at, isolate), ["reload"]);
  assert.deepEqual(at.ends().get(slow), ["answered"]);
});

test("the main thread compiles no code for a reload that is long", async () => {
  const at = new HandlerBench();
  const isolate = at.load(1);
  const op = at.reload(1, { lane: "async", modules: [["a", "0;".repeat(10_000)]] });
  assert.deepEqual(await enteredIn(at, isolate), ["script", "reload"]);
  assert.deepEqual(at.ends().get(op), ["answered"]);
});

test("the main thread compiles no code for a reload of a sandbox that used much", async () => {
  const at = new HandlerBench();
  const isolate = at.load(1, { usedMs: 1_000 });
  const op = at.reload(1, { lane: "async", modules: [["a", "0"]] });
  assert.deepEqual(await enteredIn(at, isolate), ["script", "reload"]);
  assert.deepEqual(at.ends().get(op), ["answered"]);
});

test("the main thread compiles no code for a reload while the main lane is spared", async () => {
  const at = new HandlerBench();
  at.load(1);
  const isolate = at.load(2);
  const [holder] = at.isolates;
  assert.ok(holder !== undefined);
  holder.guest = (name) => {
    if (name === "call") at.clock.advance(200);
    return usual[name];
  };
  at.run(1);
  const op = at.reload(2, { lane: "async", modules: [["a", "0"]] });
  assert.deepEqual(await enteredIn(at, isolate), ["script", "reload"]);
  assert.deepEqual(at.ends().get(op), ["answered"]);
});

test("a reload whose isolate is lost while the main thread compiles its code is over at once", async () => {
  const at = new HandlerBench();
  const isolate = at.load(1);
  isolate.onCompile = () => {
    isolate.die();
    throw new TypeError("Isolate is disposed");
  };
  const op = at.reload(1, { lane: "async", modules: [["a", "0"]] });
  assert.deepEqual(await enteredIn(at, isolate), []);
  assert.deepEqual(at.ends().get(op), ["memory"]);
});

test("a reload for the main lane has one of its own while the main lane is spared", async () => {
  const at = new HandlerBench();
  at.load(1);
  const isolate = at.load(2);
  const [holder] = at.isolates;
  assert.ok(holder !== undefined);
  holder.guest = (name) => {
    if (name === "call") at.clock.advance(200);
    return usual[name];
  };
  at.run(1);
  const op = at.reload(2, { lane: "sync" });
  await at.settle();
  assert.equal(at.ends().get(op), undefined);
  isolate.inside.shift()?.answer(usual["reload"]);
  await at.settle();
  assert.deepEqual(at.ends().get(op), ["answered"]);
});

test("an isolate that has nothing to commit is disposed of, and what waits behind the commit goes back", async () => {
  const at = new HandlerBench();
  const isolate = at.load(1);
  isolate.guest = (name) => (name === "settleReload" ? false : usual[name]);
  const before = at.run(1, { lane: "async" });
  const [commit, behind] = [at.order(1, "settle"), at.run(1)];
  for (await at.settle(); isolate.inside.length > 0; await at.settle()) {
    const inside = isolate.inside.shift();
    inside?.answer(usual[inside.name]);
  }
  const ends = at.ends();
  assert.deepEqual(
    [before, commit, behind].map((op) => ends.get(op)),
    [["answered"], ["gone"], ["gone"]],
  );
  assert.ok(isolate.isDisposed);
});
