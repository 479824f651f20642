// What a guest gets where a capability fails: an error with its own lines, which it does not meet before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CapabilityRefusal } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime({
  cells: { count: 1, spare: 0 },
  capabilities: {
    strict: { args: (args) => (args as unknown[]).length === 0 || "there are none", run: () => 1 },
    throws: () => {
      throw new Error("the host's own");
    },
    refuses: () => {
      throw new CapabilityRefusal("Cannot do this on Sundays");
    },
  },
});

const main = `
  import { refuses, strict, throws } from "vivarium/capabilities";
  const functions = { refuses, strict, throws };
  function ask(name: string) {
    const capability = functions[name];
    return capability("one");
  }
  export const use = async (name: string) => {
    await null;
    await ask(name);
  };`;

for (const [name, code] of [
  ["strict", "invalid"],
  ["throws", "failed"],
  ["refuses", "refused"],
] as const)
  test(`a capability that is ${code} throws an error with the lines of the guest that called it`, async () => {
    await using sandbox = await runtime.create({ modules: { main }, capabilities: [name] });
    const outcome = await sandbox.call("main.use", { args: [name] });
    assertFailed(outcome, "crashed");
    const { thrown } = outcome.error;
    const [head = "", ...frames] = thrown?.stack.split("\n    at ") ?? [];
    assert.equal(thrown?.code, code);
    assert.equal(head, `CapabilityError: ${thrown.message}`);
    assert.deepEqual(frames, ["ask (main:6:12)", "use (main:10:11)"]);
  });

test("an error of a capability is not seen by setters of the guest's before it is told", async () => {
  const spying = `
    import { throws } from "vivarium/capabilities";
    const seen = [];
    const set = function () { seen.push(Object.freeze(this)); };
    Object.defineProperty(Error.prototype, "name", { set, get: () => "mine" });
    export const use = () => throws().catch(({ name, message }) => [name, message, seen.length]);`;
  await using sandbox = await runtime.create({ modules: { main: spying }, capabilities: ["throws"] });
  const told = ["CapabilityError", "Cannot use throws as it failed", 0];
  assert.deepEqual(valueOf(await sandbox.call("main.use")), told);
});
