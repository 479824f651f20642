// What the engine cannot interrupt, as the compilation of a long regular expression or a long search in a string, costs a cell
// once and not again and again: neither by the first runs of other sandboxes that were sent with it, nor by the same code in new
// sandboxes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, unwrap, type Runtime } from "../../src/index.ts";

/** Work without a pause, for half a second and more. */
const pattern = `new RegExp("[\\\\p{L}--[a-z]]".repeat(10_000), "v")`;
/** The same for longer than a cell without processor time is waited for: two seconds. */
const search = `"a".repeat(130_000).lastIndexOf("a".repeat(65_000) + "b")`;
const placement = { tenant: "a" };

function countEnds(runtime: Runtime): () => number {
  let ends = 0;
  runtime.events.on("cell.exited", ({ cause }) => {
    if (cause === "slice") ends++;
  });
  return () => ends;
}

test("the first runs of many sandboxes that cannot be cut end one cell at most, and all are answered", async () => {
  await using runtime = await createRuntime();
  const cellsEnded = countEnds(runtime);
  const modules = { main: `export const f = () => ${pattern}.flags;` };
  const sandboxes = await Promise.all(
    Array.from({ length: 3 }, () => runtime.create({ modules, placement, limits: { timeoutMs: 60_000 } })),
  );
  const outcomes = await Promise.all(sandboxes.map((sandbox) => sandbox.call("main.f")));
  for (const outcome of outcomes) assert.equal(unwrap(outcome), "v");
  // None where the machine was busy while they were loaded: their first runs then have lanes of their own.
  assert.ok(cellsEnded() <= 1, `${cellsEnded()} cells ended`);
});

test("code whose top level cannot be cut ends no cell when it is loaded again", async () => {
  await using runtime = await createRuntime();
  const cellsEnded = countEnds(runtime);
  const modules = { main: `const found = ${search}; export const f = () => found;` };
  const create = async (): Promise<void> => {
    const sandbox = await runtime.create({ modules, placement, limits: { loadMs: 60_000 } });
    assert.equal(unwrap(await sandbox.call("main.f")), -1);
  };
  await create();
  const before = cellsEnded();
  await Promise.all([create(), create()]);
  assert.equal(cellsEnded(), before);
  assert.equal(before, 1);
});
