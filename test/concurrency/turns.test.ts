// The steps of a compilation and of a reload wait for their turns on the host's thread, as owners do: here the turns are counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../src/index.ts";
import { slicing } from "../../src/std/slicing.ts";

test("creating and reloading take a turn of their tenant for each compilation, and a reload one before it is stored", async (t) => {
  const owners: (string | null | undefined)[] = [];
  t.mock.method(slicing, "turn", (owner: string | null) => {
    owners.push(owner);
    return undefined;
  });
  await using runtime = await createRuntime();
  const placement = { tenant: "a" };
  const sandbox = await runtime.create({ modules: { main: "export const f = () => 1;" }, placement });
  assert.deepEqual(owners.splice(0), ["a"]);
  await sandbox.hotReload({ main: "export const f = () => 2;" });
  assert.deepEqual(owners.splice(0), ["a", "a"]);
  await sandbox.rollback("main", 1);
  assert.deepEqual(owners.splice(0), ["a"]);
});

test("a reload that waits for its turn before it is stored can still be given up, and the old code stays", async (t) => {
  await using runtime = await createRuntime();
  const sandbox = await runtime.create({ modules: { main: "export const f = () => 1;" } });
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: turn, resolve: give } = Promise.withResolvers<void>();
  let turns = 0;
  t.mock.method(slicing, "turn", () => {
    // The second is the one before it is stored.
    if (++turns < 2) return undefined;
    ask();
    return turn;
  });
  const giveUp = new AbortController();
  const reload = sandbox.hotReload({ main: "export const f = () => 2;" }, { signal: giveUp.signal });
  await asked;
  giveUp.abort();
  give();
  await assert.rejects(reload, { code: "CANCELLED" });
  const outcome = await sandbox.call("main.f");
  assert.equal(outcome.ok && outcome.value, 1);
  assert.equal((await sandbox.info()).revision, 1);
});

test("a sandbox that is destroyed while its reload waits for its turn is gone, and the reload says so", async (t) => {
  await using runtime = await createRuntime();
  const sandbox = await runtime.create({ modules: { main: "export const f = () => 1;" } });
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  let turns = 0;
  t.mock.method(slicing, "turn", () => {
    if (++turns < 2) return undefined;
    ask();
    return new Promise<void>(() => {});
  });
  const reload = sandbox.hotReload({ main: "export const f = () => 2;" });
  reload.catch(() => {});
  await asked;
  await sandbox.destroy();
  await assert.rejects(reload, { code: "CANCELLED" });
  assert.deepEqual(await runtime.list(), []);
});
