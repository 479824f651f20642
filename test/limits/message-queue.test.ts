// messageQueue: how many messages may wait for one process. One more ends the process, and its callers get an error.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { KilledReason, Sandbox } from "../../src/index.ts";
import { mistakeOf } from "../support/errors.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime();

// The sink is busy with its first message until it is released.
const source = `
import { ask, cast, processInfo, send, server, supervisor, whereis } from "vivarium/guest";
let goOn;
const Sink = server({ name: "sink", init: () => 0,
  handleCall: async (message, state) => { await new Promise((resolve) => { goOn = resolve; }); return { reply: state, state }; },
  handleCast: (message, state) => ({ state: state + 1 }),
  handleInfo: (message, state) => ({ state: state + 1 }) });
export const release = () => goOn();
export const fill = (count, how = "send") => { for (let i = 0; i < count; i++) (how === "send" ? send : cast)("sink", i); };
export const waiting = () => processInfo("sink").queueLength;
export const isThere = () => whereis("sink") !== null;
export default supervisor({ restartsMax: 100, children: [
  { id: "sink", start: Sink }, { id: "other", start: server({ name: "other", init: () => 0, handleCall: (m, s) => ({ reply: "here", state: s }) }) },
] });`;

/** A sandbox whose sink is busy, with the ask that occupies it. */
async function busySink(
  messageQueue: number,
): Promise<{ sandbox: Sandbox; asked: ReturnType<Sandbox["ask"]> }> {
  const sandbox = await runtime.create({
    modules: { main: source },
    supervisor: "main",
    limits: { messageQueue },
  });
  const asked = sandbox.ask("sink", "");
  await until("it is busy", async () => {
    const [root] = await sandbox.processes();
    return root?.children.find(({ name }) => name === "sink")?.status === "busy";
  });
  return { sandbox, asked };
}

function kills(sandbox: Sandbox): { readonly reasons: KilledReason[]; readonly stop: () => void } {
  const reasons: KilledReason[] = [];
  const stop = runtime.events.on("sandbox.killed", ({ sandboxId, reason }) => {
    if (sandboxId === sandbox.id) reasons.push(reason);
  });
  return { reasons, stop };
}

test("as many messages as may wait do wait, and each is taken in the end", async () => {
  const { sandbox, asked } = await busySink(50);
  await using _ = sandbox;
  const { reasons, stop } = kills(sandbox);
  valueOf(await sandbox.call("main.fill", { args: [50] }));
  assert.equal(valueOf(await sandbox.call("main.waiting")), 50);
  await sandbox.call("main.release");
  assert.equal(valueOf(await asked), 0);
  await until("all are taken", async () => valueOf(await sandbox.call("main.waiting")) === 0);
  assert.equal((await sandbox.usage()).queueMax, 50);
  stop();
  assert.deepEqual(reasons, []);
});

suite("one message too many", () => {
  for (const [how, count] of [
    ["just over", 51],
    ["far over", 100_000],
  ] as const) {
    for (const kind of ["send", "cast"]) {
      test(`${how}, by ${kind}: the process ends, its callers get queue-overflow, and others go on`, async () => {
        const { sandbox, asked } = await busySink(50);
        await using _ = sandbox;
        const { reasons, stop } = kills(sandbox);
        // Once it has ended its name is free, and further messages to it throw.
        const filled = await sandbox.call("main.fill", { args: [count, kind] });
        assert.equal(filled.ok, how === "just over");
        assertFailed(await asked, "queue-overflow", "messageQueue");
        assert.equal(valueOf(await sandbox.ask("other", "")), "here");
        await until("it began anew", async () => valueOf(await sandbox.call("main.isThere")) === true);
        assert.equal(valueOf(await sandbox.call("main.waiting")), 0);
        stop();
        assert.deepEqual(reasons, ["queue"]);
        assert.equal((await sandbox.info()).rebuilds, 0);
      });
    }
  }

  test("from the host: the ask that is one too many ends with queue-overflow, as do those before it", async () => {
    const { sandbox, asked } = await busySink(10);
    await using _ = sandbox;
    const asks = Array.from({ length: 11 }, () => sandbox.ask("sink", ""));
    for (const outcome of await Promise.all([asked, ...asks]))
      assertFailed(outcome, "queue-overflow", "messageQueue");
  });

  test("from the host: a send that is one too many is taken off, and the process ends", async () => {
    const { sandbox, asked } = await busySink(10);
    await using _ = sandbox;
    for (let n = 0; n < 11; n++) valueOf(await sandbox.send("sink", n));
    assertFailed(await asked, "queue-overflow", "messageQueue");
  });
});

test("the limit can be changed while the sandbox is running", async () => {
  const { sandbox, asked } = await busySink(10);
  await using _ = sandbox;
  await sandbox.updateLimits({ messageQueue: 20 });
  valueOf(await sandbox.call("main.fill", { args: [20] }));
  await sandbox.updateLimits({ messageQueue: 5 });
  assert.equal(valueOf(await sandbox.call("main.waiting")), 20);
  valueOf(await sandbox.call("main.fill", { args: [1] }));
  assertFailed(await asked, "queue-overflow", "messageQueue");
});

for (const value of [0, 1_000_001, 1.5, null]) {
  test(`messageQueue: ${JSON.stringify(value)} is refused`, async () => {
    const limits = { messageQueue: value as number };
    await mistakeOf(
      () => runtime.create({ modules: { main: source }, supervisor: "main", limits }),
      "INVALID_LIMITS",
    );
  });
}
