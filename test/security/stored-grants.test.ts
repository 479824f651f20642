// What a sandbox was granted is kept with it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime, MemoryStore } from "../../src/index.ts";
import { valueOf } from "../support/outcomes.ts";

const source = `import { add } from "vivarium/capabilities"; export const f = (n) => add(n);`;

suite("grants in a store", () => {
  const options = {
    cells: { count: 1, spare: 0, warm: 1 },
    capabilities: { add: ([n]: readonly unknown[]) => n },
  };

  test("come back with their sandbox, quota and all", async () => {
    const store = new MemoryStore();
    {
      await using first = await createRuntime({ ...options, store });
      await first.create("kept", { modules: { main: source }, capabilities: { add: { calls: 2 } } });
    }
    await using second = await createRuntime({ ...options, store });
    const sandbox = await second.get("kept");
    assert.equal((await sandbox.info()).capabilities["add"]?.quota.calls, 2);
    assert.equal(valueOf(await sandbox.call("main.f", { args: [1] })), 1);
  });

  test("of what the runtime no longer has leave their sandbox failed, with the reason, and stay stored", async () => {
    const store = new MemoryStore();
    {
      await using first = await createRuntime({ ...options, store });
      await first.create("kept", { modules: { main: source }, capabilities: ["add"] });
    }
    {
      await using second = await createRuntime({ cells: options.cells, store });
      const { status, reason } = await second.info("kept");
      assert.equal(status, "failed");
      assert.match(reason ?? "", /add/);
    }
    await using again = await createRuntime({ ...options, store });
    assert.equal((await again.info("kept")).status, "running");
  });
});
