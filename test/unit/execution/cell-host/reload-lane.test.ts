// A reload in a cell: on the main lane where the orchestrator says so and that is open, and in how many entries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usual } from "../../../support/fake-isolate.ts";
import { HandlerBench } from "../../../support/handler-bench.ts";

test("a reload for the main lane enters no other thread, and one for its own lane enters another twice", async () => {
  const at = new HandlerBench();
  const isolate = at.load(1);
  const quick = at.reload(1, { lane: "sync", modules: [["a", ""]] });
  await at.settle();
  assert.deepEqual([at.ends().get(quick), isolate.inside], [["answered"], []]);
  const slow = at.reload(1, { lane: "async", modules: [["a", "0"]] });
  const entered: string[] = [];
  for (await at.settle(); isolate.inside.length > 0; await at.settle()) {
    const inside = isolate.inside.shift();
    entered.push(inside?.name ?? "");
    inside?.answer(usual[inside.name]);
  }
  assert.deepEqual(entered, ["script", "reload"]);
  assert.deepEqual(at.ends().get(slow), ["answered"]);
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
