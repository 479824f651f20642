// Children by the batch, of one parent or of several, and the ancestry of what a batch makes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BatchFork } from "../../../src/index.ts";
import { errorOf, mistakeOf } from "../../support/errors.ts";
import { valueOf } from "../../support/outcomes.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const main = (n: number): string => `export const f = () => ${n};`;
const ancestryOf = async (id: string) => (await runtime.info(id)).ancestry;

test("fork() of a sandbox that is still being created says that it must be created first", async () => {
  const creation = runtime.create("early", { modules: { main: main(1) } });
  const error = await errorOf(
    () => runtime.fork("early", { modules: { main: main(2) } }),
    "SANDBOX_NOT_RUNNING",
  );
  const message = 'Cannot fork sandbox "early" as it must be created first: it is creating';
  assert.equal(error.message, message);
  const [result] = await runtime.batch.fork([{ parentId: "early" }]);
  assert.ok(result?.ok === false);
  assert.equal(result.error.message, message);
  await creation;
  assert.ok((await runtime.batch.fork([{ parentId: "early" }]))[0]?.ok);
});

test("batch.fork() makes children with the code of the first parent and the ancestry of all", async () => {
  await runtime.create("a", { modules: { main: main(1), other: main(7) }, labels: { of: "a" } });
  await runtime.create("b", { modules: { main: main(2) }, ancestry: { generation: 4 } });
  const results = await runtime.batch.fork([
    { parentId: "a", id: "child", modules: { main: main(3) }, mutation: { op: "set" } },
    { parentIds: ["a", "b", "a", "long-gone"], id: "cross" },
    { parentId: "a" },
  ]);
  assert.deepEqual(
    results.map(({ ok, index }) => [ok, index]),
    [
      [true, 0],
      [true, 1],
      [true, 2],
    ],
  );
  assert.deepEqual(await ancestryOf("child"), {
    parentIds: ["a"],
    generation: 1,
    mutation: { op: "set" },
    depth: 1,
  });
  assert.deepEqual(await ancestryOf("cross"), {
    parentIds: ["a", "b", "long-gone"],
    generation: 5,
    mutation: null,
    depth: 1,
  });
  const [, cross, unnamed] = results;
  assert.ok(cross?.ok && unnamed?.ok);
  assert.equal(valueOf(await cross.value.call("main.f")), 1);
  assert.equal(valueOf(await cross.value.call("other.f")), 7);
  assert.deepEqual((await unnamed.value.info()).labels, { of: "a" });
  assert.equal(unnamed.sandboxId, unnamed.value.id);
});

test("batch.fork() gives each item its own result, in the form of every batch, and never rejects for one", async () => {
  await runtime.create("parent", { modules: { main: main(1) } });
  const batch = runtime.batch.fork([
    { parentId: "nobody" },
    { parentId: "parent", id: "parent" },
    { parentId: "parent", id: "broken", modules: { main: "export const (" } },
    { parentId: "parent", parentIds: ["parent"] },
    {} as never,
    null as never,
    { parentIds: [] },
    { parentId: "parent", mutations: 1 } as never,
    { parentId: "parent", id: "good" },
  ]);
  const codes: Record<number, string> = {};
  for await (const result of batch) codes[result.index] = result.ok ? "ok" : result.error.code;
  assert.deepEqual(Object.values(codes), [
    "SANDBOX_NOT_FOUND",
    "SANDBOX_EXISTS",
    "PARSE_FAILED",
    ...Array.from({ length: 5 }, () => "INVALID_OPTIONS"),
    "ok",
  ]);
  assert.deepEqual(batch.progress, { done: 9, size: 9 });
  await mistakeOf(async () => runtime.batch.fork("parent" as never), "INVALID_OPTIONS");
  await mistakeOf(async () => runtime.batch.fork([], { concurrency: 0 }), "INVALID_OPTIONS");
});

test("batch.fork() is cut short by its signal, and an item by its own", async () => {
  await runtime.create("slow", { modules: { main: main(1) } });
  const forks: readonly BatchFork[] = Array.from({ length: 20 }, (_, n) => ({
    parentId: "slow",
    id: `slow-${n}`,
  }));
  const all = await runtime.batch.fork(forks, { signal: AbortSignal.abort(), concurrency: 2 });
  assert.deepEqual([...new Set(all.map((one) => !one.ok && one.error.code))], ["CANCELLED"]);
  assert.equal(await runtime.has("slow-0"), false);
  const [one, two] = await runtime.batch.fork([
    { parentId: "slow", id: "slow-0", signal: AbortSignal.abort() },
    { parentId: "slow", id: "slow-1" },
  ]);
  assert.deepEqual([one?.ok, two?.ok], [false, true]);
});

test("batch.fork() takes the states of processes over where it is told so", async () => {
  const counter = `
    import { server, supervisor } from "vivarium/guest";
    const Counter = server({ name: "counter", init: () => 0,
      handleCall: (message, count) => ({ reply: count + 1, state: count + 1 }) });
    export default supervisor({ children: [{ id: "counter", start: Counter }] });`;
  const parent = await runtime.create("counting", { modules: { main: counter }, supervisor: "main" });
  await parent.ask("counter", "next");
  const results = await runtime.batch.fork([
    { parentId: "counting", state: true },
    { parentId: "counting", state: false },
  ]);
  const counts = [];
  for (const result of results) counts.push(result.ok && valueOf(await result.value.ask("counter", "next")));
  assert.deepEqual(counts, [2, 1]);
});

test("runtime.fork() takes several parents too, and refuses an empty list of them", async () => {
  await runtime.create("left", { modules: { main: main(1) } });
  await runtime.create("right", { modules: { main: main(2) } });
  const child = await runtime.fork(["left", "right"], { id: "both" });
  assert.equal(valueOf(await child.call("main.f")), 1);
  assert.deepEqual((await ancestryOf("both")).parentIds, ["left", "right"]);
  await mistakeOf(() => runtime.fork([]), "INVALID_OPTIONS");
});

test("batch.create() and batch.evaluate() of specs record two parents, with the generation after theirs", async () => {
  await runtime.create("old", { modules: { main: main(1) }, ancestry: { generation: 7 } });
  await runtime.destroy("old");
  const ancestry = { parentIds: ["old", "left-out"], mutation: "cross" };
  const modules = { main: main(1) };
  await runtime.batch.create([{ id: "made", modules, ancestry }]);
  const births: unknown[] = [];
  const stop = runtime.events.on("lineage.born", ({ parentIds, generation, mutation }) =>
    births.push({ parentIds, generation, mutation }),
  );
  const [result] = await runtime.batch.evaluate(
    [{ modules, ancestry: { ...ancestry, generation: 3 } }],
    () => 1,
  );
  stop();
  assert.deepEqual(await ancestryOf("made"), { ...ancestry, generation: 8, depth: 1 });
  assert.deepEqual(births, [{ ...ancestry, generation: 3 }]);
  assert.equal(result?.generation, 3);
});
