// A recorded run in a sandbox with processes: the tree is started for it, its turns are the run's, and it goes as it went.
import assert from "node:assert/strict";
import { test } from "node:test";
import { valueOf } from "../support/outcomes.ts";
import { runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests();

const main = `
import { ask, server, supervisor } from "vivarium/guest";
export const Dice = server({
  init: () => [] as number[],
  handleCall(turns: number, rolled: number[]) {
    for (let i = 0; i < turns; i++);
    const state = [...rolled, Math.random()];
    return { reply: state, state };
  },
});
export default supervisor({ strategy: "one-for-one", children: [{ id: "dice", start: Dice, name: "dice" }] });
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export async function roll(turns: number): Promise<unknown> {
  await ask("dice", turns);
  await wait(60_000);
  return ask("dice", turns);
}`;

const spec = {
  modules: { main },
  supervisor: "main",
  deterministic: { seed: 1, now: 0 },
  limits: { fuel: 1_000 },
};

test("what processes answer within a run is recorded and replayed with it, fuel and all", async () => {
  await using sandbox = await runtime.current.create(spec);
  const outcome = await sandbox.call<number[]>("main.roll", { args: [10], record: true });
  assert.equal(valueOf(outcome).length, 2);
  // The function, the wait with its promise, and twice a handler with its turns.
  assert.equal(outcome.usage.fuel, 1 + 2 + 2 * 11);
  assert.equal(outcome.recording.supervisor, "main");
  const replay = await sandbox.replay(outcome.recording);
  assert.equal(replay.difference, null);
  assert.deepEqual(valueOf(replay.outcome), valueOf(outcome));
});
