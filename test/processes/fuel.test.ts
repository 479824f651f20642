// Fuel and processes: what a message uses is counted for the run that it belongs to, and ends at most one process.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Sandbox } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const main = `
import { ask, cast, server, supervisor } from "vivarium/guest";
const spin = () => { for (;;); };
const definition = { init: () => 0, handleCast: spin, handleCall: (message, count) => {
  if (message === "spin") spin();
  return { reply: count + 1, state: count + 1 };
} };
const Greedy = server({ name: "greedy", ...definition });
const Sibling = server({ name: "sibling", ...definition });
export const askIt = (message) => ask("greedy", message);
export const castIt = async () => { cast("greedy", "spin"); return ask("sibling", "add"); };
export default supervisor({ children: [{ id: "greedy", start: Greedy }, { id: "sibling", start: Sibling }] });`;

for (const [kind, spec] of Object.entries({
  "a sandbox": {},
  "a deterministic sandbox": { deterministic: { seed: 1 } },
})) {
  suite(`in ${kind}`, () => {
    const create = (): Promise<Sandbox> =>
      runtime.create({ modules: { main }, supervisor: "main", limits: { fuel: 50_000 }, ...spec });

    test("a message that uses up the fuel of its caller ends that run with fuel, and one process", async () => {
      await using sandbox = await create();
      assert.equal(valueOf(await sandbox.ask("sibling", "add")), 1);
      assert.equal(valueOf(await sandbox.ask("greedy", "add")), 1);
      assertFailed(await sandbox.ask("greedy", "spin"), "fuel", "fuel");
      assert.equal(valueOf(await sandbox.ask("sibling", "add")), 2);
      assert.equal(valueOf(await sandbox.ask("greedy", "add")), 1);
      assert.equal((await sandbox.info()).status, "running");
    });

    test("a call that waits for such a message ends with fuel, and the next finds all in order", async () => {
      await using sandbox = await create();
      assertFailed(await sandbox.call("main.askIt", { args: ["spin"] }), "fuel", "fuel");
      assert.equal(valueOf(await sandbox.call("main.askIt", { args: ["add"] })), 1);
    });

    test("again and again does not wear out the supervisor within one run", async () => {
      await using sandbox = await create();
      for (let time = 0; time < 3; time++) assertFailed(await sandbox.ask("greedy", "spin"), "fuel", "fuel");
      assert.equal(valueOf(await sandbox.ask("greedy", "add")), 1);
    });

    test("a message without a caller is counted for the run in which it is handled", async () => {
      await using sandbox = await create();
      assertFailed(await sandbox.call("main.castIt"), "fuel", "fuel");
      assert.equal((valueOf(await sandbox.ask("sibling", "add")) as number) > 0, true);
    });
  });
}
