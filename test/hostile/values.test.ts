// Values of guests that would keep the host's thread busy far longer than their size says are refused, as results and as
// arguments of capabilities; long ones that are ordinary arrive whole and in order.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const taken: unknown[] = [];
const runtime = await startRuntime({
  capabilities: { take: { run: ([value]: readonly unknown[]) => void taken.push(value) } },
});

const source = `
import { take } from "vivarium/capabilities";
const values = {
  bigints: () => new Set(Array.from({ length: 2_000 }, (_, i) => (BigInt(i) << 64n) + 1n)),
  pattern: () => new RegExp("[\\\\p{L}--[a-z]]".repeat(500), "v"),
};
export const give = (name) => values[name]();
export const hand = async (name) => { await take(values[name]()); };
export const long = (count) => Array.from({ length: count }, (_, i) => ({ i, none: undefined }));`;

suite("values that cost the host more than their size says", () => {
  for (const [name, why] of [
    ["bigints", /more than 16 bigints that have the same lowest 64 bits/],
    ["pattern", /a regular expression that is too long or complex/],
  ] as const) {
    test(`${name}: as a result they end the run as unserializable`, async () => {
      await using sandbox = await createMain(runtime, source);
      const outcome = await sandbox.call("main.give", { args: [name] });
      assertFailed(outcome, "unserializable");
      assert.match(outcome.error.message, why);
    });

    test(`${name}: as an argument of a capability they are refused inside the guest`, async () => {
      await using sandbox = await runtime.create({ modules: { main: source }, capabilities: { take: {} } });
      const outcome = await sandbox.call("main.hand", { args: [name] });
      assertFailed(outcome, "crashed");
      assert.match(outcome.error.message, why);
      assert.deepEqual(taken, []);
    });
  }
});

test("long results arrive whole, and their runs end in the order in which they were answered", async () => {
  await using sandbox = await createMain(runtime, source);
  const ended: number[] = [];
  const runs = [30_000, 1, 20_000, 2].map(async (count) => {
    const list = valueOf(await sandbox.call<{ i: number }[]>("main.long", { args: [count] }));
    ended.push(list.length);
    assert.deepEqual(list.at(-1), { i: count - 1, none: undefined });
  });
  await Promise.all(runs);
  assert.deepEqual(ended, [30_000, 1, 20_000, 2]);
});
