// A restart that is given up at its deadline: what the caller and the sandbox say of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf } from "../../support/errors.ts";
import { startRuntime } from "../../support/runtimes.ts";

test("restart() that passes its deadline says so, also as the reason of the sandbox that is left", async () => {
  const answers = [Promise.resolve(1), new Promise<number>(() => {})];
  const gated = await startRuntime({ capabilities: { gate: { run: () => answers.shift() } } });
  const sandbox = await gated.create({
    modules: { main: 'import { gate } from "vivarium/capabilities"; await gate(); export const f = 1;' },
    capabilities: ["gate"],
    limits: { loadMs: 20_000 },
  });
  const deadlineMs = 500;
  const why = /as it must be done within 500 ms \(deadlineMs\): it was not/;
  assert.match((await errorOf(() => sandbox.restart({ deadlineMs }), "CANCELLED")).message, why);
  const { status, reason } = await sandbox.info();
  assert.equal(status, "failed");
  assert.match(reason ?? "", why);
});
