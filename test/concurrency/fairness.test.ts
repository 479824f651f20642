// Sandboxes that burn processor time do not keep those that use little from their turns: neither between runs nor within one.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Outcome, Runtime, Sandbox } from "../../src/index.ts";
import { startRuntime } from "../support/runtimes.ts";
import { fulfilled } from "../support/waiting.ts";

const placement = { tenant: "one", exclusive: false };
const waits = `const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  export const threeWaits = async () => { for (let i = 0; i < 3; i++) await wait(10); return "done"; };`;
const spins = `const spin = () => { const untilMs = Date.now() + 900; while (Date.now() < untilMs); };
  export const burn = () => void setInterval(spin, 1);
  export const once = () => spin();`;
/** So long that no turn of a neighbour is cut, however slow the machine is. */
const limits = { stepMs: 60_000, timeoutMs: 300_000, timeoutMsMax: 300_000 };

/** Eight sandboxes of one tenant that compute in the background without end. */
async function startSpinners(runtime: Runtime): Promise<void> {
  for (let n = 0; n < 8; n++) {
    const sandbox = await runtime.create({ modules: { main: spins }, placement, limits });
    await sandbox.call("main.burn");
  }
}

function kindOf(outcome: Outcome): string {
  return outcome.ok ? String(outcome.value) : outcome.error.kind;
}

suite("beside eight sandboxes of the same tenant that compute in the background", () => {
  test("a run that waits three times for 10 ms ends with its value, not as timeout", async () => {
    const runtime = await startRuntime();
    const honest = await runtime.create({ modules: { main: waits }, placement, limits });
    await startSpinners(runtime);
    const outcome = await honest.call("main.threeWaits", { timeoutMs: 5_000 });
    assert.equal(kindOf(outcome), "done");
  });
});

suite("beside many long runs of other sandboxes of the same tenant", () => {
  test("a run of a sandbox that used little begins before all of them are over", async () => {
    const runtime = await startRuntime({ cells: { lanes: 2 } });
    const busy: Sandbox[] = [];
    for (let n = 0; n < 8; n++)
      busy.push(await runtime.create({ modules: { main: spins }, placement, limits }));
    const honest = await runtime.create({ modules: { main: waits }, placement, limits });
    let over = 0;
    const long = busy.flatMap((sandbox) =>
      [1, 2].map(() => sandbox.call("main.once", { cpuMs: 200_000 }).then(() => over++)),
    );
    const outcome = await fulfilled("the short run", honest.call("main.threeWaits", { cpuMs: 1_000 }));
    assert.equal(kindOf(outcome), "done");
    assert.ok(over <= long.length / 2, `${over} of ${long.length} long runs went before it`);
    await Promise.all(long);
  });
});
