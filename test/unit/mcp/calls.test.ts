// Calls that take time: they tell how far they are, end when they are cancelled, and never last longer than they may.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { openGate, type McpGate } from "../../../src/mcp/gate.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { admin, handlerOf, mistake, overHttp, overStreams, use } from "../../support/mcp.ts";
import { startRuntime } from "../../support/runtimes.ts";

const endless =
  "export const f = async () => { for (;;) await new Promise((done) => setTimeout(done, 5)); };";
const tests = [{ call: "main.f", expected: 1 }];
const quick = Array.from({ length: 20 }, (_, index) => ({ source: `export const f = () => ${index % 2};` }));

const ways = ["streams of 2025", "streams of 2026", "HTTP of 2025", "HTTP of 2026"] as const;
for (const way of ways) {
  const runtime = await startRuntime();
  const era = way.endsWith("2025") ? "2025" : "2026";
  const client: Client = way.startsWith("streams")
    ? (await overStreams(runtime, era)).client
    : await overHttp(handlerOf(runtime), era);

  suite(`Over ${way}`, () => {
    test("an evaluation tells how far it is", async () => {
      const told: {
        readonly progress: number;
        readonly total?: number | undefined;
        readonly message?: string | undefined;
      }[] = [];
      const result = await client.callTool(
        { name: "evaluate", arguments: { candidates: quick, tests } },
        { onprogress: (progress) => void told.push(progress) },
      );
      assert.partialDeepStrictEqual(result.structuredContent, { scored: 20 });
      assert.deepEqual(told.at(-1), { progress: 20, total: 20, message: "20 of 20 evaluated; best score 1" });
      const steps = told.map(({ progress }) => progress);
      assert.deepEqual(
        steps,
        steps.toSorted((one, other) => one - other),
      );
    });

    test("an evaluation that is cancelled ends in the runtime, and leaves nothing", async () => {
      const begun = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      runtime.events.on("sandbox.create.stop", () => begun.resolve());
      runtime.events.on("sandbox.destroy.stop", () => ended.resolve());
      const cancel = new AbortController();
      const call = client.callTool(
        { name: "evaluate", arguments: { candidates: [{ source: endless }], tests, timeoutMs: 60_000 } },
        { signal: cancel.signal },
      );
      await begun.promise;
      cancel.abort();
      await assert.rejects(call);
      await ended.promise;
      assert.deepEqual(await runtime.list(), []);
      assert.equal((await use(client, "run_code", { source: "1 + 1" })).value, 2);
    });
  });
}

test("a call that takes longer than it may ends with a result that says so", async () => {
  const [runtime, clock] = [await startRuntime(), new FakeClock()];
  const { client } = await overStreams(runtime, "2025", { mcp: { clock, callMs: 300 } });
  await use(client, "create_sandbox", { id: "a", source: endless });
  runtime.events.on("sandbox.run.start", () => clock.advance(300));
  const result = await use(client, "call", { id: "a", target: "main.f" });
  assert.partialDeepStrictEqual(result, { ok: false, error: { kind: "cancelled", reason: "signal" } });
  assert.match(result.error.message, /a tool call must end within 300 ms/);
});

test("an agent has no more calls under way than it may", async () => {
  const runtime = await startRuntime();
  const { client } = await overStreams(runtime, "2025", { mcp: { calls: 1 } });
  await use(client, "create_sandbox", { id: "a", source: endless });
  const cancel = new AbortController();
  const running = client.callTool(
    { name: "call", arguments: { id: "a", target: "main.f" } },
    { signal: cancel.signal },
  );
  assert.match(await mistake(client, "run_code", { source: "1" }), /QUOTA_EXCEEDED: .* at most 1 under way/);
  cancel.abort();
  await assert.rejects(running);
});

test("whoever bounds the caller is asked before anything is run, and its refusal is the answer", async () => {
  const asked: unknown[] = [];
  const gate: McpGate = {
    ...openGate,
    countEvaluations: ({ tokenId }, count) => {
      asked.push([tokenId, count]);
      if (asked.length > 1) throw new TypeError("a bug of ours");
    },
  };
  const client = await overHttp(handlerOf(await startRuntime(), { gate }), "2026", { caller: admin });
  await use(client, "evaluate", { candidates: quick.slice(0, 2), tests });
  const text = await mistake(client, "run_code", { source: "1" });
  assert.equal(
    text,
    "INTERNAL: Cannot finish this as something broke inside of the server, whose log says more",
  );
  assert.deepEqual(asked, [
    ["one", 2],
    ["one", 1],
  ]);
});

test("a session that asks for nothing ends, and its sandboxes with it", async () => {
  const runtime = await startRuntime();
  const clock = new FakeClock();
  const client = await overHttp(handlerOf(runtime, { clock, sessionIdleMs: 1_000 }), "2025");
  await use(client, "create_sandbox", { source: endless });
  clock.advance(900);
  const destroyed = Promise.withResolvers<void>();
  runtime.events.on("sandbox.destroy.stop", () => destroyed.resolve());
  await use(client, "list_sandboxes");
  clock.advance(900);
  assert.equal((await runtime.list()).length, 1);
  clock.advance(200);
  await destroyed.promise;
  assert.deepEqual(await runtime.list(), []);
  await assert.rejects(async () => client.listTools(), /session/i);
});

test("no more sessions begin than there may be", async () => {
  const handler = handlerOf(await startRuntime(), { sessions: 1 });
  await overHttp(handler, "2025");
  await assert.rejects(async () => overHttp(handler, "2025"), /at most 1: end one, or wait/);
  const shared = handlerOf(await startRuntime(), { sessions: 3, sessionsPerToken: 2 });
  const begun = await Promise.allSettled([1, 2, 3, 4].map(() => overHttp(shared, "2025")));
  assert.deepEqual(begun.map(({ status }) => status).sort(), [
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
  ]);
  await assert.rejects(async () => overHttp(shared, "2025"), /at most 2 of one token: end one, or wait/);
  await overHttp(shared, "2025", { caller: { ...admin, tokenId: "two" } });
});

test("sandboxes of agents over HTTP end where nothing is asked of them", async () => {
  const runtime = await startRuntime();
  const client = await overHttp(handlerOf(runtime, { idleMs: 60_000 }), "2026");
  const { sandbox } = await use(client, "create_sandbox", { source: endless });
  assert.equal((await runtime.info(sandbox.id)).limits.idleMs, 60_000);
  const text = await mistake(client, "create_sandbox", { source: endless, limits: { idleMs: 60_001 } });
  assert.match(text, /limits\.idleMs as it must be at most 60000 here/);
});
